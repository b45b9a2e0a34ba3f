#include "skills/store/trace_schema.h"

#include <array>

namespace upskill::store {

// What lists and filters read is narrow: texts and states, which are large, are tables of their
// own. Ids never come back, for people remember them. The index has no copy of the texts, and no
// index of prefixes: that would be two and a half times as large, and three letters are found in a
// millisecond without.
std::span<const Migration> trace_migrations() {
  static constexpr std::array k_migrations{Migration(R"sql(
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  harness TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  active_ms INTEGER NOT NULL,
  started_ms INTEGER,
  ended_ms INTEGER,
  updated_ms INTEGER NOT NULL,
  imported_ms INTEGER NOT NULL,
  project TEXT NOT NULL,
  outcome TEXT NOT NULL,
  errors INTEGER NOT NULL,
  is_raw INTEGER NOT NULL,
  object_size INTEGER NOT NULL,
  text_size INTEGER NOT NULL,
  object TEXT NOT NULL,
  reader_version INTEGER NOT NULL,
  rules_version TEXT NOT NULL,
  forked_from TEXT NOT NULL,
  first_id TEXT NOT NULL,
  format TEXT NOT NULL,
  source TEXT NOT NULL,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  source_size INTEGER NOT NULL,
  resume_offset INTEGER NOT NULL,
  branch TEXT NOT NULL,
  title TEXT NOT NULL,
  version TEXT NOT NULL,
  models BLOB NOT NULL,
  records INTEGER NOT NULL,
  prompts INTEGER NOT NULL,
  answers INTEGER NOT NULL,
  tool_calls INTEGER NOT NULL,
  interrupts INTEGER NOT NULL,
  corrections INTEGER NOT NULL,
  unknown INTEGER NOT NULL,
  unreadable INTEGER NOT NULL,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cache_read_tokens INTEGER,
  cache_write_tokens INTEGER,
  cost REAL,
  redacted INTEGER NOT NULL,
  candidates INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_activity ON sessions (active_ms, id);
CREATE INDEX sessions_by_name ON sessions (session);
CREATE INDEX sessions_by_helper ON sessions (agent) WHERE agent <> '';
CREATE INDEX sessions_by_source ON sessions (source);
CREATE INDEX sessions_by_first ON sessions (harness, first_id) WHERE first_id <> '';
CREATE TABLE session_states (
  session INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  state BLOB NOT NULL
) STRICT;
CREATE TABLE session_skills (
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  skill TEXT NOT NULL,
  uses INTEGER NOT NULL,
  PRIMARY KEY (session, skill)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_skill ON session_skills (skill, session);
CREATE TABLE session_tools (
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  calls INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  PRIMARY KEY (session, tool)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_tool ON session_tools (tool, session);
CREATE TABLE findings (
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  rule TEXT NOT NULL,
  count INTEGER NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (session, rule)
) STRICT, WITHOUT ROWID;
CREATE TABLE texts (
  session INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  text BLOB NOT NULL
) STRICT;
CREATE VIRTUAL TABLE session_words USING fts5 (
  title, prompts, answers, work, content = '', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TABLE purged (
  key TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  source_size INTEGER NOT NULL,
  purged_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX purged_by_source ON purged (source);
CREATE INDEX purged_by_time ON purged (purged_ms);
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE capture_rules (
  agent TEXT NOT NULL,
  folder TEXT NOT NULL,
  capture TEXT NOT NULL,
  PRIMARY KEY (agent, folder)
) STRICT, WITHOUT ROWID;
)sql")};
  return k_migrations;
}

} // namespace upskill::store
