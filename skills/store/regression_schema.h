#pragma once
#include "skills/store/database.h"

namespace upskill::store {

// Version 2 of evals.db: what watching skills knows. Once released, it is never edited: a change is
// one more migration in eval_store.cpp. Records come last, so that lists do not read them. A look
// is a version that was tested since an acceptance, by its number, and goes with it.
inline constexpr Migration k_regression_schema(R"sql(
CREATE TABLE accepted_versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  skill TEXT NOT NULL,
  version BLOB NOT NULL,
  watch_file BLOB,
  accepted_ms INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  record TEXT NOT NULL,
  UNIQUE (skill, version)
) STRICT;
CREATE TABLE looks (
  accepted INTEGER NOT NULL REFERENCES accepted_versions (id) ON DELETE CASCADE,
  version BLOB NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (accepted, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE verdicts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  skill TEXT NOT NULL,
  accepted BLOB NOT NULL,
  version BLOB NOT NULL,
  cases BLOB NOT NULL,
  model TEXT NOT NULL,
  student TEXT NOT NULL,
  measure TEXT NOT NULL,
  verdict TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  finished_ms INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost REAL,
  bytes INTEGER NOT NULL,
  record TEXT NOT NULL,
  UNIQUE (skill, accepted, version, cases, model, student, measure)
) STRICT;
CREATE INDEX verdicts_by_skill ON verdicts (skill, id);
CREATE TABLE spendings (
  skill TEXT NOT NULL,
  minute INTEGER NOT NULL,
  usd REAL NOT NULL CHECK (usd >= 0),
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
  runs INTEGER NOT NULL CHECK (runs >= 0),
  PRIMARY KEY (skill, minute)
) STRICT, WITHOUT ROWID;
CREATE TABLE tests_under_way (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  skill TEXT NOT NULL,
  version BLOB NOT NULL,
  subject TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  outcomes TEXT NOT NULL,
  UNIQUE (skill, version, subject)
) STRICT;
)sql");

// Version 3: versions of skills that were looked at, whether tested or not.
inline constexpr Migration k_versions_schema(R"sql(
CREATE TABLE versions_seen (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  skill TEXT NOT NULL,
  version BLOB NOT NULL,
  first_ms INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  record TEXT NOT NULL,
  UNIQUE (skill, version)
) STRICT;
CREATE INDEX verdicts_by_version ON verdicts (skill, version, id);
)sql");

} // namespace upskill::store
