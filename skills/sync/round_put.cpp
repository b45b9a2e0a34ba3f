#include "skills/sync/round.h"

#include <algorithm>

namespace upskill::sync {

Result<Round> RoundRun::put(Scope& scope,
                            const std::string& name,
                            const Digest& content,
                            const std::vector<RootIndex>& roots,
                            const std::string& reason,
                            ConflictChange conflict) {
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
  Sight sight = look(scope, name, skill);
  PendingSkill pending;
  pending.name = name;
  pending.action = SyncAction::update;
  pending.reason = reason;
  pending.tree = std::move(tree);
  pending.settles = conflict.settles;
  pending.conflict = std::move(conflict.reopens);
  EntryBytes bytes_of = bytes_from(scope, name, sight, pending.tree);
  // Where nothing is left to be written over, it comes back as a new skill would.
  bool nowhere = std::ranges::all_of(sight.observations, [](const Observation& seen) {
    return seen.usable && seen.presence == Presence::absent;
  });
  RootSet wanted = nowhere && roots.empty() ? scope.wanted(*skill, {}, {}) : RootSet();
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
      stage_new(scope, name, sight, seen.root, pending, bytes_of);
    }
  }
  bool nothing = pending.writes.empty() && pending.holders.empty();
  if (unknown && nothing) {
    scope.remove(key); // no copy of it is anywhere, so there is nothing to know
  }
  if (nothing && !m_work.dry_run) {
    close_roots(scope);
    return fail(ErrorCode::refused,
                "no copy of `" + name + "` could be written",
                m_round.warnings.empty() ? "`upskill sync status` shows why"
                                         : m_round.warnings.front());
  }
  if (!m_work.dry_run && scope.deletions.contains(name)) {
    forget_deletion(scope, name);
  }
  if (!m_work.dry_run) {
    m_pending.push_back(std::move(pending));
    flush(scope);
  } else if (!unknown) {
    for (std::size_t i = 0; i < roots.size(); ++i) {
      skill->at(roots[i]).kind = kinds[i];
    }
  }
  close_roots(scope);
  return std::move(m_round);
}

// Whoever saw the copies that were taken away is not to get one in another of its roots instead.
void RoundRun::exclude_for_readers(Scope& scope,
                                   Skill& skill,
                                   const Sight& sight,
                                   const std::vector<RootIndex>& roots) {
  for (const AgentSetup& agent : scope.setup.agents) {
    if (std::ranges::find_first_of(agent.reads, roots) == agent.reads.end()) {
      continue;
    }
    for (RootIndex root : agent.reads) {
      const Observation& seen = sight.observations[root];
      if (seen.usable && seen.presence == Presence::absent && !seen.base) {
        skill.at(root).kind = store::ReplicaKind::excluded;
        warn_if(m_state.record_replicas(scope, skill));
      }
    }
  }
}

Result<Round> RoundRun::withdraw(Scope& scope,
                                 const std::string& name,
                                 const std::vector<RootIndex>& roots,
                                 const std::string& reason) {
  open_roots(scope);
  consider(scope, name);
  flush(scope);
  Skill* skill = scope.find(m_state.key_of(name));
  if (skill == nullptr) {
    close_roots(scope);
    return std::move(m_round);
  }
  Sight sight = look(scope, name, skill);
  store::HistoryRow history;
  history.action = SyncAction::remove;
  history.skill = name;
  history.scope = scope.id;
  history.before = skill->ancestor;
  history.after = skill->ancestor;
  history.reason = reason;
  history.time_ms = m_work.now.wall_ms;
  for (RootIndex root : roots) {
    const Observation& seen = sight.observations[root];
    if (!seen.usable || seen.presence == Presence::absent) {
      continue;
    }
    bool link = seen.presence == Presence::link;
    if (!link && (seen.presence != Presence::copy || seen.hash != skill->ancestor)) {
      warn({ErrorCode::changed, "`" + scope.path_of(root, name) + "` was changed and stays", {}});
      continue;
    }
    step(link ? SyncAction::unlink : SyncAction::remove,
         name,
         scope.path_of(root, name),
         {},
         {},
         reason);
    if (m_work.dry_run) {
      continue;
    }
    if (link) {
      warn_if(m_state.stager.remove_link(scope.setup.roots[root].path, name));
    } else if (!take_out(scope, name, sight, root, history)) {
      continue;
    }
    scope.agree(*skill, root, std::nullopt);
    skill->at(root).kind = store::ReplicaKind::excluded;
    skill->at(root).seen = Presence::absent;
    warn_if(m_state.record_replicas(scope, *skill));
  }
  if (!m_work.dry_run) {
    exclude_for_readers(scope, *skill, sight, roots);
  }
  if (!m_work.dry_run && !history.paths.empty()) {
    TRY_ASSIGN(history.batch, batch());
    TRY(m_state.store.add_history(history));
  }
  close_roots(scope);
  return std::move(m_round);
}

} // namespace upskill::sync
