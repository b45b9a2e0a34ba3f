#include "skills/store/sync_columns.h"
#include "skills/store/sync_store.h"

namespace upskill::store {

Result<void> SyncStore::add_intents(const std::vector<IntentRow>& rows) {
  TRY_ASSIGN(Transaction transaction, begin());
  for (const IntentRow& row : rows) {
    TRY(m_database.run("INSERT INTO intents (scope, skill, root, before, after, link_before,"
                       " link_after) VALUES (?, ?, ?, ?, ?, ?, ?)",
                       row.scope,
                       row.skill,
                       row.root,
                       row.before,
                       row.after,
                       row.link_before,
                       row.link_after));
  }
  return transaction.commit();
}

Result<std::vector<IntentRow>> SyncStore::intents() {
  TRY_ASSIGN(Statement rows,
             m_database.prepare("SELECT scope, skill, root, before, after, link_before, link_after"
                                " FROM intents ORDER BY id"));
  std::vector<IntentRow> intents;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return intents;
    }
    IntentRow& row = intents.emplace_back();
    row.scope = rows.integer(0);
    row.skill = rows.text(1);
    row.root = rows.text(2);
    TRY_ASSIGN(row.before, rows.digest(3));
    TRY_ASSIGN(row.after, rows.digest(4));
    row.link_before = rows.text(5);
    row.link_after = rows.text(6);
  }
}

Result<void> SyncStore::remove_intents() {
  return m_database.run("DELETE FROM intents");
}

Result<void> SyncStore::add_made_folders(const std::vector<std::string>& paths) {
  TRY_ASSIGN(Transaction transaction, begin());
  for (const std::string& path : paths) {
    TRY(m_database.run("INSERT OR IGNORE INTO made_folders (path) VALUES (?)", path));
  }
  return transaction.commit();
}

Result<std::vector<std::string>> SyncStore::made_folders() {
  TRY_ASSIGN(Statement rows, m_database.prepare("SELECT path FROM made_folders ORDER BY id"));
  std::vector<std::string> paths;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return paths;
    }
    paths.emplace_back(rows.text(0));
  }
}

Result<void> SyncStore::remove_made_folders(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    TRY(m_database.run("DELETE FROM made_folders WHERE path = ?", path));
  }
  return {};
}

Result<std::set<Digest>> SyncStore::pins() {
  TRY_ASSIGN(Statement rows, m_database.prepare("SELECT hash FROM pins"));
  std::set<Digest> pins;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return pins;
    }
    TRY_ASSIGN(std::optional<Digest> hash, rows.digest(0));
    if (hash) {
      pins.insert(*hash);
    }
  }
}

// Most are as they were: of a thousand an order changes one.
Result<void> SyncStore::set_pins(const std::set<Digest>& versions) {
  TRY_ASSIGN(std::set<Digest> before, pins());
  if (before == versions) {
    return {};
  }
  TRY_ASSIGN(Transaction transaction, begin());
  for (const Digest& version : before) {
    if (!versions.contains(version)) {
      TRY(m_database.run("DELETE FROM pins WHERE hash = ?", version));
    }
  }
  for (const Digest& version : versions) {
    if (!before.contains(version)) {
      TRY(m_database.run("INSERT INTO pins (hash) VALUES (?)", version));
    }
  }
  return transaction.commit();
}

} // namespace upskill::store
