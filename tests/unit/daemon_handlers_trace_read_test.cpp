#include "daemon/handlers/traces.h"
#include "tests/support/captured_world.h"
#include "tests/support/claude_session.h"
#include "tests/support/skills_world.h"

using namespace upskill;
using tests::CapturedWorld;
using tests::ClaudeSession;

TEST_CASE("an agent finds the session that it has only just written") {
  CapturedWorld world;
  tests::SkillsWorld skills;
  daemon::TraceRoom room{skills.library(), world.desk};
  world.has_inotify = false; // nothing of it is read by itself
  ClaudeSession old("s1");
  old.prompt("Before");
  world.append("p/s1.jsonl", old.bytes);
  world.run([&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.capture_on());
    AWAIT_DONE(world.until("claude-code/s1", 1));
    ClaudeSession own("s2");
    own.prompt("What was done here?");
    own.calls("toolu_7", "mcp__upskill__trace_read", "{}");
    world.append("p/s2.jsonl", own.bytes);
    daemon::RequestContext context;
    context.origin.tool_use = "toolu_7";
    TraceReadParams params;
    params.tokens = 4000;
    AWAIT(Result<TraceReadResult> read, daemon::read_trace(room, params, context));
    REQUIRE(read);
    CHECK(read->id == "s2");
    CHECK(read->text.find("What was done here?") != std::string::npos);
    // A call of nobody's is told so.
    context.origin.tool_use = "toolu_8";
    AWAIT(read, daemon::read_trace(room, params, context));
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::not_found);
  });
}

TEST_CASE("a call that its agent writes a moment later is waited for") {
  CapturedWorld world;
  tests::SkillsWorld skills;
  daemon::TraceRoom room{skills.library(), world.desk};
  world.has_inotify = false; // nothing of it is read by itself
  world.run([&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.capture_on());
    std::optional<Result<TraceReadResult>> read;
    auto ask = [&]() -> asio::awaitable<void> {
      daemon::RequestContext context;
      context.origin.tool_use = "toolu_7";
      TraceReadParams params;
      params.tokens = 4000;
      AWAIT(read, daemon::read_trace(room, params, context));
    };
    runtime::TaskGroup group(world.io.get_executor(), [](std::exception_ptr) { FAIL("thrown"); });
    group.start(ask());
    // In turn behind the first look for it.
    AWAIT(std::int64_t prompts, world.prompts("claude-code/s2"));
    CHECK(prompts == 0);
    CHECK_FALSE(read);
    ClaudeSession own("s2");
    own.prompt("What was done here?");
    own.calls("toolu_7", "mcp__upskill__trace_read", "{}");
    world.append("p/s2.jsonl", own.bytes);
    auto joined = group.join();
    co_await std::move(joined);
    REQUIRE(read);
    REQUIRE_MESSAGE(*read, read->error().message);
    CHECK((*read)->id == "s2");
  });
}
