// Orders of a person: all of one or nothing of it.
#include "protocol/base/paths.h"
#include "skills/sync/round.h"
#include "skills/sync/take_back.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace upskill::sync {
namespace {

std::vector<store::IntentRow> intents_of(const Scope& scope, const Order& order) {
  std::vector<store::IntentRow> intents;
  auto add = [&](const std::string& skill, RootIndex root) -> store::IntentRow& {
    store::IntentRow& row = intents.emplace_back();
    row.scope = scope.id;
    row.skill = skill;
    row.root = scope.setup.roots[root].path;
    return row;
  };
  auto add_writes = [&](const PendingSkill& pending) {
    for (const PendingWrite& write : pending.writes) {
      store::IntentRow& row = add(pending.name, write.root);
      if (write.expected) {
        row.before = write.expected->hash;
      }
      if (write.link) {
        row.link_after = write.target;
      } else {
        row.after = write.staged.hash;
      }
    }
  };
  for (const Going& going : order.going) {
    for (std::size_t i = 0; i < going.goes.size(); ++i) {
      store::IntentRow& row = add(going.name, going.goes[i]);
      row.link_before = going.link_targets[i];
      if (row.link_before.empty()) {
        row.before = going.sight.observations[going.goes[i]].hash;
      }
    }
    if (going.stand_ins) {
      add_writes(*going.stand_ins);
    }
  }
  std::ranges::for_each(order.skills, add_writes);
  return intents;
}

bool makes_copies(const PendingSkill& pending) {
  return std::ranges::any_of(
      pending.writes, [](const PendingWrite& write) { return !write.expected && !write.link; });
}

} // namespace

void KnownBefore::keep(const std::string& name) {
  const Skill* known = m_scope.find(m_state.key_of(name));
  m_skills.try_emplace(name, known != nullptr ? std::optional(*known) : std::nullopt);
}

void KnownBefore::put_back(const std::string& name) {
  auto kept = m_skills.find(name);
  if (kept == m_skills.end()) {
    return;
  }
  const std::string key = m_state.key_of(name);
  Skill* now = m_scope.find(key);
  for (RootIndex i = 0; now != nullptr && i < m_scope.roots.size(); ++i) {
    if (now->find(i) != nullptr) {
      m_scope.agree(*now, i, std::nullopt); // a root counts what is agreed in it
    }
  }
  if (!kept->second) {
    m_scope.remove(key);
    return;
  }
  if (now == nullptr) {
    now = &m_scope.add(key, name);
  }
  for (const Replica& replica : kept->second->replicas) {
    m_scope.agree(*now, replica.root, replica.base);
  }
  *now = *kept->second;
}

void KnownBefore::put_back_all() {
  for (const auto& [name, skill] : m_skills) {
    put_back(name);
  }
  m_scope.conflicts = m_conflicts;
  m_scope.notes = m_notes;
  m_scope.deletions = m_deletions;
}

// What an earlier order left is over before this one is decided.
void RoundRun::take_back_earlier() {
  if (m_work.dry_run) {
    return;
  }
  Result<std::vector<std::string>> told = take_back_interrupted(m_state, m_work.now);
  warn_if(told);
  for (std::string& one : told ? *told : std::vector<std::string>()) {
    warn({ErrorCode::changed, std::move(one), {}});
  }
}

// A batch as large as the order: what is staged lies on the disk, and only trees are in memory. So
// all that may fail of it, but for renames, fails before anything is in place. What is about to be
// done is on record before the first rename, and what was agreed takes its place in one
// transaction: a process that ends in between leaves a database that knows nothing of the order but
// what must be taken back.
Result<void> RoundRun::carry_out(Scope& scope, Order& order) {
  const std::vector<store::IntentRow> intents = intents_of(scope, order);
  m_state.unsynced = m_state.unsynced || !intents.empty();
  bool makes_new = std::ranges::any_of(order.skills, makes_copies)
                   || std::ranges::any_of(order.going, [](const Going& going) {
                        return going.stand_ins && makes_copies(*going.stand_ins);
                      });
  if (makes_new) {
    TRY(make_durable(m_state)); // as in flush()
  }
  TRY(m_state.store.add_intents(intents));
  Result<void> done = carry_out_once(scope, order);
  if (done) {
    return done;
  }
  std::vector<std::string> stays = sync::take_back(m_state, intents, m_work.now);
  if (stays.empty()) {
    warn_if(m_state.store.remove_intents());
  } // else it is tried once more, at the next order or start
  for (std::string& told : stays) {
    warn({ErrorCode::changed, std::move(told), {}});
  }
  return done;
}

Result<void> RoundRun::carry_out_once(Scope& scope, Order& order) {
  TRY_ASSIGN(store::Transaction transaction, m_state.store.begin());
  TRY(open_conflicts(scope, order.skills));
  m_failure.reset();
  for (Going& going : order.going) {
    TRY(take_out_all(scope, going));
    TRY(record_taken(scope, going));
  }
  for (PendingSkill& pending : order.skills) {
    store::HistoryRow history;
    swap_in(scope, pending, history);
    if (m_failure) {
      return fail(*m_failure);
    }
    if (scope.deletions.contains(pending.name)) {
      forget_deletion(scope, pending.name);
    }
    TRY(record(scope, pending, history));
    if (Skill* skill = scope.find(m_state.key_of(pending.name))) {
      skill->unrecorded = false;
    }
  }
  TRY(m_state.store.remove_intents());
  TRY(m_state.store.remove_made_folders(order.made_folders));
  TRY(transaction.commit());
  for (const PendingSkill& pending : order.skills) {
    scope.retries.erase(pending.name);
    scope.notes.erase(pending.name);
  }
  return {};
}

// Nothing of it is in place any more.
void RoundRun::give_up(Order& order) {
  auto remove_staged = [&](const PendingSkill& pending) {
    for (const PendingWrite& write : pending.writes) {
      if (!write.swapped) {
        (void)m_state.files.remove_tree(write.staged.path);
      }
    }
  };
  std::ranges::for_each(order.skills, remove_staged);
  for (const Going& going : order.going) {
    if (going.stand_ins) {
      remove_staged(*going.stand_ins);
    }
  }
  for (const std::string& folder : order.conflict_folders) {
    warn_if(m_state.conflict_folders.remove(folder));
  }
  order.known.put_back_all();
  if (!m_work.dry_run) {
    warn_if(take_back_folders(m_state));
  }
}

// Which of the folders above and this one are about to be made: on record before they are, or who
// is killed meanwhile leaves folders that nobody wants.
Result<void> RoundRun::note_missing(const std::string& folder) {
  std::vector<std::string> missing;

  struct stat status {};

  for (std::string at = folder;
       m_order != nullptr && at != "/" && ::stat(at.c_str(), &status) != 0 && errno == ENOENT;
       at = parent_path(at)) {
    missing.push_back(at);
  }
  if (missing.empty()) {
    return {};
  }
  std::ranges::reverse(missing);
  TRY(m_state.store.add_made_folders(missing));
  std::ranges::move(missing, std::back_inserter(m_order->made_folders));
  return {};
}

} // namespace upskill::sync
