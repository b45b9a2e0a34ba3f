#include "skills_archive_world.h"

#include <sqlite3.h>

using namespace upskill;
using namespace upskill::tests;

namespace {

// OpenCode, which has its database open.
class Agent {
public:
  explicit Agent(const std::string& path) {
    REQUIRE(sqlite3_open(path.c_str(), &m_database) == SQLITE_OK);
    run("PRAGMA journal_mode=WAL;"
        "CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL,"
        " title text NOT NULL, version text NOT NULL, time_created integer NOT NULL,"
        " time_updated integer NOT NULL);"
        "CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL,"
        " time_created integer NOT NULL, data text NOT NULL);"
        "CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, data text NOT NULL);");
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

  void begins(const std::string& session) {
    run("INSERT INTO session VALUES ('" + session + "', NULL, '/home/ada/" + session
        + "', 'Title', '1.2.15', 1782900000000, 1782900000000)");
  }

  void says(const std::string& session, const std::string& text) {
    std::string number = std::to_string(++m_messages);
    std::string time = std::to_string(1'782'900'000'000 + m_messages * 1000);
    run("INSERT INTO message VALUES ('msg_" + number + "', '" + session + "', " + time
        + ", '{\"role\":\"user\"}');"
          "INSERT INTO part VALUES ('prt_"
        + number + "', 'msg_" + number + "', '{\"type\":\"text\",\"text\":\"" + text + "\"}');"
        + "UPDATE session SET time_updated = " + time + " WHERE id = '" + session + "'");
  }

private:
  sqlite3* m_database = nullptr;
  int m_messages = 0;
};

// In the order of their names.
std::vector<Kept> keep_all(ArchiveWorld& world, const KeepOptions& options = {}) {
  std::vector<Kept> kept = value_of(world.try_to_keep(world.file("opencode.db"), options));
  std::ranges::sort(kept, {}, [](const Kept& one) { return one.row.source; });
  return kept;
}

} // namespace

TEST_CASE("each session of OpenCode's database is kept, and only those that changed read again") {
  ArchiveWorld world;
  Agent agent(world.file("opencode.db"));
  agent.begins("ses_1");
  agent.says("ses_1", "Deploy with " + token());
  agent.begins("ses_2");
  agent.says("ses_2", "Paint it");
  std::vector<Kept> kept = keep_all(world);
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].state == KeepState::imported);
  CHECK(kept[0].row.session == "ses_1");
  CHECK(kept[0].row.harness == "opencode");
  CHECK(kept[0].row.project == "/home/ada/ses_1");
  CHECK(kept[0].row.source == world.file("opencode.db") + "#ses_1");
  CHECK(kept[0].redacted == 1);
  CHECK(kept[0].row.object != kept[1].row.object);
  CHECK(world.lines(world.row("opencode/ses_1")).front()
        == "user/prompt \"Deploy with " + std::string(k_mark) + "\"");
  CHECK_FALSE(world.is_stored(token()));
  agent.says("ses_2", "Paint it blue");
  kept = keep_all(world);
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].state == KeepState::unchanged);
  CHECK(kept[0].bytes == 0);
  CHECK(kept[1].state == KeepState::updated);
  CHECK(kept[1].row.counts.prompts == 2);
  CHECK(world.sessions() == std::vector<std::string>{"ses_1", "ses_2"});
  // Nothing of the copy is left, and the agent can go on.
  for (const auto& entry : std::filesystem::directory_iterator(world.folder / "state")) {
    CHECK(entry.path().filename().string().find("tmp") == std::string::npos);
  }
  agent.says("ses_1", "Thanks");
}

TEST_CASE("a session of a database is kept where it ran, or not at all") {
  ArchiveWorld world;
  Agent agent(world.file("opencode.db"));
  agent.begins("ses_1");
  agent.says("ses_1", "Deploy");
  agent.begins("ses_2");
  agent.says("ses_2", "Paint");
  KeepOptions options;
  options.is_wanted = [](std::string_view name, std::string_view folder) {
    return name == "opencode" && folder == "/home/ada/ses_2";
  };
  std::vector<Kept> kept = keep_all(world, options);
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].state == KeepState::skipped);
  CHECK(kept[1].state == KeepState::imported);
  CHECK(world.sessions() == std::vector<std::string>{"ses_2"});
}

TEST_CASE("a purged session of a database comes back when it goes on, and not before") {
  ArchiveWorld world;
  world.now_ms = 1'782'900'001'500; // the first message is older, the second is not
  Agent agent(world.file("opencode.db"));
  agent.begins("ses_1");
  agent.says("ses_1", "Deploy");
  keep_all(world);
  REQUIRE(world.archive.remove(world.row("opencode/ses_1"), ++world.now_ms));
  CHECK(keep_all(world).front().state == KeepState::skipped);
  CHECK(world.sessions().empty());
  agent.says("ses_1", "And on it goes");
  CHECK(keep_all(world).front().state == KeepState::imported);
}

TEST_CASE("a database that is none of OpenCode's, or is damaged, is named") {
  ArchiveWorld world;
  {
    sqlite3* other = nullptr;
    REQUIRE(sqlite3_open(world.file("other.db").c_str(), &other) == SQLITE_OK);
    REQUIRE(sqlite3_exec(other, "CREATE TABLE skills (id)", nullptr, nullptr, nullptr)
            == SQLITE_OK);
    sqlite3_close(other);
  }
  Result<std::vector<Kept>> kept = world.try_to_keep(world.file("other.db"));
  REQUIRE_FALSE(kept);
  CHECK(kept.error().code == ErrorCode::unsupported);
  std::string header = file_text(world.file("other.db")).substr(0, 100);
  kept = world.try_to_keep(world.put("half.db", header));
  REQUIRE_FALSE(kept);
  CHECK(kept.error().message.find("half.db") != std::string::npos);
  CHECK(world.sessions().empty());
}

TEST_CASE("a copy that a daemon left when it was killed is gone when the next one begins") {
  ArchiveWorld world;
  std::filesystem::path left = world.folder / "state/traces.tmp-a1b2c3";
  std::filesystem::create_directory(left);
  put_file((left / "copy.db").string(), token());
  world.reopen();
  CHECK_FALSE(std::filesystem::exists(left));
  CHECK(std::filesystem::exists(world.folder / "state/traces.db"));
}

TEST_CASE("a session whose title became shorter is the same one") {
  ArchiveWorld world;
  Agent agent(world.file("opencode.db"));
  agent.begins("ses_1");
  agent.says("ses_1", "Deploy it");
  agent.run("UPDATE session SET title = 'A title of quite some length'");
  REQUIRE(keep_all(world).size() == 1);
  agent.run("UPDATE session SET title = 'Short', time_updated = time_updated + 5");
  std::vector<Kept> kept = keep_all(world);
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].state == KeepState::updated);
  CHECK(kept[0].row.title == "Short");
  CHECK(value_of(world.archive.store().list({}, {}, 100)).size() == 1);
}
