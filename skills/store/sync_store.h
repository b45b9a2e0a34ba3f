#pragma once
#include "skills/store/database.h"
#include "skills/store/sync_rows.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::store {

enum class TreeRecord { leave, read };

// Returns false to end the visit.
using VisitSkill = std::function<bool(const SkillView&)>;

// sync.db: what the sync engine remembers between two looks at the disk. The only SQL on it is in
// sync_schema.cpp and sync_store_*.cpp. Used by one thread at a time, as its Database.
//
// A put_ function with id 0 adds the row, or replaces the one with the same unique key; with an id
// it replaces that row, not_found when it is gone. It returns the id. Removing what is not there is
// no error. Every function may be called inside a transaction of begin(); a visitor must not write.
class SyncStore {
public:
  // Errors as of Database::open; corrupt too where a row of a scope, root or skill cannot be read.
  static Result<SyncStore> open(const std::string& path);

  Result<Transaction> begin() { return m_database.begin(); }

  Result<std::optional<std::string>> setting(std::string_view key);
  Result<void> set_setting(std::string_view key, std::string_view value);

  Result<std::vector<ScopeRow>> scopes(); // by id
  Result<std::optional<ScopeRow>> find_scope(std::string_view path);
  Result<Id> put_scope(const ScopeRow& row);

  Result<std::vector<RootRow>> roots(); // by scope, priority, id
  Result<Id> put_root(const RootRow& row);

  // By id; the trees only where they are asked for.
  Result<void> each_skill(TreeRecord tree, const VisitSkill& visit);
  Result<std::optional<SkillRow>> skill(Id id);
  Result<std::optional<SkillRow>> find_skill(Id scope, std::string_view key);
  Result<Id> put_skill(const SkillRow& row);
  // The last agreed tree; none: nothing was ever agreed. The record is that of sync::Tree.
  Result<void> set_ancestor(Id id, const std::optional<Digest>& hash, std::string_view tree);
  Result<void> set_replicas(Id id, const std::vector<ReplicaRow>& replicas);
  Result<void> remove_skill(Id id);

  // A number greater than all batches of the history.
  Result<Id> next_batch();
  Result<Id> add_history(const HistoryRow& row); // row.id is not looked at
  // Newest first, at most `limit`; only of `skill` unless that is empty.
  Result<std::vector<HistoryRow>> history(std::string_view skill, std::int64_t limit);
  // The same of all skills, but only what is older than an entry.
  Result<std::vector<HistoryRow>> history_before(Id id, std::int64_t limit);
  // What was done with one skill of a scope after an entry, oldest first.
  Result<std::vector<HistoryRow>> history_after(Id id, Id scope, std::string_view skill);
  Result<std::optional<HistoryRow>> history_entry(Id id);
  Result<void> set_undone(Id id, bool undone);
  // Removes what is older than `before_ms`, but for the newest entry, which keeps its number from
  // being given again. The number of removed entries.
  Result<std::int64_t> purge_history(std::int64_t before_ms);

  Result<Id> add_conflict(const ConflictRow& row); // row.id is not looked at
  // Oldest first; only of `skill` unless that is empty.
  Result<std::vector<ConflictRow>> open_conflicts(std::string_view skill = {});
  Result<std::optional<ConflictRow>> conflict(Id id);
  // The open one of that kind, if any.
  Result<std::optional<ConflictRow>>
  find_conflict(Id scope, std::string_view skill, ConflictKind kind);
  // Its reason and versions, when more versions come to an open conflict.
  Result<void> update_conflict(const ConflictRow& row);
  Result<void> resolve_conflict(Id id, std::int64_t time_ms);
  // Every folder where a version of a conflict is kept, and when that was resolved, if it was.
  Result<void> each_stored_version(
      const std::function<void(std::string_view stored, std::optional<std::int64_t> resolved_ms)>&
          visit);
  // Removes those that were resolved before that time. Their number is not given again.
  Result<std::int64_t> purge_conflicts(std::int64_t before_ms);

  // Added to those that are there; in the order in which they were added.
  Result<void> add_intents(const std::vector<IntentRow>& rows);
  Result<std::vector<IntentRow>> intents();
  Result<void> remove_intents(); // all
  // Those that are there already stay where they are in the sequence.
  Result<void> add_made_folders(const std::vector<std::string>& paths);
  Result<std::vector<std::string>> made_folders(); // in the order in which they were added
  Result<void> remove_made_folders(const std::vector<std::string>& paths);

  // In place of those before.
  Result<void> set_pins(const std::set<Digest>& versions);
  Result<std::set<Digest>> pins();

  // Every version that something still names: ancestors, replicas, open conflicts, pins, and
  // history and resolved conflicts since `since_ms`. A digest may come several times.
  Result<void> each_live_digest(std::int64_t since_ms,
                                const std::function<void(const Digest&)>& visit);

private:
  explicit SyncStore(Database database)
      : m_database(std::move(database)) {}

  Database m_database;
};

} // namespace upskill::store
