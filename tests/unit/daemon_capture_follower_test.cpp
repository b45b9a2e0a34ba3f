#include "daemon/await.h"
#include "daemon/capture/follower.h"
#include "daemon/runtime/timeout.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

using namespace upskill;
using namespace upskill::capture;
namespace fs = std::filesystem;

namespace {

void append(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::app) << text;
}

struct World {
  tests::TemporaryFolder folder;
  asio::io_context io;
  runtime::Pool pool{1};
  fs::path home = folder.path();
  std::set<std::string> changed = {};
  int lost = 0;
  bool has_inotify = true;
  runtime::Condition told{io.get_executor()};
  Follower follower{io.get_executor(),
                    [this]() -> runtime::Pool& { return pool; },
                    {[this](const std::string& path) {
                       changed.insert(fs::relative(path, home).string());
                       told.notify_all();
                     },
                     [this] {
                       ++lost;
                       told.notify_all();
                     }},
                    [this]() -> Result<UniqueFd> {
                      return has_inotify ? watch::open_inotify()
                                         : fail(ErrorCode::io, "none is left", "end something");
                    }};

  agents::SessionFolder sessions(const std::string& name, int depth = 2) const {
    return {"claude-code", (home / name).string(), {"", {"*.jsonl"}, "", depth}};
  }

  // Until it is so, which is told by what the kernel says.
  asio::awaitable<void> until(std::function<bool()> is_so) {
    AWAIT(bool came, told.wait_until(std::move(is_so), std::chrono::seconds(20)));
    REQUIRE(came);
  }
};

template <class Body> void run(World& world, Body body) {
  auto task = [&]() -> asio::awaitable<void> {
    AWAIT_DONE(body());
    AWAIT_DONE(world.follower.stop());
  };
  tests::run_coroutine(world.io, task());
}

} // namespace

TEST_CASE("what lies there is told at once, and what is written to later") {
  World world;
  fs::create_directories(world.home / "projects/p/deep/deeper");
  append(world.home / "projects/p/one.jsonl", "1\n");
  append(world.home / "projects/p/notes.txt", "no\n");
  append(world.home / "projects/p/deep/deeper/far.jsonl", "too deep\n");
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(Result<SessionWalk> walk, world.follower.watch({world.sessions("projects")}, ""));
    REQUIRE(walk);
    REQUIRE(walk->files.size() == 1);
    CHECK(walk->files[0].path == (world.home / "projects/p/one.jsonl").string());
    CHECK(walk->files[0].agent == "claude-code");
    CHECK(walk->files[0].size == 2);
    CHECK(world.follower.followed()[0].is_watched);
    // A file that stays open, as agents keep theirs.
    std::ofstream open(world.home / "projects/p/one.jsonl", std::ios::app);
    open << "2\n" << std::flush;
    AWAIT_DONE(world.until([&] { return world.changed.contains("projects/p/one.jsonl"); }));
    append(world.home / "projects/p/notes.txt", "no\n");
    append(world.home / "projects/p/two.jsonl", "1\n");
    AWAIT_DONE(world.until([&] { return world.changed.contains("projects/p/two.jsonl"); }));
    CHECK(world.changed.size() == 2);
    CHECK(world.lost == 0);
  });
}

TEST_CASE("a folder that comes later is followed, with what was in it when it came") {
  World world;
  fs::create_directories(world.home / "projects");
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(Result<SessionWalk> walk, world.follower.watch({world.sessions("projects")}, ""));
    REQUIRE(walk);
    fs::create_directories(world.home / "aside/sub");
    append(world.home / "aside/sub/one.jsonl", "1\n");
    fs::rename(world.home / "aside", world.home / "projects/new");
    AWAIT_DONE(world.until([&] { return world.changed.contains("projects/new/sub/one.jsonl"); }));
    world.changed.clear();
    append(world.home / "projects/new/sub/one.jsonl", "2\n");
    AWAIT_DONE(world.until([&] { return world.changed.contains("projects/new/sub/one.jsonl"); }));
  });
}

TEST_CASE("a folder that does not exist yet is waited for") {
  World world;
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(Result<SessionWalk> walk, world.follower.watch({world.sessions(".codex/sessions")}, ""));
    REQUIRE(walk);
    CHECK(walk->files.empty());
    CHECK(!world.follower.followed()[0].is_watched);
    CHECK(!world.follower.followed()[0].reason.empty());
    fs::create_directories(world.home / "unrelated");
    fs::create_directories(world.home / ".codex/sessions");
    AWAIT_DONE(world.until([&] { return world.lost > 0; }));
    append(world.home / ".codex/sessions/one.jsonl", "1\n");
    AWAIT(walk, world.follower.watch({world.sessions(".codex/sessions")}, ""));
    REQUIRE(walk);
    CHECK(walk->files.size() == 1);
    CHECK(world.follower.followed()[0].is_watched);
  });
}

TEST_CASE("a folder that goes away, or a folder above it, is a loss, and is waited for") {
  for (const char* gone : {"a/b/projects", "a/b", "a"}) {
    for (bool has_moved : {false, true}) {
      CAPTURE(gone);
      CAPTURE(has_moved);
      World world;
      auto make = [&] { append(world.home / "a/b/projects/p/one.jsonl", "1\n"); };
      fs::create_directories(world.home / "a/b/projects/p");
      make();
      run(world, [&]() -> asio::awaitable<void> {
        AWAIT(Result<SessionWalk> walk, world.follower.watch({world.sessions("a/b/projects")}, ""));
        REQUIRE(walk);
        CHECK(world.follower.followed()[0].is_watched);
        if (has_moved) {
          fs::rename(world.home / gone, world.home / "elsewhere");
        } else {
          fs::remove_all(world.home / gone);
        }
        AWAIT_DONE(world.until([&] { return world.lost > 0; }));
        CHECK_FALSE(world.follower.followed()[0].is_watched);
        CHECK_FALSE(world.follower.followed()[0].reason.empty());
        AWAIT(walk, world.follower.watch({world.sessions("a/b/projects")}, ""));
        REQUIRE(walk);
        CHECK(walk->files.empty());
        CHECK_FALSE(world.follower.is_partial());
        world.lost = 0;
        fs::create_directories(world.home / "a/b/projects/p");
        AWAIT_DONE(world.until([&] { return world.lost > 0; }));
        make();
        AWAIT(walk, world.follower.watch({world.sessions("a/b/projects")}, ""));
        REQUIRE(walk);
        CHECK(walk->files.size() == 1);
        CHECK(world.follower.followed()[0].is_watched);
      });
    }
  }
}

TEST_CASE("a link to a folder that is waited for is noticed") {
  World world;
  fs::create_directories(world.home / "real");
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(Result<SessionWalk> walk, world.follower.watch({world.sessions("projects")}, ""));
    REQUIRE(walk);
    fs::create_directory_symlink(world.home / "real", world.home / "projects");
    AWAIT_DONE(world.until([&] { return world.lost > 0; }));
  });
}

TEST_CASE("a large tree that comes at once is left to those who look through everything") {
  World world;
  fs::create_directories(world.home / "projects");
  fs::create_directories(world.home / "aside/sub");
  for (int i = 0; i < 1000; ++i) {
    append(world.home / "aside/sub" / (std::to_string(i) + ".jsonl"), "1\n");
  }
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(Result<SessionWalk> walk, world.follower.watch({world.sessions("projects")}, ""));
    REQUIRE(walk);
    fs::rename(world.home / "aside", world.home / "projects/new");
    AWAIT_DONE(world.until([&] { return world.lost > 0; }));
    CHECK(world.changed.size() < 1000);
    AWAIT(walk, world.follower.watch({world.sessions("projects")}, ""));
    REQUIRE(walk);
    CHECK(walk->files.size() == 1000);
  });
}

TEST_CASE("where there is no inotify, what lies there is told, and why it is not watched") {
  World world;
  world.has_inotify = false;
  fs::create_directories(world.home / "projects");
  append(world.home / "projects/one.jsonl", "1\n");
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(Result<SessionWalk> walk, world.follower.watch({world.sessions("projects")}, ""));
    REQUIRE(walk);
    CHECK(walk->files.size() == 1);
    CHECK(world.follower.is_partial());
    CHECK_FALSE(world.follower.followed()[0].is_watched);
    CHECK(world.follower.followed()[0].reason
          == "looked through every 5 minutes: none is left; end something");
    world.has_inotify = true;
    AWAIT(walk, world.follower.watch({world.sessions("projects")}, ""));
    REQUIRE(walk);
    CHECK_FALSE(world.follower.is_partial());
    CHECK(world.follower.followed()[0].is_watched);
  });
}

TEST_CASE("the journal of a session tells of the session") {
  World world;
  agents::SessionFolder folder = world.sessions("store", 0);
  folder.place.names = {"sessions.db"};
  folder.place.journal = "-wal";
  fs::create_directories(world.home / "store");
  append(world.home / "store/sessions.db", "1");
  append(world.home / "store/sessions.db-wal", "1");
  fs::file_time_type now = fs::last_write_time(world.home / "store/sessions.db-wal");
  fs::last_write_time(world.home / "store/sessions.db", now - std::chrono::hours(1));
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(Result<SessionWalk> walk, world.follower.watch({folder}, ""));
    REQUIRE(walk);
    REQUIRE(walk->files.size() == 1);
    struct stat status {};
    ::stat((world.home / "store/sessions.db-wal").c_str(), &status);
    CHECK(walk->files[0].changed_ms / 1000 == status.st_mtim.tv_sec);
    append(world.home / "store/sessions.db-wal", "2");
    AWAIT_DONE(world.until([&] { return world.changed.contains("store/sessions.db"); }));
    CHECK(world.changed.size() == 1);
  });
}

TEST_CASE("the spool is told of by the names in it, and another call follows other folders") {
  World world;
  fs::create_directories(world.home / "spool");
  fs::create_directories(world.home / "a");
  fs::create_directories(world.home / "b");
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(Result<SessionWalk> walk,
          world.follower.watch({world.sessions("a")}, (world.home / "spool").string()));
    REQUIRE(walk);
    append(world.home / "spool/events", "x");
    AWAIT_DONE(world.until([&] { return world.changed.contains("spool/events"); }));
    AWAIT(walk, world.follower.watch({world.sessions("b")}, ""));
    REQUIRE(walk);
    world.changed.clear();
    append(world.home / "a/one.jsonl", "1\n");
    append(world.home / "spool/events", "x");
    append(world.home / "b/one.jsonl", "1\n");
    AWAIT_DONE(world.until([&] { return world.changed.contains("b/one.jsonl"); }));
    CHECK(world.changed.size() == 1);
  });
}

TEST_CASE("a session folder that is a link is followed, and links in it are not") {
  World world;
  fs::create_directories(world.home / "real/p");
  fs::create_directories(world.home / "elsewhere");
  append(world.home / "real/p/one.jsonl", "1\n");
  append(world.home / "elsewhere/two.jsonl", "1\n");
  fs::create_directory_symlink(world.home / "real", world.home / "projects");
  fs::create_directory_symlink(world.home / "elsewhere", world.home / "real/p/link");
  fs::create_symlink(world.home / "elsewhere/two.jsonl", world.home / "real/p/two.jsonl");
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(Result<SessionWalk> walk, world.follower.watch({world.sessions("projects", 4)}, ""));
    REQUIRE(walk);
    REQUIRE(walk->files.size() == 1);
    CHECK(walk->files[0].path == (world.home / "projects/p/one.jsonl").string());
  });
}

TEST_CASE("a folder without permission is named, and the rest goes on") {
  if (::geteuid() == 0) {
    MESSAGE("skipped: root may look everywhere");
    return;
  }
  World world;
  fs::create_directories(world.home / "projects/secret");
  append(world.home / "projects/one.jsonl", "1\n");
  ::chmod((world.home / "projects/secret").c_str(), 0);
  SessionWalk walk;
  walk_sessions(world.sessions("projects"), walk, {});
  CHECK(walk.files.size() == 1);
  REQUIRE(walk.problems.size() == 1);
  CHECK(walk.problems[0].find("secret") != std::string::npos);
  ::chmod((world.home / "projects/secret").c_str(), 0700);
}

TEST_CASE("a folder that may not be looked into is not called followed, and the reason is told") {
  World world;
  fs::create_directories(world.home / "closed");
  fs::create_directories(world.home / "open/secret");
  append(world.home / "open/one.jsonl", "1\n");
  ::chmod(world.home.c_str(), 0711);
  ::chmod((world.home / "closed").c_str(), 0);
  ::chmod((world.home / "open").c_str(), 0755);
  ::chmod((world.home / "open/secret").c_str(), 0);
  // Root may look everywhere, so somebody else does.
  bool was_root = ::geteuid() == 0;
  REQUIRE((!was_root || ::seteuid(65534) == 0));
  run(world, [&]() -> asio::awaitable<void> {
    std::vector<agents::SessionFolder> folders{world.sessions("closed"), world.sessions("open")};
    AWAIT(Result<SessionWalk> walk, world.follower.watch(folders, ""));
    REQUIRE((!was_root || ::seteuid(0) == 0));
    REQUIRE(walk);
    const Followed& closed = world.follower.followed()[0];
    CHECK(closed.is_there);
    CHECK_FALSE(closed.is_watched);
    CHECK(closed.reason.find("closed") != std::string::npos);
    const Followed& open = world.follower.followed()[1];
    CHECK(open.is_watched);
    CHECK(open.files == 1);
    CHECK(open.reason.find("secret") != std::string::npos);
    CHECK(world.follower.is_partial());
  });
  ::chmod((world.home / "closed").c_str(), 0700);
  ::chmod((world.home / "open/secret").c_str(), 0700);
}

TEST_CASE("files of a folder that a person named, without what is hidden") {
  World world;
  fs::create_directories(world.home / "traces/.git");
  fs::create_directories(world.home / "traces/sub");
  append(world.home / "traces/.git/config", "x");
  append(world.home / "traces/sub/a.md", "x");
  append(world.home / "traces/b.jsonl", "x");
  SessionWalk walk;
  walk_files((world.home / "traces").string(), walk, {});
  CHECK(walk.files.size() == 2);
  walk = {};
  walk_files((world.home / "none").string(), walk, {});
  CHECK(walk.files.empty());
  CHECK(walk.problems.size() == 1);
}
