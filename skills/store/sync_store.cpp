#include "skills/store/sync_store.h"

#include "skills/store/history_paths.h"
#include "skills/store/replica_record.h"
#include "skills/store/sync_columns.h"
#include "skills/store/sync_schema.h"

namespace upskill::store {

Result<SyncStore> SyncStore::open(const std::string& path) {
  TRY_ASSIGN(Database database, Database::open(path, sync_migrations()));
  SyncStore store(std::move(database));
  // Sound pages may hold rows that cannot be read. What a start needs is read now, while the
  // database can still be put aside.
  TRY(store.scopes());
  TRY(store.roots());
  TRY(store.each_skill(TreeRecord::leave, [](const SkillView&) { return true; }));
  return store;
}

Result<std::optional<std::string>> SyncStore::setting(std::string_view key) {
  TRY_ASSIGN(Statement row, m_database.query("SELECT value FROM settings WHERE key = ?", key));
  TRY_ASSIGN(bool found, row.step());
  return found ? std::optional(std::string(row.text(0))) : std::nullopt;
}

Result<void> SyncStore::set_setting(std::string_view key, std::string_view value) {
  return m_database.run("INSERT INTO settings (key, value) VALUES (?, ?)"
                        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                        key,
                        value);
}

Result<void> SyncStore::each_live_digest(std::int64_t since_ms,
                                         const std::function<void(const Digest&)>& visit) {
  auto visit_if = [&](const std::optional<Digest>& digest) {
    if (digest) {
      visit(*digest);
    }
  };
  TRY_ASSIGN(Statement rows,
             m_database.query(
                 R"sql(SELECT ancestor FROM skills WHERE ancestor IS NOT NULL
UNION SELECT hash FROM pins
UNION SELECT v.hash FROM conflict_versions v JOIN conflicts c ON c.id = v.conflict
  WHERE c.resolved_ms IS NULL OR c.resolved_ms >= ?1
UNION SELECT before FROM history WHERE time_ms >= ?1 AND before IS NOT NULL
UNION SELECT after FROM history WHERE time_ms >= ?1 AND after IS NOT NULL)sql",
                 since_ms));
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      break;
    }
    TRY_ASSIGN(std::optional<Digest> digest, rows.digest(0));
    visit_if(digest);
  }
  TRY_ASSIGN(Statement skills, m_database.prepare("SELECT replicas FROM skills"));
  for (;;) {
    TRY_ASSIGN(bool more, skills.step());
    if (!more) {
      break;
    }
    TRY_ASSIGN(std::vector<ReplicaRow> replicas, decode_replicas(skills.blob(0)));
    for (const ReplicaRow& replica : replicas) {
      visit_if(replica.hash);
    }
  }
  TRY_ASSIGN(Statement entries,
             m_database.query("SELECT paths FROM history WHERE time_ms >= ?", since_ms));
  for (;;) {
    TRY_ASSIGN(bool more, entries.step());
    if (!more) {
      return {};
    }
    TRY_ASSIGN(std::vector<HistoryPath> paths, decode_history_paths(entries.blob(0)));
    for (const HistoryPath& path : paths) {
      visit_if(path.before);
      visit_if(path.after);
    }
  }
}

} // namespace upskill::store
