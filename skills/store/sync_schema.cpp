#include "skills/store/sync_schema.h"

#include <array>

namespace upskill::store {

std::span<const Migration> sync_migrations() {
  // AUTOINCREMENT where an id outlives its row: history names scopes, people name conflicts. `tree`
  // is the last column, so that the others are read without it. No index that only a person's rare
  // question needs, as each costs with every change; but undo asks for what came later of a skill,
  // and all other skills wait while it reads a long log. An index ends with the id of its row.
  //
  // `intents`: of the order that is being carried out; there is one at a time. `pins`: versions
  // that are kept although nothing else here names them. `made_folders`: for an order that has not
  // come to its end.
  static constexpr std::array k_migrations{Migration(R"sql(
CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE scopes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  enabled INTEGER NOT NULL,
  policy TEXT NOT NULL,
  settings TEXT NOT NULL
) STRICT;

CREATE TABLE roots (
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  priority INTEGER NOT NULL,
  skill_count INTEGER NOT NULL,
  UNIQUE (scope, path)
) STRICT;

CREATE TABLE skills (
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  ancestor BLOB,
  state TEXT NOT NULL,
  replicas BLOB NOT NULL,
  tree BLOB NOT NULL,
  UNIQUE (scope, key)
) STRICT;

CREATE TABLE history (
  id INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  batch INTEGER NOT NULL,
  action TEXT NOT NULL,
  skill TEXT NOT NULL,
  scope INTEGER NOT NULL,
  source TEXT NOT NULL,
  before BLOB,
  after BLOB,
  undone INTEGER NOT NULL,
  reason TEXT NOT NULL,
  paths BLOB NOT NULL
) STRICT;
CREATE INDEX history_of_skill ON history (scope, skill);

CREATE TABLE conflicts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  scope INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  skill TEXT NOT NULL,
  kind TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  resolved_ms INTEGER
) STRICT;
CREATE INDEX conflicts_open ON conflicts (scope, skill) WHERE resolved_ms IS NULL;

CREATE TABLE conflict_versions (
  conflict INTEGER NOT NULL REFERENCES conflicts (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  hash BLOB NOT NULL,
  path TEXT NOT NULL,
  winner INTEGER NOT NULL,
  stored TEXT NOT NULL,
  PRIMARY KEY (conflict, position)
) STRICT, WITHOUT ROWID;
)sql"),
                                           Migration(R"sql(
CREATE TABLE intents (
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  skill TEXT NOT NULL,
  root TEXT NOT NULL,
  before BLOB,
  after BLOB,
  link_before TEXT NOT NULL,
  link_after TEXT NOT NULL
) STRICT;

CREATE TABLE pins (
  hash BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;
)sql"),
                                           Migration(R"sql(
CREATE TABLE made_folders (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) STRICT;
)sql")};
  return k_migrations;
}

} // namespace upskill::store
