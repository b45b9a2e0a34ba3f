#include "skills/store/sync_columns.h"
#include "skills/store/sync_store.h"

namespace upskill::store {
namespace {

Result<std::vector<ConflictVersionRow>> versions_of(Database& database, Id conflict) {
  TRY_ASSIGN(Statement rows,
             database.query("SELECT hash, path, winner, stored FROM conflict_versions"
                            " WHERE conflict = ? ORDER BY position",
                            conflict));
  std::vector<ConflictVersionRow> versions;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return versions;
    }
    TRY_ASSIGN(std::optional<Digest> hash, rows.digest(0));
    versions.push_back({.hash = hash.value_or(Digest()),
                        .path = std::string(rows.text(1)),
                        .winner = rows.integer(2) != 0,
                        .stored = std::string(rows.text(3))});
  }
}

// Of `SELECT id, scope, skill, kind, time_ms, reason, resolved_ms`.
Result<std::vector<ConflictRow>> conflicts_of(Database& database, Statement rows) {
  std::vector<ConflictRow> conflicts;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return conflicts;
    }
    ConflictRow& conflict = conflicts.emplace_back();
    conflict.id = rows.integer(0);
    conflict.scope = rows.integer(1);
    conflict.skill = rows.text(2);
    TRY_ASSIGN(conflict.kind, enum_column<ConflictKind>(rows, 3));
    conflict.time_ms = rows.integer(4);
    conflict.reason = rows.text(5);
    conflict.resolved_ms = optional_number(rows, 6);
    TRY_ASSIGN(conflict.versions, versions_of(database, conflict.id));
  }
}

Result<std::optional<ConflictRow>> one_conflict(Database& database, Statement rows) {
  TRY_ASSIGN(std::vector<ConflictRow> conflicts, conflicts_of(database, std::move(rows)));
  return conflicts.empty() ? std::nullopt : std::optional(std::move(conflicts.front()));
}

Result<void> add_versions(Database& database, Id id, const ConflictRow& row) {
  std::int64_t position = 0;
  for (const ConflictVersionRow& version : row.versions) {
    TRY(database.run("INSERT INTO conflict_versions (conflict, position, hash, path, winner,"
                     " stored) VALUES (?, ?, ?, ?, ?, ?)",
                     id,
                     position++,
                     version.hash,
                     version.path,
                     version.winner,
                     version.stored));
  }
  return {};
}

} // namespace

Result<Id> SyncStore::add_conflict(const ConflictRow& row) {
  TRY_ASSIGN(Transaction transaction, begin());
  TRY(m_database.run("INSERT INTO conflicts (scope, skill, kind, time_ms, reason, resolved_ms)"
                     " VALUES (?, ?, ?, ?, ?, ?)",
                     row.scope,
                     row.skill,
                     enum_name(row.kind),
                     row.time_ms,
                     row.reason,
                     row.resolved_ms));
  Id id = m_database.last_insert_id();
  TRY(add_versions(m_database, id, row));
  TRY(transaction.commit());
  return id;
}

Result<std::vector<ConflictRow>> SyncStore::open_conflicts(std::string_view skill) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, scope, skill, kind, time_ms, reason, resolved_ms"
                              " FROM conflicts WHERE resolved_ms IS NULL"
                              " AND (?1 = '' OR skill = ?1) ORDER BY id",
                              skill));
  return conflicts_of(m_database, std::move(rows));
}

Result<std::optional<ConflictRow>> SyncStore::conflict(Id id) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, scope, skill, kind, time_ms, reason, resolved_ms"
                              " FROM conflicts WHERE id = ?",
                              id));
  return one_conflict(m_database, std::move(rows));
}

Result<std::optional<ConflictRow>>
SyncStore::find_conflict(Id scope, std::string_view skill, ConflictKind kind) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, scope, skill, kind, time_ms, reason, resolved_ms"
                              " FROM conflicts WHERE resolved_ms IS NULL AND scope = ?"
                              " AND skill = ? AND kind = ? ORDER BY id LIMIT 1",
                              scope,
                              skill,
                              enum_name(kind)));
  return one_conflict(m_database, std::move(rows));
}

Result<void> SyncStore::update_conflict(const ConflictRow& row) {
  TRY_ASSIGN(Transaction transaction, begin());
  TRY_ASSIGN(
      Statement update,
      m_database.query("UPDATE conflicts SET skill = ?, reason = ? WHERE id = ? RETURNING id",
                       row.skill,
                       row.reason,
                       row.id));
  TRY(returned_id(std::move(update), "conflict", row.id));
  TRY(m_database.run("DELETE FROM conflict_versions WHERE conflict = ?", row.id));
  TRY(add_versions(m_database, row.id, row));
  return transaction.commit();
}

Result<void> SyncStore::resolve_conflict(Id id, std::int64_t time_ms) {
  TRY_ASSIGN(Statement update,
             m_database.query(
                 "UPDATE conflicts SET resolved_ms = ? WHERE id = ? RETURNING id", time_ms, id));
  TRY(returned_id(std::move(update), "conflict", id));
  return {};
}

Result<void> SyncStore::each_stored_version(
    const std::function<void(std::string_view stored, std::optional<std::int64_t> resolved_ms)>&
        visit) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT v.stored, c.resolved_ms FROM conflict_versions v"
                              " JOIN conflicts c ON c.id = v.conflict WHERE v.stored != ''"));
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return {};
    }
    visit(rows.text(0), optional_number(rows, 1));
  }
}

Result<std::int64_t> SyncStore::purge_conflicts(std::int64_t before_ms) {
  TRY(m_database.run("DELETE FROM conflicts WHERE resolved_ms < ?", before_ms));
  return m_database.changes();
}

} // namespace upskill::store
