#include "protocol/base/paths.h"
#include "skills/sync/round.h"

#include <algorithm>

namespace upskill::sync {
namespace {

// Within this time a skill that disappears is the old name of one with the same content.
constexpr std::int64_t k_rename_window_ms = 10'000;

} // namespace

// A missing copy is only a candidate: programs that replace a folder delete it first, so nothing is
// concluded before the grace period is over (sync facts, rule 2).
void RoundRun::note_deletion(Scope& scope, const std::string& name) {
  auto [at, fresh] = scope.deletions.try_emplace(name);
  if (fresh) {
    at->second.since_ms = m_work.now.steady_ms;
    at->second.is_planned = m_work.dry_run;
  }
}

// It is there again, or was edited elsewhere: nothing is pending any more.
void RoundRun::forget_deletion(Scope& scope, const std::string& name) {
  auto pending = scope.deletions.find(name);
  if (m_work.dry_run) {
    return;
  }
  if (pending->second.held) {
    auto row = m_state.store.find_conflict(scope.id, name, ConflictKind::deletion);
    if (row && *row) {
      warn_if(m_state.store.resolve_conflict((*row)->id, m_work.now.wall_ms));
    }
  }
  scope.deletions.erase(pending);
}

// A skill that was first seen a moment ago with the same content: the folder was renamed.
std::string RoundRun::renamed_to(const Scope& scope, const Skill& skill) const {
  if (!skill.ancestor) {
    return {};
  }
  auto newcomer = scope.newcomers.find(*skill.ancestor);
  if (newcomer == scope.newcomers.end() || newcomer->second.name == skill.name) {
    return {};
  }
  const Skill* renamed = scope.find(m_state.key_of(newcomer->second.name));
  bool holds_it = renamed != nullptr && renamed->ancestor == skill.ancestor
                  && std::ranges::any_of(renamed->replicas, [](const Replica& replica) {
                       return replica.base && replica.seen == Presence::copy;
                     });
  return holds_it ? newcomer->second.name : std::string();
}

void RoundRun::carry_out_deletions(Scope& scope) {
  std::erase_if(scope.newcomers, [&](const auto& newcomer) {
    return newcomer.second.since_ms + k_rename_window_ms < m_work.now.steady_ms;
  });

  struct Due {
    std::string name;
    std::string renamed;
    bool guarded;
  };

  std::vector<Due> due;
  const std::int64_t now_ms = m_work.now.steady_ms;
  std::vector<std::size_t> guarded_in(scope.roots.size());
  std::vector<std::size_t> ripe_in(scope.roots.size());
  std::vector<std::size_t> gone_in(scope.roots.size());
  for (auto& [name, deletion] : scope.deletions) {
    const Skill* skill = scope.find(m_state.key_of(name));
    if (skill == nullptr || (!scope.setup.enabled && name != m_work.only_skill)) {
      continue;
    }
    // Where nothing is left to be deleted there is nothing to hold either.
    bool left = std::ranges::any_of(skill->replicas, [&](const Replica& one) {
      return one.seen != Presence::absent || (one.base && !scope.roots[one.root].usable());
    });
    std::int64_t ripe_ms = deletion.since_ms + m_state.options.grace_ms;
    if (deletion.held && !deletion.confirmed && left) {
      // Not carried out, and yet deleted: what comes a moment later belongs to the same.
      for (const Replica& replica : skill->replicas) {
        guarded_in[replica.root] += replica.base && replica.seen == Presence::absent
                                    && scope.roots[replica.root].guard.is_recent(ripe_ms, now_ms);
      }
      continue;
    }
    if (auto retry = scope.retries.find(name);
        retry != scope.retries.end() && !deletion.problem.empty() && retry->second.at_ms > now_ms) {
      continue;
    }
    std::string renamed = renamed_to(scope, *skill);
    bool waits = renamed.empty() && !deletion.confirmed && !deletion.held && !deletion.counted;
    // A plan says what will come of it.
    bool ripe = !waits || m_work.dry_run || ripe_ms <= now_ms;
    for (const Replica& replica : skill->replicas) {
      // Those that are not ripe yet count too, or the first of many would slip through. So do those
      // that are gone everywhere: they say something about what the others are.
      if (waits && replica.base && replica.seen == Presence::absent) {
        ++guarded_in[replica.root];
        ripe_in[replica.root] += ripe;
        gone_in[replica.root] += ripe && !left;
      }
    }
    if (!ripe) {
      again(scope, name, ripe_ms);
      continue;
    }
    due.push_back({name, std::move(renamed), waits && left});
  }
  std::string why;
  for (std::size_t i = 0; i < guarded_in.size(); ++i) {
    Root& root = scope.roots[i];
    if (ripe_in[i] > 0 && !root.guard.allows(guarded_in[i], root.record.agreed, now_ms)) {
      why = std::to_string(guarded_in[i]) + " of " + std::to_string(root.record.agreed)
            + " skills were deleted from `" + scope.setup.roots[i].path + "` at once";
    }
  }
  for (const Due& one : due) {
    if (one.guarded && !why.empty()) {
      hold(scope, one.name, scope.deletions[one.name], why);
    } else {
      PendingDeletion& deletion = scope.deletions[one.name];
      deletion.counted = deletion.counted || !m_work.dry_run;
      carry_out(scope, one.name, one.renamed);
    }
  }
  if (m_work.dry_run) {
    std::erase_if(scope.deletions, [](const auto& one) { return one.second.is_planned; });
  } else {
    for (std::size_t i = 0; i < guarded_in.size(); ++i) {
      scope.roots[i].guard.let_through(why.empty() ? ripe_in[i] : gone_in[i], now_ms);
    }
  }
}

void RoundRun::hold(Scope& scope,
                    const std::string& name,
                    PendingDeletion& deletion,
                    const std::string& why) {
  step(SyncAction::hold, name, {}, {}, {}, why);
  warn({ErrorCode::refused,
        why,
        "`upskill sync resolve NAME --take delete` deletes it everywhere, `--take restore` brings "
        "it back"});
  if (m_work.dry_run) {
    return;
  }
  deletion.held = true;
  store::ConflictRow row;
  row.scope = scope.id;
  row.skill = name;
  row.kind = ConflictKind::deletion;
  row.time_ms = m_work.now.wall_ms;
  row.reason = why;
  const Skill* skill = scope.find(m_state.key_of(name));
  if (skill != nullptr && skill->ancestor) {
    row.versions.push_back({*skill->ancestor, {}, true, {}});
  }
  warn_if(m_state.store.add_conflict(row));
}

// Looks once more, then takes the copies out of every root into the trash. What differs from what
// was agreed stays: an edit beats a deletion.
void RoundRun::carry_out(Scope& scope, const std::string& name, const std::string& renamed) {
  const std::string reason = renamed.empty() ? std::string() : "renamed to `" + renamed + "`";
  Skill* skill = scope.find(m_state.key_of(name));
  Sight sight = look(scope, name, skill);
  Decision decision = reconcile(skill->ancestor, sight.observations);
  if (!sight.moving && decision.verdict == Verdict::nothing && !decision.deleted_in.empty()) {
    if (!m_work.dry_run) {
      scope.retries.erase(name);
    }
    return; // its other copies are out of sight: their return is what it waits for
  }
  if (sight.moving || (decision.verdict != Verdict::remove && decision.verdict != Verdict::gone)) {
    again(scope, name, m_work.now.steady_ms); // somebody edited it a moment ago
    return;
  }
  store::HistoryRow history;
  history.action = SyncAction::remove;
  history.skill = name;
  history.scope = scope.id;
  history.before = skill->ancestor;
  history.reason = reason;
  history.time_ms = m_work.now.wall_ms;
  for (RootIndex root : decision.deleted_in) {
    history.from = scope.path_of(root, name);
    history.paths.push_back({history.from, skill->find(root)->base, std::nullopt, {}});
  }
  std::string problem;
  for (const Observation& seen : sight.observations) {
    std::string path = scope.path_of(seen.root, name);
    if (seen.presence == Presence::copy && seen.usable) {
      step(SyncAction::remove, name, path, history.from, {}, reason);
      if (!m_work.dry_run && !take_out(scope, name, sight, seen.root, history)) {
        problem = "`" + path + "` could not be removed";
      }
    } else if (seen.presence == Presence::link) {
      step(SyncAction::unlink, name, path, history.from, {}, reason);
      if (!m_work.dry_run) {
        Result<void> removed = m_state.stager.remove_link(scope.setup.roots[seen.root].path, name);
        warn_if(removed);
        if (removed) {
          std::erase_if(skill->replicas, [&](const Replica& one) { return one.root == seen.root; });
        } else {
          problem = "the link `" + path + "` could not be removed";
        }
      }
    }
  }
  if (m_work.dry_run) {
    return;
  }
  scope.deletions[name].problem = problem;
  if (!problem.empty()) {
    // What is left is still known for a copy of what was deleted, so that it does not come back.
    try_later(scope, name);
    return;
  }
  scope.retries.erase(name);
  warn_if(record_removal(scope, name, sight, history));
  if (!renamed.empty()) {
    warn_if(take_conflict_along(scope, name, renamed));
  }
  for (const auto& [other, note] : scope.notes) {
    if (other != name && m_state.key_of(other) == m_state.key_of(name)) {
      again(scope, other, m_work.now.steady_ms); // it stood in the way of this one
    }
  }
}

// A skill that was renamed takes its open conflict to its new name.
Result<void>
RoundRun::take_conflict_along(Scope& scope, const std::string& from, const std::string& to) {
  TRY_ASSIGN(auto row, m_state.store.find_conflict(scope.id, from, ConflictKind::content));
  TRY_ASSIGN(auto other, m_state.store.find_conflict(scope.id, to, ConflictKind::content));
  if (!row || other) {
    return {};
  }
  row->skill = to;
  for (store::ConflictVersionRow& version : row->versions) {
    if (base_name(version.path) == from) {
      version.path = join_path(parent_path(version.path), to);
    }
  }
  TRY(m_state.store.update_conflict(*row));
  scope.conflicts.erase(from);
  scope.conflicts.insert(to);
  return {};
}

bool RoundRun::take_out(Scope& scope,
                        const std::string& name,
                        Sight& sight,
                        RootIndex root,
                        store::HistoryRow& history) {
  if (std::optional<Error> problem = keep_object(scope, name, sight, root)) {
    warn(*problem);
    return false;
  }
  const Observation& seen = sight.observations[root];
  Result<Displaced> displaced = m_state.stager.take_out(
      scope.setup.roots[root].path, name, {seen.hash, sight.stats[root].fingerprint});
  if (!displaced) {
    warn(displaced.error());
    return false;
  }
  store::TrashOrigin origin;
  origin.path = scope.path_of(root, name);
  origin.skill = name;
  origin.reason = history.from.empty() ? history.reason : "deleted from " + history.from;
  origin.hash = seen.hash.hex();
  origin.time_ms = m_work.now.wall_ms;
  if (auto item = m_state.trash.take(displaced->path, origin); !item) {
    warn(item.error()); // it lies in the stage folder still, and tidy() tries again
    m_state.lingering.push_back(
        {std::move(*displaced), m_work.now.steady_ms, scope.setup.roots[root].path, name});
  }
  history.paths.push_back({origin.path, seen.hash, std::nullopt, store::ReplicaKind::copy});
  if (Skill* skill = scope.find(m_state.key_of(name))) {
    skill->at(root).seen =
        Presence::absent; // where another one cannot be removed, this one is gone
  }
  return true;
}

// Copies in roots that could not be looked at keep their base, so that the deletion reaches them
// when they are back.
Result<void> RoundRun::record_removal(Scope& scope,
                                      const std::string& name,
                                      const Sight& sight,
                                      store::HistoryRow& history) {
  Skill* skill = scope.find(m_state.key_of(name));
  TRY_ASSIGN(store::Transaction transaction, m_state.store.begin());
  bool left = false;
  for (const Observation& seen : sight.observations) {
    Replica* replica = skill->find(seen.root);
    if (replica == nullptr) {
      continue;
    }
    if (seen.base
        && (!seen.usable || seen.presence == Presence::incomplete
            || seen.presence == Presence::problem)) {
      left = true;
      continue;
    }
    scope.agree(*skill, seen.root, std::nullopt);
    std::erase_if(skill->replicas, [&](const Replica& one) { return one.root == seen.root; });
  }
  TRY(m_state.record_replicas(scope, *skill));
  TRY(record_marks());
  TRY_ASSIGN(auto held, m_state.store.find_conflict(scope.id, name, ConflictKind::deletion));
  if (held) {
    TRY(m_state.store.resolve_conflict(held->id, m_work.now.wall_ms));
  }
  if (history.before) {
    TRY_ASSIGN(history.batch, batch());
    TRY(m_state.store.add_history(history));
  }
  if (left) {
    skill->ancestor.reset();
    TRY(m_state.store.set_ancestor(skill->id, std::nullopt, {}));
    scope.deletions.erase(name);
  } else {
    TRY(m_state.store.remove_skill(skill->id));
    scope.remove(m_state.key_of(name));
  }
  return transaction.commit();
}

} // namespace upskill::sync
