#include "skills/store/sync_columns.h"
#include "skills/store/sync_store.h"

namespace upskill::store {
namespace {

Result<ScopeRow> scope_of(const Statement& row) {
  TRY_ASSIGN(SyncPolicy policy, enum_column<SyncPolicy>(row, 3));
  return ScopeRow{.id = row.integer(0),
                  .path = std::string(row.text(1)),
                  .enabled = row.integer(2) != 0,
                  .policy = policy,
                  .settings = std::string(row.text(4))};
}

Result<RootRow> root_of(const Statement& row) {
  TRY_ASSIGN(RootState state, enum_column<RootState>(row, 5));
  return RootRow{.id = row.integer(0),
                 .scope = row.integer(1),
                 .path = std::string(row.text(2)),
                 // SQLite's integers are signed; the bits are kept.
                 .device = static_cast<std::uint64_t>(row.integer(3)),
                 .inode = static_cast<std::uint64_t>(row.integer(4)),
                 .state = state,
                 .reason = std::string(row.text(6)),
                 .priority = row.integer(7),
                 .skill_count = row.integer(8)};
}

} // namespace

Result<std::vector<ScopeRow>> SyncStore::scopes() {
  TRY_ASSIGN(
      Statement rows,
      m_database.query("SELECT id, path, enabled, policy, settings FROM scopes ORDER BY id"));
  std::vector<ScopeRow> scopes;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return scopes;
    }
    TRY_ASSIGN(scopes.emplace_back(), scope_of(rows));
  }
}

Result<std::optional<ScopeRow>> SyncStore::find_scope(std::string_view path) {
  TRY_ASSIGN(Statement row,
             m_database.query(
                 "SELECT id, path, enabled, policy, settings FROM scopes WHERE path = ?", path));
  TRY_ASSIGN(bool found, row.step());
  if (!found) {
    return std::optional<ScopeRow>();
  }
  TRY_ASSIGN(ScopeRow scope, scope_of(row));
  return std::optional(std::move(scope));
}

Result<Id> SyncStore::put_scope(const ScopeRow& row) {
  std::string_view policy = enum_name(row.policy);
  if (row.id == 0) {
    TRY_ASSIGN(Statement insert,
               m_database.query("INSERT INTO scopes (path, enabled, policy, settings)"
                                " VALUES (?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET"
                                " enabled = excluded.enabled, policy = excluded.policy,"
                                " settings = excluded.settings RETURNING id",
                                row.path,
                                row.enabled,
                                policy,
                                row.settings));
    return returned_id(std::move(insert), "scope", row.id);
  }
  TRY_ASSIGN(Statement update,
             m_database.query("UPDATE scopes SET path = ?, enabled = ?, policy = ?, settings = ?"
                              " WHERE id = ? RETURNING id",
                              row.path,
                              row.enabled,
                              policy,
                              row.settings,
                              row.id));
  return returned_id(std::move(update), "scope", row.id);
}

Result<std::vector<RootRow>> SyncStore::roots() {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, scope, path, device, inode, state, reason, priority,"
                              " skill_count FROM roots ORDER BY scope, priority, id"));
  std::vector<RootRow> roots;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return roots;
    }
    TRY_ASSIGN(roots.emplace_back(), root_of(rows));
  }
}

Result<Id> SyncStore::put_root(const RootRow& row) {
  auto device = static_cast<std::int64_t>(row.device);
  auto inode = static_cast<std::int64_t>(row.inode);
  std::string_view state = enum_name(row.state);
  if (row.id == 0) {
    TRY_ASSIGN(Statement insert,
               m_database.query("INSERT INTO roots (scope, path, device, inode, state, reason,"
                                " priority, skill_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                                " ON CONFLICT (scope, path) DO UPDATE SET device = excluded.device,"
                                " inode = excluded.inode, state = excluded.state,"
                                " reason = excluded.reason, priority = excluded.priority,"
                                " skill_count = excluded.skill_count RETURNING id",
                                row.scope,
                                row.path,
                                device,
                                inode,
                                state,
                                row.reason,
                                row.priority,
                                row.skill_count));
    return returned_id(std::move(insert), "root", row.id);
  }
  TRY_ASSIGN(Statement update,
             m_database.query("UPDATE roots SET scope = ?, path = ?, device = ?, inode = ?,"
                              " state = ?, reason = ?, priority = ?, skill_count = ?"
                              " WHERE id = ? RETURNING id",
                              row.scope,
                              row.path,
                              device,
                              inode,
                              state,
                              row.reason,
                              row.priority,
                              row.skill_count,
                              row.id));
  return returned_id(std::move(update), "root", row.id);
}

} // namespace upskill::store
