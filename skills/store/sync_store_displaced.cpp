#include "skills/store/sync_columns.h"
#include "skills/store/sync_store.h"

namespace upskill::store {

Result<Id> SyncStore::put_displaced(const DisplacedRow& row) {
  if (row.id == 0) {
    TRY_ASSIGN(Statement insert,
               m_database.query("INSERT INTO displaced (kind, path, expected, since_ms, skill,"
                                " root) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET"
                                " kind = excluded.kind, expected = excluded.expected,"
                                " since_ms = excluded.since_ms, skill = excluded.skill,"
                                " root = excluded.root RETURNING id",
                                enum_name(row.kind),
                                row.path,
                                row.expected,
                                row.since_ms,
                                row.skill,
                                row.root));
    return returned_id(std::move(insert), "displaced folder", row.id);
  }
  TRY_ASSIGN(Statement update,
             m_database.query("UPDATE displaced SET kind = ?, path = ?, expected = ?,"
                              " since_ms = ?, skill = ?, root = ? WHERE id = ? RETURNING id",
                              enum_name(row.kind),
                              row.path,
                              row.expected,
                              row.since_ms,
                              row.skill,
                              row.root,
                              row.id));
  return returned_id(std::move(update), "displaced folder", row.id);
}

Result<std::vector<DisplacedRow>> SyncStore::displaced() {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, kind, path, expected, since_ms, skill, root"
                              " FROM displaced ORDER BY since_ms, id"));
  std::vector<DisplacedRow> displaced;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return displaced;
    }
    DisplacedRow& row = displaced.emplace_back();
    row.id = rows.integer(0);
    TRY_ASSIGN(row.kind, enum_column<DisplacedKind>(rows, 1));
    row.path = rows.text(2);
    TRY_ASSIGN(row.expected, rows.digest(3));
    row.since_ms = rows.integer(4);
    row.skill = rows.text(5);
    row.root = rows.text(6);
  }
}

Result<void> SyncStore::remove_displaced(Id id) {
  return m_database.run("DELETE FROM displaced WHERE id = ?", id);
}

} // namespace upskill::store
