#pragma once
#include "daemon/await.h"
#include "daemon/capture/desk.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sqlite3.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace upskill::tests {

// Two agents' sessions, in a folder of their own, and the desk that follows them.
struct CapturedWorld {
  TemporaryFolder folder;
  asio::io_context io;
  runtime::Pool pool{1};
  telemetry::Log log = telemetry::Log::none();
  bool has_inotify = true;
  capture::Desk desk;

  explicit CapturedWorld(capture::FollowLimits limits = {})
      : desk(io.get_executor(), log, options(limits)) {}

  capture::DeskOptions options(capture::FollowLimits limits) {
    std::filesystem::create_directories(folder / "projects");
    std::filesystem::create_directories(folder / "opencode");
    std::filesystem::create_directories(folder / "state");
    capture::DeskOptions options;
    options.database = folder / "state/traces.db";
    options.objects = folder / "state/traces";
    options.spool = folder / "state/spool";
    options.user_rules = folder / "rules.json";
    options.pool = [this]() -> runtime::Pool& { return pool; };
    options.now_ms = [] { return std::int64_t{1'800'000'000'000}; };
    options.folders = [this] { return folders(); };
    options.limits = limits;
    options.inotify = [this]() -> Result<UniqueFd> {
      return has_inotify ? watch::open_inotify() : fail(system_error(EMFILE, "cannot watch"));
    };
    return options;
  }

  asio::awaitable<std::vector<agents::SessionFolder>> folders() const {
    std::vector<agents::SessionFolder> all{
        {"claude-code", folder / "projects", {"", {"*.jsonl"}, "", 3}},
        {"opencode", folder / "opencode", {"", {"opencode.db"}, "", 0, "-wal"}}};
    co_return all;
  }

  std::string append(const std::string& name, std::string_view bytes) const {
    std::string path = folder.path() + "/projects/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::app | std::ios::binary) << bytes;
    return path;
  }

  asio::awaitable<void> capture_on() {
    auto put = [](archive::Archive& archive) {
      return archive.store().put_capture_rule({"", "", store::Capture::on});
    };
    AWAIT(Result<void> done, desk.with(std::move(put)));
    REQUIRE(done);
    AWAIT(done, desk.follow());
    REQUIRE(done);
  }

  // How many prompts are kept of it; none where it is not kept. `key`: agent/session.
  asio::awaitable<std::int64_t> prompts(std::string key) {
    auto find = [&](archive::Archive& archive) { return archive.store().find_key(key); };
    AWAIT(Result<std::optional<store::SessionRow>> row, desk.with(std::move(find)));
    REQUIRE(row);
    co_return *row ? (*row)->counts.prompts : 0;
  }

  // Asks again and again, each time behind what the desk itself is about to do.
  asio::awaitable<void> until(std::function<bool()> is_so) {
    capture::Clock::time_point end = capture::Clock::now() + std::chrono::seconds(20);
    while (!is_so() && capture::Clock::now() < end) {
      AWAIT_DONE(prompts("nobody"));
    }
    REQUIRE(is_so());
  }

  asio::awaitable<void> until(std::string key, std::int64_t count) {
    capture::Clock::time_point end = capture::Clock::now() + std::chrono::seconds(20);
    std::int64_t seen = -1;
    while (seen != count && capture::Clock::now() < end) {
      AWAIT(seen, prompts(key));
    }
    REQUIRE(seen == count);
  }

  template <class Body> void run(Body body) {
    auto task = [&]() -> asio::awaitable<void> {
      std::exception_ptr failure;
      try {
        AWAIT_DONE(body());
      } catch (...) {
        failure = std::current_exception();
      }
      AWAIT_DONE(desk.stop());
      if (failure) {
        std::rethrow_exception(failure);
      }
    };
    run_coroutine(io, task());
  }
};

// OpenCode, which has its database open, and never brings its journal into it.
class OpencodeAgent {
public:
  explicit OpencodeAgent(const std::string& path) {
    REQUIRE(sqlite3_open(path.c_str(), &m_database) == SQLITE_OK);
    run("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;"
        "CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL,"
        " title text NOT NULL, version text NOT NULL, time_created integer NOT NULL,"
        " time_updated integer NOT NULL);"
        "CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL,"
        " time_created integer NOT NULL, data text NOT NULL);"
        "CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, data text NOT NULL);"
        "INSERT INTO session VALUES ('ses_1', NULL, '/home/ada', 'Title', '1.2.15', 1782900000000,"
        " 1782900000000)");
  }

  OpencodeAgent(const OpencodeAgent&) = delete;
  OpencodeAgent& operator=(const OpencodeAgent&) = delete;

  ~OpencodeAgent() { sqlite3_close(m_database); }

  void says(const std::string& text) {
    std::string number = std::to_string(++m_messages);
    std::string time = std::to_string(1'782'900'000'000 + m_messages * 1000);
    run("BEGIN; INSERT INTO message VALUES ('msg_" + number + "', 'ses_1', " + time
        + ", '{\"role\":\"user\"}'); INSERT INTO part VALUES ('prt_" + number + "', 'msg_" + number
        + "', '{\"type\":\"text\",\"text\":\"" + text
        + "\"}'); UPDATE session SET time_updated = " + time + "; COMMIT");
  }

private:
  void run(const std::string& sql) {
    REQUIRE(sqlite3_exec(m_database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  }

  sqlite3* m_database = nullptr;
  int m_messages = 0;
};

} // namespace upskill::tests
