#include "skills/sync/round.h"

#include <algorithm>

namespace upskill::sync {

// The end of a batch. The order is what makes kill -9 safe at any point: versions are in the store
// and copies are staged before anything is swapped; what was agreed is recorded after. A crash in
// between leaves copies that are equal to each other, which count as synchronised.
// Against power loss, new copies reach the disk before they are moved into place. Those that
// replace others are swapped in at once, so that an edit arrives in a millisecond and not after
// three disk flushes: what they replaced lies beside the root until everything is on the disk, and
// heal_after_power_loss() puts it back where a copy was torn.
void RoundRun::flush(Scope& scope) {
  std::vector<PendingSkill> batch = std::exchange(m_pending, {});
  std::set<SkillIndex> fingerprints = std::exchange(m_fingerprints, {}); // of this scope only
  m_pending_bytes = 0;
  if (m_work.dry_run || (batch.empty() && fingerprints.empty())) {
    return;
  }
  m_state.unsynced = m_state.unsynced || !batch.empty();
  m_unrecorded.reset();
  auto give_up = [&](const Error& error) {
    warn(error);
    m_unrecorded = error;
    for (const PendingSkill& pending : batch) {
      note(scope, pending.name, error.message);
      try_later(scope, pending.name);
      for (const PendingWrite& write : pending.writes) {
        (void)m_state.files.remove_tree(write.staged.path);
      }
    }
  };
  bool makes_new = std::ranges::any_of(batch, [](const PendingSkill& pending) {
    return std::ranges::any_of(
        pending.writes, [](const PendingWrite& write) { return !write.expected && !write.link; });
  });
  if (makes_new) {
    if (Result<void> durable = make_durable(m_state); !durable) {
      return give_up(durable.error());
    }
  }
  if (Result<void> opened = open_conflicts(scope, batch); !opened) {
    return give_up(opened.error());
  }
  // Before anything is swapped: what cannot be recorded is not begun.
  Result<store::Transaction> transaction = m_state.store.begin();
  if (!transaction) {
    return give_up(transaction.error());
  }
  std::vector<store::HistoryRow> histories(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    swap_in(scope, batch[i], histories[i]);
  }
  std::vector<SkillIndex> fresh;
  std::vector<SkillIndex> touched;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Skill* skill = scope.find(m_state.key_of(batch[i].name));
    if (skill == nullptr) {
      continue;
    }
    auto index = static_cast<SkillIndex>(skill - scope.skills.data());
    touched.push_back(index);
    if (skill->id == 0) {
      fresh.push_back(index);
    }
    Result<void> recorded = record(scope, batch[i], histories[i]);
    skill->unrecorded = !recorded;
    if (!recorded) {
      note(scope, skill->name, recorded.error().message);
    }
    m_unrecorded = recorded ? m_unrecorded : std::optional(recorded.error());
    if (batch[i].failed || !recorded) {
      try_later(scope, batch[i].name);
    } else {
      scope.retries.erase(batch[i].name);
    }
  }
  for (SkillIndex index : fingerprints) {
    warn_if(m_state.record_replicas(scope, scope.skills[index]));
  }
  if (Result<void> committed = transaction->commit(); !committed) {
    warn(committed.error());
    m_unrecorded = committed.error();
    for (SkillIndex index : touched) {
      scope.skills[index].unrecorded = true;
      note(scope, scope.skills[index].name, committed.error().message);
      try_later(scope, scope.skills[index].name);
    }
    for (SkillIndex index : fresh) {
      scope.skills[index].id = 0; // its row went with the rest
    }
  }
}

// A conflict is on record before its losing copies are overwritten: after a crash in between all
// copies are equal, and nothing else would tell the person that there was another version.
Result<void> RoundRun::open_conflicts(Scope& scope, std::vector<PendingSkill>& batch) {
  if (std::ranges::none_of(batch,
                           [](const auto& pending) { return pending.conflict.has_value(); })) {
    return {};
  }
  TRY_ASSIGN(store::Transaction transaction, m_state.store.begin());
  for (PendingSkill& pending : batch) {
    if (!pending.conflict) {
      continue;
    }
    if (pending.conflict->id != 0) {
      TRY(m_state.store.update_conflict(*pending.conflict));
    } else {
      TRY_ASSIGN(pending.conflict->id, m_state.store.add_conflict(*pending.conflict));
    }
    scope.conflicts.insert(pending.name);
  }
  return transaction.commit();
}

void RoundRun::swap_in(Scope& scope, PendingSkill& pending, store::HistoryRow& history) {
  const Digest hash = pending.tree.hash();
  for (PendingWrite& write : pending.writes) {
    const std::string& root = scope.setup.roots[write.root].path;
    Result<std::optional<Displaced>> swapped =
        m_state.stager.swap_in(root, pending.name, write.staged, write.expected);
    if (!swapped) {
      m_failure = m_failure ? m_failure : std::optional(swapped.error());
      if (swapped.error().code == ErrorCode::changed) {
        again(scope, pending.name, m_work.now.steady_ms);
      } else {
        write_failed(scope, pending, write.root, swapped.error());
      }
      continue;
    }
    write.swapped = true;
    store::HistoryPath& path = history.paths.emplace_back();
    path.path = scope.path_of(write.root, pending.name);
    path.after = hash;
    path.kind = write.link ? store::ReplicaKind::link : store::ReplicaKind::copy;
    if (*swapped) {
      path.before = (*swapped)->hash;
      m_state.lingering.push_back({std::move(**swapped), m_work.now.steady_ms, root, pending.name});
    }
    if (!write.link) {
      // Just written, so its times are too young to be trusted: the next scan reads it once more.
      pending.holders.emplace_back(write.root, Fingerprint{});
    } else if (Skill* skill = scope.find(m_state.key_of(pending.name))) {
      skill->at(write.root).kind = store::ReplicaKind::link;
      skill->at(write.root).seen = Presence::link;
    }
  }
}

Result<store::Id> RoundRun::batch() {
  if (m_batch == 0) {
    TRY_ASSIGN(m_batch, m_state.store.next_batch());
  }
  return m_batch;
}

Result<void> RoundRun::record(Scope& scope, PendingSkill& pending, store::HistoryRow& history) {
  Skill* skill = scope.find(m_state.key_of(pending.name));
  if (skill == nullptr) {
    return {};
  }
  const Digest hash = pending.tree.hash();
  history.before = skill->ancestor;
  bool is_new = skill->ancestor != hash || skill->unrecorded;
  skill->ancestor = hash;
  if (pending.edited) {
    skill->let_return();
  }
  store::SkillRow row;
  row.id = skill->id;
  row.scope = scope.id;
  row.name = pending.name;
  row.key = m_state.key_of(pending.name);
  row.ancestor = hash;
  row.tree = pending.tree.serialize();
  for (const auto& [root, fingerprint] : pending.holders) {
    scope.agree(*skill, root, hash);
    Replica& replica = skill->at(root);
    replica.kind = store::ReplicaKind::copy;
    replica.seen = Presence::copy;
    replica.differs = false;
  }
  forget_orders(scope, pending.name);
  if (is_new || skill->id == 0) {
    row.replicas = replica_rows(scope, *skill);
    TRY_ASSIGN(skill->id, m_state.store.put_skill(row));
  } else {
    TRY(m_state.record_replicas(scope, *skill));
  }
  TRY(settle_conflict(scope, pending));
  const bool marks = !m_marks.empty();
  TRY(record_marks());
  if (history.paths.empty() && !pending.conflict && pending.settles == 0 && !marks) {
    return {}; // adopted where it lies: nothing was written, nothing to undo
  }
  TRY_ASSIGN(history.batch, batch());
  history.time_ms = m_work.now.wall_ms;
  bool created = !history.paths.empty()
                 && std::ranges::all_of(
                     history.paths, [](const store::HistoryPath& path) { return !path.before; });
  history.action = pending.action == SyncAction::adopt || pending.action == SyncAction::create
                       ? (created ? SyncAction::create : SyncAction::update)
                       : pending.action;
  if (history.action == SyncAction::create && pending.action == SyncAction::create) {
    history.before = hash; // the skill itself is not new, only these copies
  }
  history.skill = pending.name;
  history.scope = scope.id;
  history.from = pending.from;
  history.after = hash;
  history.reason = pending.reason;
  return m_state.store.add_history(history).map([](store::Id) {});
}

// A person settled it, or it is settled by itself: somebody put one of its losing versions in
// place.
Result<void> RoundRun::settle_conflict(Scope& scope, PendingSkill& pending) {
  if (pending.conflict || !scope.conflicts.contains(pending.name)) {
    return {};
  }
  TRY_ASSIGN(std::optional<store::ConflictRow> open,
             m_state.store.find_conflict(scope.id, pending.name, ConflictKind::content));
  if (!open) {
    scope.conflicts.erase(pending.name);
    return {};
  }
  bool taken = std::ranges::any_of(open->versions, [&](const store::ConflictVersionRow& version) {
    return !version.winner && version.hash == pending.tree.hash();
  });
  if (!taken && pending.settles != open->id) {
    return {};
  }
  pending.settles = open->id;
  if (pending.reason.empty()) {
    pending.reason = reason_of_settling(open->id);
  }
  scope.conflicts.erase(pending.name);
  return m_state.store.resolve_conflict(open->id, m_work.now.wall_ms);
}

} // namespace upskill::sync
