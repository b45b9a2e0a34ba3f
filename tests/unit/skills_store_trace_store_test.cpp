#include "skills/store/trace_objects.h"
#include "skills/store/trace_store.h"
#include "skills_store_sessions.h"

#include <doctest/doctest.h>

#include <sqlite3.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::store;
using namespace store_test;

TEST_SUITE("TraceStore") {
  TEST_CASE("everything of a session comes back, over a restart") {
    Folder folder;
    SessionRow row{.harness = "claude",
                   .session = "0b5e",
                   .agent = "agent-1",
                   .forked_from = "77aa",
                   .format = "claude",
                   .source = "/home/a/\xFF.jsonl",
                   .device = ~std::uint64_t{0},
                   .inode = 12,
                   .source_size = 1000,
                   .resume_offset = 990,
                   .object = "claude/0b5e.zst",
                   .object_size = 300,
                   .text_size = 900,
                   .reader_version = 3,
                   .rules_version = "r7",
                   .project = "/home/a/p",
                   .branch = "main",
                   .title = "Fix \u00e4",
                   .version = "2.1.0",
                   .models = {"opus", "haiku"},
                   .started_ms = 100,
                   .ended_ms = 200,
                   .updated_ms = 300,
                   .imported_ms = 250,
                   .counts = {1, 2, 3, 4, 5, 6, 7, 8, 9},
                   .tokens = {.input = 10, .output = 0, .cache_read = {}, .cost = 0.25},
                   .outcome = "corrected",
                   .redacted = 2,
                   .candidates = 1,
                   .first_id = "u-1",
                   .state = std::string("\0\xFFx", 3),
                   .is_raw = true,
                   .skills = {{"git", 2}, {"pdf", 1}},
                   .tools = {{"Bash", 9, 2}, {"Read", 4, 0}}};
    {
      TraceStore store = open_store(folder);
      row.id = value_of(store.put_session(row, IndexText{"t", "p", "a", "w"}));
    }
    TraceStore store = open_store(folder);
    CHECK(value_of(store.find(row.id)) == row);
    CHECK(value_of(store.find_key("claude/0b5e/agent-1")) == row);
    CHECK(value_of(store.index_text(row.id)) == IndexText{"t", "p", "a", "w"});
    SessionRow listed = row;
    listed.state.clear();
    CHECK(value_of(store.list({}, std::nullopt, 9)) == std::vector{listed});
    CHECK(value_of(store.find_by_source(row.source)) == std::vector{listed});
    CHECK(value_of(store.find_by_first_id("claude", "u-1")) == std::vector{listed});
    CHECK(value_of(store.find_by_first_id("codex", "u-1")).empty());
    CHECK(value_of(store.find_by_first_id("claude", "")).empty());
    CHECK_FALSE(value_of(store.find(row.id + 1)));
    CHECK_FALSE(value_of(store.find_key("claude/0b5e")));
  }

  TEST_CASE("a session that is put again keeps its id and when it came, and is all new else") {
    Folder folder;
    TraceStore store = open_store(folder);
    SessionRow row = session("a", 100);
    row.imported_ms = 5;
    row.skills = {{"git", 1}};
    row.tokens.cost = 1;
    std::int64_t id = value_of(store.put_session(row));
    SessionRow next = session("a", 900);
    next.imported_ms = 6;
    next.tools = {{"Bash", 1, 1}};
    CHECK(value_of(store.put_session(next)) == id);
    next.id = id;
    next.imported_ms = 5;
    CHECK(value_of(store.find(id)) == next);
    CHECK(value_of(store.totals()).sessions == 1);
  }

  TEST_CASE("what is searched for follows the session in every step") {
    Folder folder;
    TraceStore store = open_store(folder);
    std::int64_t id = value_of(
        store.put_session(session("a", 1), IndexText{.title = "alpha", .prompts = "beta gamma"}));
    value_of(store.put_session(session("b", 2), IndexText{.work = "beta"}));
    CHECK(found(store, "alpha") == "a ");
    CHECK(found(store, "beta") == "a b ");
    value_of(store.put_session(session("a", 1), IndexText{.title = "delta", .answers = "gamma"}));
    CHECK(found(store, "alpha") == "");
    CHECK(found(store, "beta") == "b ");
    CHECK(found(store, "delta gamma") == "a ");
    // Without text, what there is stays.
    value_of(store.put_session(session("a", 3)));
    CHECK(found(store, "delta") == "a ");
    REQUIRE(store.remove(id, 9));
    CHECK(found(store, "delta") == "");
    CHECK(found(store, "gamma") == "");
    CHECK(store.index_text(id).error().code == ErrorCode::not_found);
    // And a session that was rolled back was never there.
    {
      Transaction transaction = value_of(store.begin());
      value_of(store.put_session(session("c", 3), IndexText{.title = "epsilon"}));
    }
    CHECK(found(store, "epsilon") == "");
    CHECK(found(store, "beta") == "b ");
    // The index itself agrees that nothing of what is gone is left.
    check_index(folder);
  }

  TEST_CASE("a session is named by what people have of it") {
    Folder folder;
    TraceStore store = open_store(folder);
    std::int64_t first = value_of(store.put_session(session("0b5e-aa", 1)));
    value_of(store.put_session(session("0b5e-bb", 2)));
    SessionRow helper = session("0b5e-aa", 3);
    helper.agent = "agent-77";
    value_of(store.put_session(helper));
    SessionRow other = session("0b5e-aa", 4);
    other.harness = "codex";
    value_of(store.put_session(other));
    SessionRow number = session("4711", 5);
    value_of(store.put_session(number));
    auto name = [&store](std::string_view text) {
      auto row = store.find_named(text);
      return row ? row->harness + "/" + row->session + "/" + row->agent : row.error().message;
    };
    CHECK(name("claude/0b5e-aa") == "claude/0b5e-aa/");
    CHECK(name("claude/0b5e-aa/agent-77") == "claude/0b5e-aa/agent-77");
    CHECK(name("0b5e-bb") == "claude/0b5e-bb/");
    CHECK(name("0b5e-b") == "claude/0b5e-bb/");
    CHECK(name("agent-7") == "claude/0b5e-aa/agent-77");
    CHECK(name("0b5e/agent-") == "claude/0b5e-aa/agent-77"); // as lists show it
    CHECK(store.find_named("0b5e-b/agent-").error().code == ErrorCode::not_found);
    CHECK(name("/agent-7") == "claude/0b5e-aa/agent-77");
    CHECK(name("codex/0b") == "codex/0b5e-aa/");
    CHECK(name(std::to_string(first)) == "claude/0b5e-aa/");
    CHECK(name("4711") == "claude/4711/");
    CHECK(name("47") == "claude/4711/");
    CHECK(name("0b5e-aa") == "`0b5e-aa` may be `claude/0b5e-aa`, `codex/0b5e-aa`");
    CHECK(name("0b5e") == "`0b5e` may be `claude/0b5e-aa`, `claude/0b5e-bb`, `codex/0b5e-aa`");
    CHECK(store.find_named("0b5e").error().code == ErrorCode::invalid_argument);
    for (std::string_view missing :
         {"", "zzz", "%", "0b5e-aa%", "\xFF", "-1", "99999999999999999999"}) {
      CHECK(store.find_named(missing).error().code == ErrorCode::not_found);
    }
  }

  TEST_CASE("what was set aside is named by its time, and stands in nobody's way") {
    Folder folder;
    TraceStore store = open_store(folder);
    for (const char* id : {"0b5e-aa", "0b5e-aa~1780000000001", "0b5e-aa~1780000000002"}) {
      value_of(store.put_session(session(id, 1)));
    }
    value_of(store.put_session(session("77-gone~1780000000003", 1)));
    auto named = [&](std::string_view name) {
      auto row = store.find_named(name);
      return row ? row->session : row.error().message;
    };
    CHECK(named("0b5e") == "0b5e-aa");
    CHECK(named("0b5e-aa") == "0b5e-aa");
    CHECK(named("0b5e~1780000000002") == "0b5e-aa~1780000000002");
    CHECK(named("0b5e-aa~1780000000001") == "0b5e-aa~1780000000001");
    CHECK(named("0b5e~17").starts_with("`0b5e~17` may be `claude/0b5e-aa%7E1780000000001`"));
    CHECK(named("77") == "77-gone~1780000000003"); // there is no other
    CHECK(store.find_named("0b5e~9").error().code == ErrorCode::not_found);
  }

  TEST_CASE("ids that look like others are not taken for them") {
    Folder folder;
    TraceStore store = open_store(folder);
    SessionRow slash = session("a/b", 1);
    SessionRow helper = session("a", 2);
    helper.agent = "b";
    CHECK(value_of(store.put_session(slash)) != value_of(store.put_session(helper)));
    SessionRow zero = session(std::string("a\0b", 3), 3);
    SessionRow bytes = session("\xFF'; DROP TABLE sessions; --", 4);
    value_of(store.put_session(zero));
    std::int64_t id = value_of(store.put_session(bytes));
    CHECK(value_of(store.find(id))->session == bytes.session);
    CHECK(value_of(store.find_named("\xFF'")).id == id);
    CHECK(value_of(store.totals()).sessions == 4);
  }

  TEST_CASE("what is too long is refused or cut, and what has no name is refused") {
    Folder folder;
    TraceStore store = open_store(folder);
    CHECK(store.put_session({.harness = "claude"}).error().code == ErrorCode::invalid_argument);
    CHECK(store.put_session({.session = "a"}).error().code == ErrorCode::invalid_argument);
    SessionRow row = session("a", 1);
    row.state.assign(k_max_trace_state + 1, 'x');
    CHECK(store.put_session(row).error().code == ErrorCode::too_large);
    row = session(std::string(k_max_trace_name + 1, 'x'), 1);
    CHECK(store.put_session(row).error().code == ErrorCode::too_large);
    row = session("a", 1);
    row.source.assign(k_max_trace_path + 1, '/');
    CHECK(store.put_session(row).error().code == ErrorCode::too_large);
    row = session("a", 1);
    row.title = std::string(k_max_trace_label - 1, 'x') + "\u00e4 and more";
    row.branch = "\xFFok";
    row.models.assign(5000, "m");
    for (int i = 0; i < 5000; ++i) {
      row.tools.push_back({std::to_string(i), 1, 0});
    }
    IndexText text{.title = "first", .answers = std::string(k_max_index_text, 'y')};
    text.work = "nvcc " + std::string(k_max_index_text, 'x') + " behind";
    std::int64_t id = value_of(store.put_session(row, text));
    SessionRow kept = *value_of(store.find(id));
    CHECK(kept.title == std::string(k_max_trace_label - 1, 'x'));
    CHECK(kept.branch == "\uFFFDok");
    CHECK(kept.models.size() == k_max_trace_list);
    CHECK(kept.tools.size() == k_max_trace_list);
    IndexText indexed = value_of(store.index_text(id));
    CHECK(indexed.title == "first");
    CHECK(indexed.work.size() == k_max_index_text - 5);
    CHECK(indexed.answers.empty());
    CHECK(found(store, "nvcc") == "a ");
    CHECK(found(store, "behind") == "");
  }

  TEST_CASE("what was read by older readers or rules is listed by id") {
    Folder folder;
    TraceStore store = open_store(folder);
    for (const char* name : {"a", "b", "c", "d"}) {
      SessionRow row = session(name, 1);
      row.reader_version = name[0] == 'b' ? 1 : 2;
      row.rules_version = name[0] == 'c' ? "old" : "new";
      value_of(store.put_session(row));
    }
    auto outdated = value_of(store.list_outdated(2, "new", 0, 9));
    CHECK(names_of(outdated) == "b c ");
    CHECK(names_of(value_of(store.list_outdated(2, "new", outdated[0].id, 9))) == "c ");
    CHECK(names_of(value_of(store.list_outdated(2, "new", 0, 1))) == "b ");
  }

  TEST_CASE("findings block until a person allows them, and again when there are more") {
    Folder folder;
    TraceStore store = open_store(folder);
    std::int64_t id = value_of(store.put_session(session("a", 1)));
    std::vector<FindingRow> scan{{"jwt", 2}, {"password", 1}};
    REQUIRE(store.set_findings(id, scan));
    CHECK(value_of(store.blocked(id)) == std::vector<std::string>{"jwt", "password"});
    CHECK(value_of(store.totals()).blocked == 1);
    REQUIRE(store.allow(id, "jwt"));
    CHECK(value_of(store.blocked(id)) == std::vector<std::string>{"password"});
    CHECK(store.allow(id, "none").error().code == ErrorCode::not_found);
    // Replacing the session forgets nothing of it, and neither does the same scan.
    value_of(store.put_session(session("a", 2)));
    REQUIRE(store.set_findings(id, scan));
    CHECK(value_of(store.blocked(id)) == std::vector<std::string>{"password"});
    REQUIRE(store.allow(id, std::nullopt));
    CHECK(value_of(store.blocked(id)).empty());
    CHECK(value_of(store.totals()).blocked == 0);
    REQUIRE(store.set_findings(id, std::vector<FindingRow>{{"jwt", 3}}));
    CHECK(value_of(store.findings(id)) == std::vector<FindingRow>{{"jwt", 3}});
    CHECK(value_of(store.blocked(id)) == std::vector<std::string>{"jwt"});
    CHECK(store.set_findings(99, scan).error().code == ErrorCode::not_found);
    REQUIRE(store.remove(id, 1));
    CHECK(value_of(store.findings(id)).empty());
  }

  TEST_CASE("settings and the switches of capturing") {
    Folder folder;
    {
      TraceStore store = open_store(folder);
      CHECK(value_of(store.setting("limit")) == std::nullopt);
      REQUIRE(store.set_setting("limit", "5"));
      REQUIRE(store.set_setting("limit", "6"));
      REQUIRE(store.put_capture_rule({"claude", "", Capture::on}));
      REQUIRE(store.put_capture_rule({"", "/home/a/secret", Capture::on}));
      REQUIRE(store.put_capture_rule({"", "/home/a/secret", Capture::off}));
      CHECK(store.set_setting("limit", std::string(k_max_trace_setting + 1, 'x')).error().code
            == ErrorCode::too_large);
    }
    TraceStore store = open_store(folder);
    CHECK(value_of(store.setting("limit")) == "6");
    CHECK(value_of(store.capture_rules())
          == std::vector<CaptureRule>{{"", "/home/a/secret", Capture::off},
                                      {"claude", "", Capture::on}});
    REQUIRE(store.remove_capture_rule("claude", ""));
    REQUIRE(store.set_setting("limit", std::nullopt));
    CHECK(value_of(store.capture_rules()).size() == 1);
    CHECK(value_of(store.setting("limit")) == std::nullopt);
  }

  TEST_CASE("killed between the object and its row: the object is cut back to what counts") {
    Folder folder;
    SessionRow row = session("a", 1);
    row.object = "claude/a.zst";
    {
      TraceStore store = open_store(folder);
      TraceObjects objects = value_of(TraceObjects::open(folder / "traces"));
      row.object_size = static_cast<std::int64_t>(value_of(objects.append(row.object, "one\n", 0)));
      value_of(store.put_session(row));
      value_of(objects.append(row.object, "never committed\n", std::uint64_t(row.object_size)));
    }
    TraceStore store = open_store(folder);
    TraceObjects objects = value_of(TraceObjects::open(folder / "traces"));
    SessionRow kept = *value_of(store.find_key("claude/a"));
    auto size = value_of(
        objects.append(kept.object, "two\n", static_cast<std::uint64_t>(kept.object_size)));
    std::string text;
    REQUIRE(objects.read(kept.object, size, 0, [&](std::string_view piece) {
      text += piece;
      return true;
    }));
    CHECK(text == "one\ntwo\n");
    CHECK(value_of(store.object_names()) == std::unordered_set<std::string>{"claude/a.zst"});
  }

  TEST_CASE("a database that is damaged is told, set aside, and begun anew") {
    Folder folder;
    {
      TraceStore store = open_store(folder);
      value_of(store.put_session(session("a", 1), IndexText{.title = "x"}));
    }
    std::string bytes = read(folder / "traces.db");
    REQUIRE(bytes.size() > 16384);
    for (std::size_t at = 4096; at < bytes.size(); ++at) {
      bytes[at] = 'x';
    }
    write(folder / "traces.db", bytes);
    auto opened = TraceStore::open(folder / "traces.db");
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::corrupt);
    value_of(set_aside_database(folder / "traces.db", 0));
    TraceStore store = open_store(folder);
    CHECK(value_of(store.totals()).sessions == 0);
  }

  TEST_CASE("an indexed text that cannot be read is told, not guessed") {
    Folder folder;
    TraceStore store = open_store(folder);
    std::int64_t id = value_of(store.put_session(session("a", 1), IndexText{.title = "alpha"}));
    run_sql(folder, "UPDATE texts SET text = x'28B52FFD00'");
    CHECK(store.index_text(id).error().code == ErrorCode::corrupt);
    CHECK(store.search({.text = "alpha"}, 9).error().code == ErrorCode::corrupt);
    CHECK(store.put_session(session("a", 1), IndexText{}).error().code == ErrorCode::corrupt);
  }

  // Frozen: what version 1 wrote must be read for ever. Never change it, add the next one.
  TEST_CASE("a traces.db of version 1 is read") {
    Folder folder;
    run_sql(folder, R"sql(
CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
  harness TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, active_ms INTEGER NOT NULL,
  started_ms INTEGER, ended_ms INTEGER, updated_ms INTEGER NOT NULL, imported_ms INTEGER NOT NULL,
  project TEXT NOT NULL, outcome TEXT NOT NULL, errors INTEGER NOT NULL, is_raw INTEGER NOT NULL,
  object_size INTEGER NOT NULL, text_size INTEGER NOT NULL, object TEXT NOT NULL,
  reader_version INTEGER NOT NULL, rules_version TEXT NOT NULL,
  forked_from TEXT NOT NULL, first_id TEXT NOT NULL, format TEXT NOT NULL, source TEXT NOT NULL,
  device INTEGER NOT NULL, inode INTEGER NOT NULL, source_size INTEGER NOT NULL,
  resume_offset INTEGER NOT NULL, branch TEXT NOT NULL, title TEXT NOT NULL,
  version TEXT NOT NULL, models BLOB NOT NULL, records INTEGER NOT NULL, prompts INTEGER NOT NULL,
  answers INTEGER NOT NULL, tool_calls INTEGER NOT NULL, interrupts INTEGER NOT NULL,
  corrections INTEGER NOT NULL, unknown INTEGER NOT NULL, unreadable INTEGER NOT NULL,
  input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER,
  cache_write_tokens INTEGER, cost REAL, redacted INTEGER NOT NULL,
  candidates INTEGER NOT NULL) STRICT;
CREATE INDEX sessions_by_activity ON sessions (active_ms, id);
CREATE INDEX sessions_by_name ON sessions (session);
CREATE INDEX sessions_by_helper ON sessions (agent) WHERE agent <> '';
CREATE INDEX sessions_by_source ON sessions (source);
CREATE INDEX sessions_by_first ON sessions (harness, first_id) WHERE first_id <> '';
CREATE TABLE session_states (session INTEGER PRIMARY KEY
  REFERENCES sessions (id) ON DELETE CASCADE, state BLOB NOT NULL) STRICT;
CREATE TABLE session_skills (session INTEGER NOT NULL
  REFERENCES sessions (id) ON DELETE CASCADE, skill TEXT NOT NULL, uses INTEGER NOT NULL,
  PRIMARY KEY (session, skill)) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_skill ON session_skills (skill, session);
CREATE TABLE session_tools (session INTEGER NOT NULL
  REFERENCES sessions (id) ON DELETE CASCADE, tool TEXT NOT NULL, calls INTEGER NOT NULL,
  errors INTEGER NOT NULL, PRIMARY KEY (session, tool)) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_tool ON session_tools (tool, session);
CREATE TABLE findings (session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  rule TEXT NOT NULL, count INTEGER NOT NULL, state TEXT NOT NULL,
  PRIMARY KEY (session, rule)) STRICT, WITHOUT ROWID;
CREATE TABLE texts (session INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  text BLOB NOT NULL) STRICT;
CREATE VIRTUAL TABLE session_words USING fts5 (title, prompts, answers, work, content = '',
  tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE purged (key TEXT PRIMARY KEY, source TEXT NOT NULL, source_size INTEGER NOT NULL,
  purged_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX purged_by_source ON purged (source);
CREATE INDEX purged_by_time ON purged (purged_ms);
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE capture_rules (agent TEXT NOT NULL, folder TEXT NOT NULL, capture TEXT NOT NULL,
  PRIMARY KEY (agent, folder)) STRICT, WITHOUT ROWID;
INSERT INTO sessions VALUES (7, 'claude/s/h', 'claude', 's', 'h', 200, 100, 200, 300, 250, '/p',
  'success', 5, 1, 30, 90, 'claude/s~h.zst', 3, 'r7', 'f', 'u', 'claude', '/src', -1, 12,
  1000, 990, 'main', 'Fix', '2.1', x'6F707573006861696B7500', 1, 2, 3, 4, 6, 7, 8, 9, 10, 0, NULL,
  11, 0.25, 2, 1);
INSERT INTO session_states VALUES (7, x'28B52FFD240211000000FF7D1D1303');
INSERT INTO session_skills VALUES (7, 'git', 2);
INSERT INTO session_tools VALUES (7, 'Bash', 9, 2);
INSERT INTO findings VALUES (7, 'jwt', 2, 'flagged');
INSERT INTO texts VALUES (7, x'28B52FFD20084100007400700061007700');
INSERT INTO session_words (rowid, title, prompts, answers, work) VALUES (7, 't', 'p', 'a', 'w');
INSERT INTO purged VALUES ('claude/x', '/x', 50, 60);
INSERT INTO settings VALUES ('limit', '5');
INSERT INTO capture_rules VALUES ('claude', '/p', 'on');
PRAGMA user_version=1;)sql");
    TraceStore store = open_store(folder);
    CHECK(value_of(store.find(7))
          == SessionRow{.id = 7,
                        .harness = "claude",
                        .session = "s",
                        .agent = "h",
                        .forked_from = "f",
                        .format = "claude",
                        .source = "/src",
                        .device = ~std::uint64_t{0},
                        .inode = 12,
                        .source_size = 1000,
                        .resume_offset = 990,
                        .object = "claude/s~h.zst",
                        .object_size = 30,
                        .text_size = 90,
                        .reader_version = 3,
                        .rules_version = "r7",
                        .project = "/p",
                        .branch = "main",
                        .title = "Fix",
                        .version = "2.1",
                        .models = {"opus", "haiku"},
                        .started_ms = 100,
                        .ended_ms = 200,
                        .updated_ms = 300,
                        .imported_ms = 250,
                        .counts = {1, 2, 3, 4, 5, 6, 7, 8, 9},
                        .tokens = {.input = 10, .output = 0, .cache_write = 11, .cost = 0.25},
                        .outcome = "success",
                        .redacted = 2,
                        .candidates = 1,
                        .first_id = "u",
                        .state = std::string("\0\xFF", 2),
                        .is_raw = true,
                        .skills = {{"git", 2}},
                        .tools = {{"Bash", 9, 2}}});
    CHECK(value_of(store.index_text(7)) == IndexText{"t", "p", "a", "w"});
    CHECK(found(store, "p w") == "s ");
    CHECK(value_of(store.blocked(7)) == std::vector<std::string>{"jwt"});
    CHECK(value_of(store.was_purged("claude/x")) == PurgedMark{"claude/x", "/x", 50, 60});
    CHECK(value_of(store.setting("limit")) == "5");
    CHECK(value_of(store.capture_rules())
          == std::vector<CaptureRule>{{"claude", "/p", Capture::on}});
    REQUIRE(store.remove(7, 1));
    CHECK(found(store, "p") == "");
    check_index(folder);
  }
}
