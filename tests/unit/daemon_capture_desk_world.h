#pragma once
#include "daemon/await.h"
#include "daemon/capture/desk.h"
#include "tests/support/claude_session.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

// A desk, and beside it the folder of an agent whose sessions it follows.
namespace upskill::tests {

using namespace capture;
namespace fs = std::filesystem;

// What is appended to one that is there is no line of it again.
inline std::string session(const std::string& id, std::string_view words = "Build it") {
  static std::uint64_t lines = 0;
  ClaudeSession session(id, lines++);
  session.prompt(words);
  return session.bytes;
}

struct DeskWorld {
  tests::TemporaryFolder folder;
  asio::io_context io;
  runtime::Pool pool{1};
  telemetry::Log log = telemetry::Log::none();
  std::int64_t now_ms = 1'800'000'000'000;
  Clock::duration tidy_every;
  Clock::duration look_every;
  Desk desk{io.get_executor(), log, options()};

  explicit DeskWorld(Clock::duration tidy = std::chrono::hours(24),
                     Clock::duration look = std::chrono::hours(24))
      : tidy_every(tidy)
      , look_every(look) {
    fs::create_directories(folder / "projects");
  }

  DeskOptions options() {
    DeskOptions options;
    options.database = folder / "state/traces.db";
    options.objects = folder / "state/traces";
    options.spool = folder / "state/spool";
    options.user_rules = folder / "rules.json";
    options.pool = [this]() -> runtime::Pool& { return pool; };
    options.now_ms = [this] { return now_ms; };
    options.tidy_every = tidy_every;
    options.limits.poll = look_every;
    options.retry_after = std::chrono::milliseconds(5);
    options.folders = [this] { return folders(); };
    fs::create_directories(folder / "state");
    return options;
  }

  asio::awaitable<std::vector<agents::SessionFolder>> folders() const {
    std::vector<agents::SessionFolder> all{
        {"claude-code", folder / "projects", {"", {"*.jsonl"}, "", 3}}};
    co_return all;
  }

  std::string append(const std::string& name, std::string_view bytes) const {
    std::string path = folder.path() + "/projects/" + name;
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::app | std::ios::binary) << bytes;
    return path;
  }

  asio::awaitable<void> rule(store::Capture capture, std::string in = "") {
    auto put = [&](archive::Archive& archive) {
      return archive.store().put_capture_rule({"claude-code", in, capture});
    };
    AWAIT(Result<void> done, desk.with(std::move(put)));
    REQUIRE(done);
    AWAIT(done, desk.follow());
    REQUIRE(done);
  }

  // As a daemon before this one left it.
  archive::Archive archive_before() const {
    Result<redact::RuleSet> rules = redact::RuleSet::built_in();
    REQUIRE(rules);
    Result<archive::Archive> opened = archive::Archive::open(
        {folder / "state/traces.db", folder / "state/traces", *std::move(rules)});
    REQUIRE(opened);
    return *std::move(opened);
  }

  // How many prompts are kept of it; none where it is not kept.
  asio::awaitable<std::int64_t> prompts(std::string id) {
    auto find = [&](archive::Archive& archive) {
      return archive.store().find_key("claude-code/" + id);
    };
    AWAIT(Result<std::optional<store::SessionRow>> row, desk.with(std::move(find)));
    REQUIRE(row);
    co_return *row ? (*row)->counts.prompts : 0;
  }

  // Asks again and again: each is a turn behind what the desk itself is about to do.
  asio::awaitable<void> until(std::string id, std::int64_t count) {
    Clock::time_point end = Clock::now() + std::chrono::seconds(20);
    std::int64_t seen = -1;
    while (seen != count && Clock::now() < end) {
      AWAIT(seen, prompts(id));
    }
    REQUIRE(seen == count);
  }

  hook::HookEvent event(const std::string& path) const {
    return {.time_ms = 1, .agent = "claude-code", .event = "Stop", .transcript = path};
  }
};

template <class Body> void run(DeskWorld& world, Body body) {
  auto task = [&]() -> asio::awaitable<void> {
    std::exception_ptr failure;
    try {
      AWAIT_DONE(body());
    } catch (...) {
      failure = std::current_exception();
    }
    AWAIT_DONE(world.desk.stop());
    if (failure) {
      std::rethrow_exception(failure);
    }
  };
  tests::run_coroutine(world.io, task());
}

} // namespace upskill::tests
