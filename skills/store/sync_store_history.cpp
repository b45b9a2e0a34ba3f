#include "skills/store/history_paths.h"
#include "skills/store/sync_columns.h"
#include "skills/store/sync_store.h"

namespace upskill::store {
namespace {

// Of `SELECT id, time_ms, batch, action, skill, scope, source, before, after, undone, reason,
// paths`.
Result<HistoryRow> entry_of(const Statement& row) {
  HistoryRow entry{.id = row.integer(0),
                   .time_ms = row.integer(1),
                   .batch = row.integer(2),
                   .skill = std::string(row.text(4)),
                   .scope = row.integer(5),
                   .from = std::string(row.text(6)),
                   .undone = row.integer(9) != 0,
                   .reason = std::string(row.text(10))};
  TRY_ASSIGN(entry.action, enum_column<SyncAction>(row, 3));
  TRY_ASSIGN(entry.before, row.digest(7));
  TRY_ASSIGN(entry.after, row.digest(8));
  TRY_ASSIGN(entry.paths, decode_history_paths(row.blob(11)));
  return entry;
}

Result<std::vector<HistoryRow>> entries_of(Statement rows) {
  std::vector<HistoryRow> entries;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return entries;
    }
    TRY_ASSIGN(HistoryRow entry, entry_of(rows));
    entries.push_back(std::move(entry));
  }
}

} // namespace

Result<Id> SyncStore::next_batch() {
  TRY_ASSIGN(Statement row,
             m_database.query(
                 "SELECT coalesce((SELECT batch FROM history ORDER BY id DESC LIMIT 1), 0) + 1"));
  TRY(row.step());
  return row.integer(0);
}

Result<Id> SyncStore::add_history(const HistoryRow& row) {
  TRY_ASSIGN(std::string paths, encode_history_paths(row.paths));
  TRY(m_database.run("INSERT INTO history (time_ms, batch, action, skill, scope, source, before,"
                     " after, undone, reason, paths) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     row.time_ms,
                     row.batch,
                     enum_name(row.action),
                     row.skill,
                     row.scope,
                     row.from,
                     row.before,
                     row.after,
                     row.undone,
                     row.reason,
                     Blob{paths}));
  return m_database.last_insert_id();
}

Result<std::vector<HistoryRow>> SyncStore::history(std::string_view skill, std::int64_t limit) {
  // A negative LIMIT would mean none.
  std::int64_t most = std::max<std::int64_t>(limit, 0);
  if (skill.empty()) {
    TRY_ASSIGN(
        Statement rows,
        m_database.query("SELECT id, time_ms, batch, action, skill, scope, source, before,"
                         " after, undone, reason, paths FROM history ORDER BY id DESC LIMIT ?",
                         most));
    return entries_of(std::move(rows));
  }
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, time_ms, batch, action, skill, scope, source, before,"
                              " after, undone, reason, paths FROM history WHERE skill = ?"
                              " ORDER BY id DESC LIMIT ?",
                              skill,
                              most));
  return entries_of(std::move(rows));
}

Result<std::vector<HistoryRow>> SyncStore::history_before(Id id, std::int64_t limit) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, time_ms, batch, action, skill, scope, source, before,"
                              " after, undone, reason, paths FROM history WHERE id < ?"
                              " ORDER BY id DESC LIMIT ?",
                              id,
                              std::max<std::int64_t>(limit, 0)));
  return entries_of(std::move(rows));
}

Result<std::vector<HistoryRow>> SyncStore::history_after(Id id, Id scope, std::string_view skill) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, time_ms, batch, action, skill, scope, source, before,"
                              " after, undone, reason, paths FROM history"
                              " WHERE id > ? AND scope = ? AND skill = ? ORDER BY id",
                              id,
                              scope,
                              skill));
  return entries_of(std::move(rows));
}

Result<std::optional<HistoryRow>> SyncStore::history_entry(Id id) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, time_ms, batch, action, skill, scope, source, before,"
                              " after, undone, reason, paths FROM history WHERE id = ?",
                              id));
  TRY_ASSIGN(std::vector<HistoryRow> entries, entries_of(std::move(rows)));
  return entries.empty() ? std::nullopt : std::optional(std::move(entries.front()));
}

Result<void> SyncStore::set_undone(Id id, bool undone) {
  TRY_ASSIGN(
      Statement update,
      m_database.query("UPDATE history SET undone = ? WHERE id = ? RETURNING id", undone, id));
  TRY(returned_id(std::move(update), "history entry", id));
  return {};
}

Result<std::int64_t> SyncStore::purge_history(std::int64_t before_ms) {
  TRY(m_database.run("DELETE FROM history WHERE time_ms < ?"
                     " AND id < (SELECT max(id) FROM history)",
                     before_ms));
  return m_database.changes();
}

} // namespace upskill::store
