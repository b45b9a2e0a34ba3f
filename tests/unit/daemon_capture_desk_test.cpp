#include "clients/hook/spool_writer.h"
#include "daemon_capture_desk_world.h"
#include "protocol/hook/spool_record.h"

using namespace upskill;
using namespace upskill::tests;

TEST_CASE("where capture is off nothing is read, and nothing is made") {
  DeskWorld world;
  std::string path = world.append("p/s1.jsonl", session("s1"));
  run(world, [&]() -> asio::awaitable<void> {
    world.desk.start();
    AWAIT(Result<bool> read, world.desk.read_now(path));
    REQUIRE(read);
    CHECK_FALSE(*read);
    CHECK_FALSE(fs::exists(world.folder / "state/traces.db"));
    AWAIT(Result<void> followed, world.desk.follow());
    REQUIRE(followed);
    CHECK_FALSE(world.desk.is_following());
    world.desk.ring(world.event(path));
    AWAIT(std::int64_t kept, world.prompts("s1"));
    CHECK(kept == 0);
    CHECK(world.desk.counts().reads == 0);
    CHECK(world.desk.counts().hook_events == 1);
  });
}

TEST_CASE(
    "switched on, what lies there is read, and each line that comes, until it is switched off") {
  DeskWorld world;
  std::string path = world.append("p/s1.jsonl", session("s1"));
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.rule(store::Capture::on));
    CHECK(world.desk.is_following());
    AWAIT_DONE(world.until("s1", 1));
    for (std::int64_t count : {2, 3, 4}) {
      world.append("p/s1.jsonl", session("s1"));
      AWAIT_DONE(world.until("s1", count));
    }
    world.append("new/s2.jsonl", session("s2"));
    AWAIT_DONE(world.until("s2", 1));
    CHECK(world.desk.followed().size() == 1);
    AWAIT_DONE(world.rule(store::Capture::off));
    CHECK_FALSE(world.desk.is_following());
    CHECK(world.desk.followed().empty());
    std::int64_t reads = world.desk.counts().reads;
    world.append("p/s1.jsonl", session("s1"));
    AWAIT(Result<bool> read, world.desk.read_now(path));
    REQUIRE(read);
    CHECK_FALSE(*read);
    AWAIT(std::int64_t kept, world.prompts("s1"));
    CHECK(kept == 4);
    CHECK(world.desk.counts().reads == reads);
    // And on: what came meanwhile is found.
    AWAIT_DONE(world.rule(store::Capture::on));
    AWAIT_DONE(world.until("s1", 5));
    world.append("p/s1.jsonl", session("s1"));
    AWAIT_DONE(world.until("s1", 6));
  });
}

TEST_CASE("switched off and on at once, it is followed as before") {
  DeskWorld world;
  world.append("p/s1.jsonl", session("s1"));
  run(world, [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 5; ++i) {
      AWAIT_DONE(world.rule(store::Capture::on));
      AWAIT_DONE(world.rule(store::Capture::off));
    }
    AWAIT_DONE(world.rule(store::Capture::on));
    AWAIT_DONE(world.until("s1", 1));
    world.append("p/s1.jsonl", session("s1"));
    AWAIT_DONE(world.until("s1", 2));
  });
}

TEST_CASE("a rule for another folder: a session that ran elsewhere is not stored") {
  DeskWorld world;
  // These say that they ran in /home/ada/app.
  std::string path = world.append("p/s1.jsonl", session("s1"));
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.rule(store::Capture::on, "/home/ada/other"));
    CHECK(world.desk.is_following());
    AWAIT(Result<bool> read, world.desk.read_now(path));
    REQUIRE(read);
    CHECK_FALSE(*read);
    AWAIT(std::int64_t kept, world.prompts("s1"));
    CHECK(kept == 0);
    AWAIT_DONE(world.rule(store::Capture::on, "/home/ada"));
    AWAIT_DONE(world.until("s1", 1));
  });
}

TEST_CASE("a hook's ring reads the session it names, where sessions lie, and no other file") {
  DeskWorld world;
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.rule(store::Capture::on));
    std::string elsewhere = world.folder / "s3.jsonl";
    std::ofstream(elsewhere) << session("s3");
    world.desk.ring(world.event(elsewhere));
    // Read by name whether inotify has told of it or not.
    std::string path = world.append("p/s1.jsonl", session("s1"));
    world.desk.ring(world.event(world.folder.path() + "/projects/p/../p/s1.jsonl"));
    AWAIT_DONE(world.until("s1", 1));
    CHECK(world.desk.counts().hook_events == 2);
    AWAIT(Result<bool> read, world.desk.read_now(elsewhere));
    REQUIRE(read);
    CHECK_FALSE(*read);
    AWAIT(std::int64_t kept, world.prompts("s3"));
    CHECK(kept == 0);
  });
}

TEST_CASE("events that hooks left in the spool are read, before and while it is followed") {
  DeskWorld world;
  std::string path = world.append("p/s1.jsonl", session("s1"));
  auto leave = [&] {
    REQUIRE(hook::append_to_spool(
        world.folder / "state", hook::encode_record(world.event(path)), hook::k_max_segment));
  };
  leave();
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.rule(store::Capture::on));
    AWAIT_DONE(world.until("s1", 1));
    CHECK(world.desk.counts().hook_events == 1);
    leave();
    world.append("p/s1.jsonl", session("s1"));
    AWAIT_DONE(world.until("s1", 2));
    Clock::time_point end = Clock::now() + std::chrono::seconds(20);
    while (world.desk.counts().hook_events < 2 && Clock::now() < end) {
      AWAIT_DONE(world.prompts("s1"));
    }
    CHECK(world.desk.counts().hook_events == 2);
  });
}

TEST_CASE("a daemon that starts follows where it was switched on before") {
  DeskWorld world;
  world.append("p/s1.jsonl", session("s1"));
  run(world, [&]() -> asio::awaitable<void> {
    auto put = [](archive::Archive& archive) {
      return archive.store().put_capture_rule({"", "", store::Capture::on});
    };
    AWAIT(Result<void> done, world.desk.with(std::move(put)));
    REQUIRE(done);
    CHECK_FALSE(world.desk.is_following());
    world.desk.start();
    AWAIT_DONE(world.until("s1", 1));
  });
}

TEST_CASE("files that cannot be read, or vanish, do not keep the others from being read") {
  DeskWorld world;
  world.append("p/a.jsonl", std::string(64, '\0'));
  world.append("p/b.jsonl", "");
  fs::create_symlink(world.folder / "none", world.folder / "projects/p/c.jsonl");
  world.append("p/d.jsonl", session("s1"));
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.rule(store::Capture::on));
    AWAIT_DONE(world.until("s1", 1));
    std::string gone = world.append("p/gone.jsonl", session("s2"));
    fs::remove(gone);
    world.desk.ring(world.event(gone));
    world.append("p/d.jsonl", session("s1"));
    AWAIT_DONE(world.until("s1", 2));
  });
}

TEST_CASE("it stops while it reads") {
  DeskWorld world;
  ClaudeSession large("s1");
  for (int i = 0; i < 20'000; ++i) {
    large.prompt("Turn " + std::to_string(i) + " of many, which takes a while to read");
  }
  for (const char* name : {"p/a.jsonl", "p/b.jsonl", "p/c.jsonl"}) {
    world.append(name, large.bytes);
  }
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.rule(store::Capture::on));
    std::int64_t reads = world.desk.counts().reads;
    CHECK(reads < 3);
  });
  // What was read by then counts, and nothing else is left behind.
  CHECK(world.desk.counts().reads < 3);
}
