#include "skills/trace/opencode_database.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_events.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>

using namespace upskill;
using namespace upskill::tests;
using trace::copy_database;
using trace::CopyBudget;
using trace::EventForm;
using trace::Format;
using trace::OpencodeDatabase;
using trace::OpencodeRendering;
using trace::OpencodeSession;

namespace {

// The tables of OpenCode 1.2, as far as they matter.
const std::string k_schema =
    "CREATE TABLE project (id text PRIMARY KEY, worktree text);"
    "CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text,"
    " slug text, directory text NOT NULL, title text NOT NULL, version text NOT NULL,"
    " time_created integer NOT NULL, time_updated integer NOT NULL);"
    "CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL,"
    " time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);"
    "CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,"
    " time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);"
    "CREATE INDEX part_message_idx ON part (message_id);";

const std::string k_session =
    "INSERT INTO session VALUES ('ses_1', 'p', NULL, 's', '/home/ada/app', 'Fix \"it\"', '1.2.15',"
    " 1782900000000, 1782900009000);"
    "INSERT INTO session VALUES ('ses_2', 'p', 'ses_1', 's', '/home/ada/app', 'Look', '1.2.15',"
    " 1782900001000, 1782900002000);"
    // The later one was written first.
    "INSERT INTO message VALUES ('msg_2', 'ses_1', 1782900002000, 0, '{\"role\":\"assistant\","
    "\"modelID\":\"m\",\"time\":{\"created\":1782900002000}}');"
    "INSERT INTO message VALUES ('msg_1', 'ses_1', 1782900001000, 0, ' {\"role\":\"user\"} ');"
    "INSERT INTO message VALUES ('msg_9', 'ses_2', 1782900001000, 0, '{\"role\":\"user\"}');"
    "INSERT INTO part VALUES ('prt_3', 'msg_2', 'ses_1', 0, 0, '{\"type\":\"tool\",\"callID\":"
    "\"c1\",\"tool\":\"bash\",\"state\":{\"status\":\"completed\",\"input\":{\"command\":\"make\"},"
    "\"output\":\"no rule\",\"metadata\":{\"exit\":2}}}');"
    "INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_1', 0, 0,"
    " '{\"type\":\"text\",\"text\":\"Looking.\"}');"
    "INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', 0, 0,"
    " '{\"type\":\"text\",\"text\":\"Fix it\"}');";

// A database of another program, open as long as this lives.
class Agent {
public:
  explicit Agent(const std::string& path) {
    REQUIRE(sqlite3_open(path.c_str(), &m_database) == SQLITE_OK);
  }

  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  ~Agent() { sqlite3_close(m_database); }

  void run(const std::string& sql) {
    char* message = nullptr;
    int code = sqlite3_exec(m_database, sql.c_str(), nullptr, nullptr, &message);
    INFO((message == nullptr ? "" : message));
    REQUIRE(code == SQLITE_OK);
  }

  void use_wal() { run("PRAGMA journal_mode=WAL"); }

private:
  sqlite3* m_database = nullptr;
};

void make_database(const std::string& path, const std::string& sql = k_schema + k_session) {
  Agent(path).run(sql);
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename());
  }
  return names;
}

OpencodeDatabase open(const std::string& path) {
  Result<OpencodeDatabase> database = OpencodeDatabase::open(path);
  REQUIRE_MESSAGE(database, database.error().message);
  return std::move(*database);
}

std::string rendered(OpencodeDatabase& database,
                     const std::string& session,
                     OpencodeRendering* told = nullptr,
                     std::uint64_t max_bytes = 1u << 30) {
  std::string text;
  Result<OpencodeRendering> done =
      database.render(session, max_bytes, [&](std::string_view piece) -> Result<void> {
        text += piece;
        return {};
      });
  REQUIRE_MESSAGE(done, done.error().message);
  CHECK(done->bytes == text.size());
  if (told != nullptr) {
    *told = *done;
  }
  return text;
}

ErrorCode failure_of(const std::string& path) {
  Result<OpencodeDatabase> database = OpencodeDatabase::open(path);
  REQUIRE(!database);
  CHECK(database.error().message.find(path) != std::string::npos);
  return database.error().code;
}

} // namespace

TEST_CASE("sessions of OpenCode's database, the latest first") {
  TemporaryFolder folder;
  make_database(folder / "a.db");
  OpencodeDatabase database = open(folder / "a.db");
  Result<std::vector<OpencodeSession>> sessions = database.sessions(10);
  REQUIRE(sessions);
  REQUIRE(sessions->size() == 2);
  CHECK((*sessions)[0].id == "ses_1");
  CHECK((*sessions)[0].parent.empty());
  CHECK((*sessions)[0].directory == "/home/ada/app");
  CHECK((*sessions)[0].title == "Fix \"it\"");
  CHECK((*sessions)[0].version == "1.2.15");
  CHECK((*sessions)[0].created_ms == 1782900000000);
  CHECK((*sessions)[0].updated_ms == 1782900009000);
  CHECK((*sessions)[1].parent == "ses_1");
  CHECK(database.sessions(1)->size() == 1);
  CHECK(names_in(folder.path()) == std::set<std::string>{"a.db"});
}

TEST_CASE("a session is rendered as the document that the reader of OpenCode knows") {
  TemporaryFolder folder;
  make_database(folder / "a.db");
  OpencodeDatabase database = open(folder / "a.db");
  OpencodeRendering told;
  std::string text = rendered(database, "ses_1", &told);
  CHECK(told.messages == 2);
  CHECK(told.parts == 3);
  CHECK(told.unreadable == 0);
  CHECK(told.left_out == 0);
  CHECK(trace::detect_format(text, true) == Format::opencode);
  std::vector<SeenEvent> events = read_events(Format::opencode, text);
  SeenEvents seen;
  seen.events = events;
  CHECK(seen.lines()
        == std::vector<std::string>{"user/prompt \"Fix it\"",
                                    "assistant/text \"Looking.\"",
                                    R"(tool_call/call (bash) "{"command":"make"}")",
                                    "tool_result/result (bash) \"no rule\"",
                                    "meta/session",
                                    "meta/title \"Fix \"it\"\""});
  CHECK(events[0].id == "msg_1");
  CHECK(events[0].session == "ses_1");
  CHECK(events[1].model == "m");
  CHECK(events[1].time_ms == 1782900002000);
  CHECK(events[3].exit_code == 2);
  CHECK(events[4].cwd == "/home/ada/app");
  CHECK(!events[4].is_sidechain);
  std::vector<SeenEvent> helper = read_events(Format::opencode, rendered(database, "ses_2"));
  REQUIRE(helper.size() == 2);
  CHECK(helper[0].is_sidechain);
  CHECK(helper[0].parent == "ses_1");
  CHECK(database.render("ses_3", 1, [](std::string_view) { return Result<void>{}; }).error().code
        == ErrorCode::not_found);
}

TEST_CASE("rows that are no JSON object are told, and the document stays whole") {
  TemporaryFolder folder;
  make_database(folder / "a.db",
                k_schema + k_session
                    + "UPDATE part SET data = '{\"type\":\"text\"]}' WHERE id = 'prt_2';"
                      "UPDATE part SET data = x'7b7d' WHERE id = 'prt_3';"
                      "INSERT INTO part VALUES ('prt_0', 'msg_1', 'ses_1', 0, 0, '{}');"
                      "INSERT INTO part VALUES ('prt_4', 'msg_1', 'ses_1', 0, 0, '[1]');"
                      "INSERT INTO part VALUES ('prt_5', 'msg_1', 'ses_1', 0, 0,"
                      " '{\"type\":\"text\",\"text\":\"zero\"}' || char(0) || '}}]');"
                      "INSERT INTO message VALUES ('msg_3', 'ses_1', 1782900003000, 0, 'null');");
  OpencodeDatabase database = open(folder / "a.db");
  OpencodeRendering told;
  std::string text = rendered(database, "ses_1", &told);
  CHECK(told.messages == 3);
  CHECK(told.unreadable >= 3); // prt_2, prt_4 and msg_3; what SQLite thinks of prt_3 is its affair
  std::vector<std::string> lines = event_lines(Format::opencode, text);
  CHECK(lines.front() == "meta/unknown"); // of {}
  CHECK(lines[1] == "user/prompt \"Fix it\"");
  CHECK(lines[2] == "meta/unknown (unreadable)");
  CHECK(lines[3] == "user/prompt \"zero\"");
  CHECK(lines.back() == "meta/title \"Fix \"it\"\"");
  for (const std::string& line : lines) {
    CHECK(line.find("broken") == std::string::npos);
  }
}

TEST_CASE("what is too much is left out and counted, and who cannot take more says so") {
  TemporaryFolder folder;
  make_database(folder / "a.db");
  OpencodeDatabase database = open(folder / "a.db");
  OpencodeRendering told;
  std::string text = rendered(database, "ses_1", &told, 250);
  CHECK(told.messages == 1);
  CHECK(told.left_out == 1);
  CHECK(event_lines(Format::opencode, text).front() == "user/prompt \"Fix it\"");
  Result<OpencodeRendering> full =
      database.render("ses_1", 1u << 20, [](std::string_view) -> Result<void> {
        return fail(ErrorCode::no_space, "the disk is full");
      });
  REQUIRE(!full);
  CHECK(full.error().code == ErrorCode::no_space);
}

TEST_CASE("what is no database of OpenCode") {
  TemporaryFolder folder;
  put_file(folder / "text.db", "not a database, but long enough to be read as one");
  CHECK(failure_of(folder / "text.db") == ErrorCode::corrupt);
  put_file(folder / "empty.db", "");
  CHECK(failure_of(folder / "empty.db") == ErrorCode::corrupt);
  CHECK(failure_of(folder / "none.db") == ErrorCode::not_found);
  CHECK(failure_of(folder.path()) == ErrorCode::corrupt);
  make_database(folder / "other.db", "CREATE TABLE skills (id);");
  CHECK(failure_of(folder / "other.db") == ErrorCode::unsupported);
  make_database(folder / "older.db",
                "CREATE TABLE session (id, parent_id, directory, title, version, time_created,"
                " time_updated); CREATE TABLE message (id, session_id, time_created);"
                " CREATE TABLE part (id, message_id, data);");
  Result<OpencodeDatabase> older = OpencodeDatabase::open(folder / "older.db");
  REQUIRE(!older);
  CHECK(older.error().message.find("`message.data`") != std::string::npos);
  // A view could be a query that never ends.
  make_database(folder / "view.db",
                k_schema
                    + "DROP TABLE part; CREATE VIEW part (id, message_id, data) AS WITH RECURSIVE"
                      " n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i, i FROM n;");
  CHECK(failure_of(folder / "view.db") == ErrorCode::unsupported);
  // Damaged behind its first page.
  make_database(folder / "bad.db");
  std::string bytes = file_text(folder / "bad.db");
  for (std::size_t i = 4096; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 7);
  }
  put_file(folder / "bad.db", bytes);
  Result<OpencodeDatabase> bad = OpencodeDatabase::open(folder / "bad.db");
  if (bad) {
    CHECK(bad->sessions(10).error().code == ErrorCode::corrupt);
  } else {
    CHECK(bad.error().code == ErrorCode::corrupt);
  }
}

TEST_CASE("a copy is taken while OpenCode writes, and nothing is left beside its database") {
  for (bool is_wal : {false, true}) {
    CAPTURE(is_wal);
    TemporaryFolder agents;
    TemporaryFolder ours;
    std::string path = agents / "opencode.db";
    {
      Agent agent(path);
      if (is_wal) {
        agent.use_wal();
      }
      agent.run(k_schema + k_session);
      agent.run("UPDATE session SET title = 'only in the -wal' WHERE id = 'ses_1'");
      std::set<std::string> before = names_in(agents.path());
      CHECK(before.contains("opencode.db-wal") == is_wal);
      Result<void> copied = copy_database(path, ours / "copy.db", {});
      REQUIRE_MESSAGE(copied, copied.error().message);
      CHECK(names_in(agents.path()) == before);
      CHECK(mode_of(ours / "copy.db") == 0600);
      agent.run("INSERT INTO project VALUES ('p', '/')"); // still may
    }
    OpencodeDatabase database = open(ours / "copy.db");
    CHECK((*database.sessions(1))[0].title == "only in the -wal");
    CHECK(rendered(database, "ses_1").find("Looking.") != std::string::npos);
    CHECK(names_in(ours.path()) == std::set<std::string>{"copy.db"});
    // Its program has ended: SQLite by itself would make a -wal and a -shm now.
    CHECK(names_in(agents.path()) == std::set<std::string>{"opencode.db"});
    std::string bytes = file_text(path);
    REQUIRE(copy_database(path, ours / "again.db", {}));
    CHECK(names_in(agents.path()) == std::set<std::string>{"opencode.db"});
    CHECK(file_text(path) == bytes);
    OpencodeDatabase again = open(ours / "again.db");
    CHECK(again.sessions(10)->size() == 2);
  }
}

TEST_CASE("between steps of a copy the writer goes on, and the copy is of one moment") {
  for (bool is_wal : {false, true}) {
    CAPTURE(is_wal);
    TemporaryFolder agents;
    TemporaryFolder ours;
    std::string path = agents / "opencode.db";
    Agent agent(path);
    if (is_wal) {
      agent.use_wal();
    }
    agent.run(k_schema + k_session
              + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)"
                " INSERT INTO part SELECT 'prt_x' || i, 'msg_x', 'ses_x', 0, 0,"
                " hex(randomblob(300)) FROM n;");
    int steps = 0;
    int written = 0;
    CopyBudget budget;
    budget.may_go_on = [&] {
      if (++steps > 2 && steps <= 6) { // a write to both ends of the file
        agent.run("UPDATE session SET time_updated = time_updated + 1;"
                  "INSERT INTO part VALUES ('prt_n"
                  + std::to_string(++written) + "', 'msg_n', 'ses_n', 0, 0, '{}');");
      }
      return true;
    };
    Result<void> copied = copy_database(path, ours / "copy.db", budget);
    REQUIRE_MESSAGE(copied, copied.error().message);
    CHECK(written == 4);
    Agent copy(ours / "copy.db");
    copy.run(
        "CREATE TEMP TABLE same AS SELECT (SELECT time_updated FROM session WHERE id = 'ses_1')"
        " - 1782900009000 AS updates, (SELECT count(*) FROM part WHERE session_id = 'ses_n')"
        " AS parts; CREATE TEMP TABLE refused (x CHECK (x)); INSERT INTO refused SELECT"
        " updates = parts FROM same;");
  }
}

TEST_CASE("a copy that is given up, refused or too large leaves nothing") {
  TemporaryFolder folder;
  std::string path = folder / "opencode.db";
  make_database(path);
  CopyBudget cancelled;
  cancelled.may_go_on = [] { return false; };
  CHECK(copy_database(path, folder / "copy.db", cancelled).error().code == ErrorCode::cancelled);
  CopyBudget small;
  small.max_bytes = 1000;
  CHECK(copy_database(path, folder / "copy.db", small).error().code == ErrorCode::too_large);
  CHECK(copy_database(folder / "none.db", folder / "copy.db", {}).error().code
        == ErrorCode::not_found);
  put_file(folder / "text.db", "not a database, but long enough to be read as one");
  CHECK(copy_database(folder / "text.db", folder / "copy.db", {}).error().code
        == ErrorCode::corrupt);
  put_file(folder / "mine.db", "mine");
  CHECK(copy_database(path, folder / "mine.db", {}).error().code == ErrorCode::already_exists);
  CHECK(file_text(folder / "mine.db") == "mine");
  CHECK(names_in(folder.path()) == std::set<std::string>{"opencode.db", "text.db", "mine.db"});
}

TEST_CASE("a database that somebody holds is busy") {
  TemporaryFolder folder;
  std::string path = folder / "opencode.db";
  Agent agent(path);
  agent.run(k_schema + k_session);
  agent.run("BEGIN EXCLUSIVE");
  CopyBudget budget;
  budget.max_waits = 1;
  Result<void> copied = copy_database(path, folder / "copy.db", budget);
  REQUIRE(!copied);
  CHECK(copied.error().code == ErrorCode::busy);
  CHECK(!std::filesystem::exists(folder / "copy.db"));
  agent.run("COMMIT");
  CHECK(copy_database(path, folder / "copy.db", budget));
}

TEST_CASE("a copy changes no byte of what its program has open, and takes no lock") {
  TemporaryFolder agents;
  TemporaryFolder ours;
  std::string path = agents / "opencode.db";
  Agent agent(path);
  agent.use_wal();
  agent.run(k_schema + k_session);
  auto files = [&] {
    std::string all;
    for (const std::string& name : names_in(agents.path())) {
      struct stat status = {};
      REQUIRE(::stat((agents / name).c_str(), &status) == 0);
      all += name + " " + std::to_string(status.st_mtim.tv_sec) + "."
             + std::to_string(status.st_mtim.tv_nsec) + "\n" + file_text(agents / name);
    }
    return all;
  };
  std::string before = files();
  CopyBudget budget;
  budget.may_go_on = [&] {
    Agent other(path); // no reader of ours holds it up
    other.run("PRAGMA wal_checkpoint(PASSIVE)");
    return true;
  };
  REQUIRE(copy_database(path, ours / "copy.db", {}));
  CHECK(files() == before);
  REQUIRE(copy_database(path, ours / "other.db", budget));
  CHECK(open(ours / "other.db").sessions(10)->size() == 2);
}

TEST_CASE("a -wal that is begun anew while it is copied is copied again") {
  TemporaryFolder agents;
  TemporaryFolder ours;
  std::string path = agents / "opencode.db";
  Agent agent(path);
  agent.use_wal();
  agent.run(k_schema + k_session);
  int steps = 0;
  CopyBudget budget;
  budget.may_go_on = [&] {
    if (++steps == 2) { // the file is read, its -wal is not
      agent.run("UPDATE session SET title = 'before';PRAGMA wal_checkpoint(RESTART);"
                "UPDATE session SET version = 'after'");
    }
    return true;
  };
  REQUIRE(copy_database(path, ours / "copy.db", budget));
  CHECK(steps > 4);
  OpencodeDatabase copy = open(ours / "copy.db");
  std::vector<OpencodeSession> sessions = *copy.sessions(10);
  REQUIRE(sessions.size() == 2);
  CHECK(sessions[0].title == "before");
  CHECK(rendered(copy, "ses_1").find("after") != std::string::npos);
}

TEST_CASE("a -wal without its -shm is read too, and nothing is made beside it") {
  TemporaryFolder agents;
  TemporaryFolder moved;
  TemporaryFolder ours;
  {
    Agent agent(agents / "opencode.db");
    agent.use_wal();
    agent.run(k_schema + k_session);
    for (const char* name : {"opencode.db", "opencode.db-wal"}) {
      put_file(moved / name, file_text(agents / name));
    }
  }
  Result<void> copied = copy_database(moved / "opencode.db", ours / "copy.db", {});
  REQUIRE_MESSAGE(copied, copied.error().message);
  CHECK(open(ours / "copy.db").sessions(10)->size() == 2);
  CHECK(names_in(moved.path()) == std::set<std::string>{"opencode.db", "opencode.db-wal"});
  CHECK(names_in(ours.path()) == std::set<std::string>{"copy.db"});
}

TEST_CASE("a writer that lives is called one, and one that died in a change is called that") {
  TemporaryFolder folder;
  std::string path = folder / "opencode.db";
  CopyBudget budget;
  budget.max_waits = 1;
  {
    Agent agent(path);
    agent.run(k_schema + k_session);
    // Its cache is full, so that it has begun to write, with a journal.
    agent.run("PRAGMA cache_size=1;PRAGMA cache_spill=1;BEGIN IMMEDIATE;"
              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)"
              " INSERT INTO part SELECT 'prt_x' || i, 'msg_x', 'ses_x', 0, 0,"
              " hex(randomblob(300)) FROM n");
    REQUIRE(names_in(folder.path()).contains("opencode.db-journal"));
    Result<void> copied = copy_database(path, folder / "copy.db", budget);
    REQUIRE(!copied);
    CHECK(copied.error().code == ErrorCode::busy);
    CHECK(copied.error().message.find("has it locked") != std::string::npos);
    std::filesystem::create_directory(folder / "dead");
    for (const char* name : {"opencode.db", "opencode.db-journal"}) {
      put_file(folder / ("dead/" + std::string(name)), file_text(folder / name));
    }
  }
  Result<void> copied = copy_database(folder / "dead/opencode.db", folder / "copy.db", budget);
  REQUIRE(!copied);
  CHECK(copied.error().code == ErrorCode::unavailable);
  CHECK(copied.error().message.find("stopped in the middle") != std::string::npos);
}

TEST_CASE("a path that means something in a URI is a path") {
  TemporaryFolder folder;
  std::string path = folder / "a?mode=rwc&x%20#ü.db";
  make_database(path);
  REQUIRE(copy_database(path, folder / "b?c.db", {}));
  CHECK(open(folder / "b?c.db").sessions(10)->size() == 2);
  CHECK(names_in(folder.path()) == std::set<std::string>{"a?mode=rwc&x%20#ü.db", "b?c.db"});
}
