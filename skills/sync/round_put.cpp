#include "skills/sync/round.h"

#include <algorithm>
#include <utility>

namespace upskill::sync {
namespace {

// Where there were links there are to be links, to a copy that is there or that comes first.
void choose_links_again(const Scope& scope,
                        const std::vector<RootIndex>& links,
                        const Sight& sight,
                        std::vector<RootIndex>& fresh,
                        PendingSkill& pending) {
  auto is_link = [&](RootIndex root) {
    return std::ranges::find(links, root) != links.end() || scope.setup.roots[root].by_link;
  };
  std::ranges::sort(fresh, {}, [&](RootIndex root) { return std::pair(is_link(root), root); });
  const bool has_copy = std::ranges::any_of(sight.observations, [&](const Observation& seen) {
    return seen.usable && seen.presence == Presence::copy && !is_link(seen.root);
  });
  if (!has_copy && !fresh.empty() && !is_link(fresh.front())) {
    pending.original = fresh.front();
  }
  for (RootIndex root : links) {
    pending.links.set(root);
  }
}

} // namespace

Result<void> RoundRun::put(Scope& scope,
                           const std::string& name,
                           const Digest& content,
                           const std::vector<RootIndex>& roots,
                           const std::string& reason,
                           PutEffects effects) {
  TRY_ASSIGN(Tree tree, tree_of_object(m_state.objects, content));
  open_roots(scope);
  // What changed in the meantime is agreed, and so kept, before anything is written over it.
  consider(scope, name);
  flush(scope);
  std::string key = m_state.key_of(name);
  Skill* skill = scope.find(key);
  const bool unknown = skill == nullptr; // it was deleted, or is only known from a conflict
  if (unknown) {
    skill = &scope.add(key, name);
  }
  std::vector<store::ReplicaKind> kinds;
  for (RootIndex root : roots) {
    kinds.push_back(std::exchange(skill->at(root).kind, store::ReplicaKind::copy)); // not excluded
  }
  auto exclude_again = [&] {
    for (std::size_t i = 0; i < roots.size() && !unknown; ++i) {
      skill->at(roots[i]).kind = kinds[i];
    }
  };
  Sight sight = look(scope, name, skill);
  PendingSkill pending;
  pending.name = name;
  // Where the content stays what it is, copies only come to be.
  pending.action = skill->ancestor == content ? SyncAction::create : SyncAction::update;
  pending.reason = reason;
  pending.tree = std::move(tree);
  pending.settles = effects.settles;
  pending.conflict = std::move(effects.reopens);
  EntryBytes bytes_of = bytes_from(scope, name, sight, pending.tree);
  // Where nothing is left to be written over, it comes back as a new skill would.
  bool nowhere = std::ranges::all_of(sight.observations, [](const Observation& seen) {
    return seen.usable && seen.presence == Presence::absent;
  });
  RootSet wanted = nowhere && roots.empty() ? scope.wanted(*skill, {}, {}) : RootSet();
  std::vector<RootIndex> fresh;
  for (const Observation& seen : sight.observations) {
    bool named = std::ranges::find(roots, seen.root) != roots.end() || wanted.test(seen.root);
    if (!seen.usable) {
      continue;
    }
    if (seen.presence == Presence::copy && seen.hash == content) {
      pending.holders.emplace_back(seen.root, sight.stats[seen.root].fingerprint);
    } else if (seen.presence == Presence::copy && seen.hash == skill->ancestor) {
      stage_update(scope, name, sight, seen.root, pending, bytes_of);
    } else if (seen.presence == Presence::absent && named) {
      fresh.push_back(seen.root);
    }
  }
  choose_links_again(scope, effects.links, sight, fresh, pending);
  for (RootIndex root : fresh) {
    stage_new(scope, name, sight, root, pending, bytes_of);
    if (root == pending.original && pending.failed) {
      pending.original.reset(); // a link to it would lead nowhere
    }
  }
  bool nothing = pending.writes.empty() && pending.holders.empty();
  if (unknown && nothing) {
    scope.remove(key); // no copy of it is anywhere, so there is nothing to know
  }
  auto refuse = [&](std::string message, std::string hint) -> Result<void> {
    exclude_again();
    close_roots(scope);
    return fail(ErrorCode::refused, std::move(message), std::move(hint));
  };
  if (nothing && !m_work.dry_run) {
    return refuse("no copy of `" + name + "` could be written",
                  m_round.warnings.empty() ? "`upskill sync status` shows why"
                                           : m_round.warnings.front());
  }
  if (effects.must_write && pending.writes.empty() && !m_work.dry_run) {
    return refuse("`" + name + "` is there already: there is nothing to bring back", {});
  }
  if (!m_work.dry_run) {
    if (scope.deletions.contains(name)) {
      forget_deletion(scope, name);
    }
    skill->let_return(effects.readmits);
    m_marks = std::move(effects.marks);
    m_pending.push_back(std::move(pending));
    flush(scope);
    if (m_unrecorded) {
      close_roots(scope);
      return fail(*m_unrecorded);
    }
  } else {
    exclude_again();
  }
  close_roots(scope);
  return {};
}

// Whoever saw the copies that were taken away is not to get one in another of its roots instead.
void RoundRun::exclude_for_readers(Scope& scope,
                                   Skill& skill,
                                   const Sight& sight,
                                   const std::vector<RootIndex>& roots,
                                   Excluded how_long,
                                   store::HistoryRow& history) {
  for (const AgentSetup& agent : scope.setup.agents) {
    if (std::ranges::find_first_of(agent.reads, roots) == agent.reads.end()) {
      continue;
    }
    for (RootIndex root : agent.reads) {
      const Observation& seen = sight.observations[root];
      const Replica* known = skill.find(root);
      bool excluded = known != nullptr && known->kind == store::ReplicaKind::excluded;
      if (seen.usable && seen.presence == Presence::absent && !seen.base && !excluded) {
        skill.at(root).kind = store::ReplicaKind::excluded;
        skill.at(root).withdrawn = how_long == Excluded::until_edited;
        history.paths.push_back(
            {scope.path_of(root, skill.name), {}, {}, store::ReplicaKind::withdrawn});
      }
    }
  }
}

Result<void> RoundRun::withdraw(Scope& scope,
                                const std::string& name,
                                const std::vector<RootIndex>& roots,
                                const std::string& reason,
                                const WithdrawEffects& effects) {
  open_roots(scope);
  consider(scope, name);
  flush(scope);
  Result<void> done = withdraw_from(scope, name, roots, reason, effects);
  close_roots(scope);
  return done;
}

Result<void> RoundRun::withdraw_from(Scope& scope,
                                     const std::string& name,
                                     const std::vector<RootIndex>& roots,
                                     const std::string& reason,
                                     const WithdrawEffects& effects) {
  Skill* skill = scope.find(m_state.key_of(name));
  if (skill == nullptr) {
    return fail(ErrorCode::refused, "`" + name + "` is nowhere any more", "`upskill sync log`");
  }
  Sight sight = look(scope, name, skill);
  bool stays = false; // something that was to go
  std::vector<RootIndex> goes;
  for (RootIndex root : roots) {
    std::string why = why_it_stays(scope, *skill, sight, root);
    if (!why.empty()) {
      warn({ErrorCode::refused, std::move(why), {}});
      stays = true;
    } else if (sight.observations[root].presence != Presence::absent) {
      goes.push_back(root);
    }
  }
  const bool left = std::ranges::any_of(sight.observations, [&](const Observation& seen) {
    bool taken = std::ranges::find(goes, seen.root) != goes.end();
    return (seen.usable && seen.presence != Presence::absent && !taken)
           || (!seen.usable && seen.base);
  });
  const bool is_live =
      left && std::ranges::any_of(sight.observations, [&](const Observation& seen) {
        return seen.usable && seen.presence == Presence::copy
               && std::ranges::find(goes, seen.root) == goes.end();
      });
  if (!goes.empty() && !is_live && !effects.may_take_last) {
    return fail(ErrorCode::refused,
                "no other copy of `" + name + "` can be seen now, so this one stays",
                "delete it by hand if it is to go; `upskill sync status` shows where the others "
                "are");
  }
  if (goes.empty() && stays) {
    return fail(ErrorCode::refused,
                "no copy of `" + name + "` could be taken away",
                m_round.warnings.back());
  }
  for (RootIndex root : goes) {
    bool link = sight.observations[root].presence == Presence::link;
    step(link ? SyncAction::unlink : SyncAction::remove,
         name,
         scope.path_of(root, name),
         {},
         {},
         reason);
  }
  if (m_work.dry_run) {
    return {};
  }
  store::HistoryRow history;
  history.action = SyncAction::remove;
  history.skill = name;
  history.scope = scope.id;
  history.before = skill->ancestor;
  history.after = skill->ancestor;
  history.reason = reason;
  history.time_ms = m_work.now.wall_ms;
  // On record before anything goes: after a crash in between, a copy that is missing must not count
  // as deleted by a person, who may have none but the one in another root.
  for (RootIndex root : goes) {
    set_withdrawn(scope, *skill, root);
  }
  auto stays_after_all = [&](RootIndex root) {
    const Observation& seen = sight.observations[root];
    scope.agree(*skill, root, seen.base);
    Replica& replica = skill->at(root);
    replica.kind =
        seen.presence == Presence::link ? store::ReplicaKind::link : store::ReplicaKind::copy;
    replica.withdrawn = false;
    replica.seen = seen.presence;
  };
  if (Result<void> recorded = m_state.record_replicas(scope, *skill); !recorded) {
    std::ranges::for_each(goes, stays_after_all);
    return recorded;
  }
  for (RootIndex root : goes) {
    if (!take_away(scope, name, sight, root, history)) {
      stays = true;
      stays_after_all(root);
    }
  }
  if (stays && history.paths.empty()) {
    TRY(m_state.record_replicas(scope, *skill));
    return fail(ErrorCode::refused,
                "no copy of `" + name + "` could be taken away",
                m_round.warnings.back());
  }
  const bool nothing_left = !stays && !left;
  if (effects.may_return && !nothing_left) {
    skill->let_return(goes);
  } else if (!nothing_left) {
    exclude_for_readers(scope, *skill, sight, roots, Excluded::until_edited, history);
  }
  return record_withdrawal(scope, name, sight, nothing_left, history, effects.marks);
}

// Why what sync made in this root cannot be taken away now; empty: it can, or is not there.
std::string RoundRun::why_it_stays(const Scope& scope,
                                   const Skill& skill,
                                   const Sight& sight,
                                   RootIndex root) const {
  const Observation& seen = sight.observations[root];
  const Replica* known = skill.find(root);
  if (!seen.usable) {
    bool is_known = known != nullptr && known->kind != store::ReplicaKind::excluded;
    const Root& at = scope.roots[root];
    return is_known ? (at.held.empty() ? at.judgement.reason : at.held) : std::string();
  }
  bool goes = seen.presence == Presence::absent || seen.presence == Presence::link
              || (seen.presence == Presence::copy && seen.hash == skill.ancestor);
  return goes ? std::string() : "`" + scope.path_of(root, skill.name) + "` was changed and stays";
}

void RoundRun::set_withdrawn(Scope& scope, Skill& skill, RootIndex root) {
  scope.agree(skill, root, std::nullopt);
  Replica& replica = skill.at(root);
  replica.kind = store::ReplicaKind::excluded;
  replica.withdrawn = true;
  replica.seen = Presence::absent;
}

bool RoundRun::take_away(Scope& scope,
                         const std::string& name,
                         Sight& sight,
                         RootIndex root,
                         store::HistoryRow& history) {
  if (sight.observations[root].presence != Presence::link) {
    return take_out(scope, name, sight, root, history);
  }
  Result<void> removed = m_state.stager.remove_link(scope.setup.roots[root].path, name);
  warn_if(removed);
  if (removed) {
    history.paths.push_back({scope.path_of(root, name), {}, {}, store::ReplicaKind::link});
  }
  return removed.has_value();
}

Result<void> RoundRun::record_withdrawal(Scope& scope,
                                         const std::string& name,
                                         const Sight& sight,
                                         bool nothing_left,
                                         store::HistoryRow& history,
                                         const UndoneMarks& marks) {
  m_marks = marks;
  if (nothing_left) {
    history.after.reset(); // as after a deletion, which it may bring back
    return record_removal(scope, name, sight, history);
  }
  TRY_ASSIGN(store::Transaction transaction, m_state.store.begin());
  TRY(m_state.record_replicas(scope, *scope.find(m_state.key_of(name))));
  TRY(record_marks());
  // Also where nothing had to be done: what is undone must be found in the log, to be redone.
  TRY_ASSIGN(history.batch, batch());
  TRY(m_state.store.add_history(history));
  return transaction.commit();
}

Result<void> RoundRun::record_marks() {
  for (const auto& [entry, undone] : std::exchange(m_marks, {})) {
    TRY(m_state.store.set_undone(entry, undone));
  }
  return {};
}

} // namespace upskill::sync
