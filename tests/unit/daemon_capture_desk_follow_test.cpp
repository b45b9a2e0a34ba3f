#include "clients/hook/spool_writer.h"
#include "protocol/hook/spool_record.h"
#include "tests/support/captured_world.h"
#include "tests/support/claude_session.h"

using namespace upskill;
using namespace upskill::capture;
using tests::CapturedWorld;
using tests::ClaudeSession;
using tests::OpencodeAgent;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

std::string session(const std::string& id) {
  static std::uint64_t lines = 0; // what is appended is no line of it again
  ClaudeSession session(id, lines++);
  session.prompt("Build it");
  return session.bytes;
}

} // namespace

TEST_CASE("what an agent writes to its database's journal is kept, and read by a session's name") {
  CapturedWorld world;
  OpencodeAgent agent(world.folder / "opencode/opencode.db");
  agent.says("One");
  world.run([&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.capture_on());
    AWAIT_DONE(world.until("opencode/ses_1", 1));
    for (std::int64_t count : {2, 3}) {
      agent.says("More");
      AWAIT_DONE(world.until("opencode/ses_1", count));
    }
    // As a row names its source. It may rest from the last time, which takes at most a moment.
    std::int64_t reads = world.desk.counts().reads;
    std::string source = world.folder / "opencode/opencode.db#ses_1";
    Result<bool> read = false;
    Clock::time_point end = Clock::now() + 20s;
    while (read && !*read && Clock::now() < end) {
      AWAIT(read, world.desk.read_now(source));
    }
    REQUIRE(read);
    CHECK(*read);
    CHECK(world.desk.counts().reads > reads);
  });
}

TEST_CASE("a database rests after it was copied, whoever asks") {
  CapturedWorld world({.rest = 1'000'000'000});
  std::string path = world.folder / "opencode/opencode.db";
  OpencodeAgent agent(path);
  agent.says("One");
  world.run([&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.capture_on());
    AWAIT_DONE(world.until("opencode/ses_1", 1));
    agent.says("Two");
    AWAIT(Result<bool> read, world.desk.read_now(path));
    REQUIRE(read);
    CHECK_FALSE(*read);
    AWAIT_DONE(world.desk.read_newest(""));
    CHECK(world.desk.counts().reads == 1);
    AWAIT(std::int64_t kept, world.prompts("opencode/ses_1"));
    CHECK(kept == 1);
  });
}

TEST_CASE("a session folder that is removed and made again is followed as before") {
  CapturedWorld world;
  world.append("p/s1.jsonl", session("s1"));
  world.run([&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.capture_on());
    AWAIT_DONE(world.until("claude-code/s1", 1));
    fs::remove_all(world.folder / "projects");
    AWAIT_DONE(world.until([&] { return !world.desk.followed()[0].is_watched; }));
    world.append("p/s2.jsonl", session("s2"));
    AWAIT_DONE(world.until("claude-code/s2", 1));
    CHECK(world.desk.followed()[0].is_watched);
    world.append("p/s2.jsonl", session("s2"));
    AWAIT_DONE(world.until("claude-code/s2", 2));
  });
}

TEST_CASE("where nothing can be watched, everything is looked through again and again") {
  CapturedWorld world({.poll = 1ms});
  world.has_inotify = false;
  std::string path = world.append("p/s1.jsonl", session("s1"));
  world.run([&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.capture_on());
    AWAIT_DONE(world.until("claude-code/s1", 1));
    REQUIRE(world.desk.followed().size() == 2);
    CHECK_FALSE(world.desk.followed()[0].is_watched);
    CHECK(world.desk.followed()[0].reason.starts_with("looked through every 5 minutes: "));
    world.append("p/s1.jsonl", session("s1"));
    AWAIT_DONE(world.until("claude-code/s1", 2));
    hook::HookEvent event{
        .time_ms = 1, .agent = "claude-code", .event = "Stop", .transcript = path};
    REQUIRE(hook::append_to_spool(
        world.folder / "state", hook::encode_record(event), hook::k_max_segment));
    AWAIT_DONE(world.until([&] { return world.desk.counts().hook_events == 1; }));
    // What did not change is not read again.
    std::int64_t reads = world.desk.counts().reads;
    world.append("p/s2.jsonl", session("s2"));
    AWAIT_DONE(world.until("claude-code/s2", 1));
    CHECK(world.desk.counts().reads <= reads + 2);
    world.has_inotify = true;
    AWAIT_DONE(world.until([&] { return world.desk.followed()[0].is_watched; }));
    CHECK(world.desk.followed()[0].reason.empty());
  });
}

TEST_CASE("what was written last can be read before its turn") {
  CapturedWorld world;
  world.has_inotify = false;
  world.append("p/s1.jsonl", session("s1"));
  world.run([&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.capture_on());
    AWAIT_DONE(world.until("claude-code/s1", 1));
    world.append("p/s2.jsonl", session("s2"));
    AWAIT_DONE(world.desk.read_newest("codex"));
    AWAIT(std::int64_t kept, world.prompts("claude-code/s2"));
    CHECK(kept == 0);
    AWAIT_DONE(world.desk.read_newest("claude-code"));
    AWAIT(kept, world.prompts("claude-code/s2"));
    CHECK(kept == 1);
  });
}
