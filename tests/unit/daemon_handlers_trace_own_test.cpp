#include "daemon/handlers/trace_own.h"
#include "tests/unit/skills_archive_world.h"

using namespace upskill;
using tests::ArchiveWorld;
using tests::ClaudeSession;

namespace {

constexpr std::int64_t k_began_ms = 1'782'900'000'000; // when a ClaudeSession begins
constexpr std::int64_t k_minute_ms = 60'000;

// An agent in the folder of these sessions, whose client tells nothing.
daemon::RequestContext in_folder(std::string folder) {
  daemon::RequestContext context;
  context.principal = "agents";
  context.place.folder = std::move(folder);
  return context;
}

ClaudeSession session_of(const std::string& id) {
  ClaudeSession session(id);
  session.prompt("Fix the build");
  session.runs("c1", "make");
  session.gives("c1", "ok");
  return session;
}

// As an agent writes it that tells nothing.
void keep(ArchiveWorld& world, const std::string& name, const std::string& bytes) {
  REQUIRE(world.keep(world.put(name, bytes), {.agent = "quiet"}).row.harness == "quiet");
}

Result<std::string> own(ArchiveWorld& world,
                        const daemon::RequestContext& context,
                        std::int64_t now_ms = k_began_ms + k_minute_ms) {
  TRY_ASSIGN(store::SessionRow row, daemon::find_own(world.archive, context, now_ms));
  return row.session;
}

} // namespace

TEST_SUITE("trace_own") {
  TEST_CASE("who tells nothing is known by the folder, where one session is at work") {
    ArchiveWorld world;
    const daemon::RequestContext here = in_folder("/home/ada/app");
    CHECK(own(world, here).error().code == ErrorCode::not_found);
    keep(world, "s1.jsonl", session_of("s1").bytes);
    CHECK(tests::value_of(own(world, here)) == "s1");
    // Not above, below or beside it, and not for a session of before.
    CHECK(own(world, in_folder("/home/ada")).error().code == ErrorCode::not_found);
    CHECK(own(world, in_folder("/home/ada/app/src")).error().code == ErrorCode::not_found);
    CHECK(own(world, in_folder("")).error().code == ErrorCode::invalid_argument);
    // Those of an agent that tells its session are never meant.
    world.keep(world.put("s2.jsonl", session_of("s2").bytes));
    CHECK(tests::value_of(own(world, here)) == "s1");
    CHECK(own(world, here, k_began_ms + 11 * k_minute_ms).error().code == ErrorCode::not_found);
  }

  TEST_CASE("of several sessions it is the one that waits for us, or none") {
    ArchiveWorld world;
    const daemon::RequestContext here = in_folder("/home/ada/app");
    ClaudeSession waits = session_of("s1");
    waits.calls("t1", "mcp_upskill_trace_read", "{}");
    ClaudeSession has_waited = session_of("s2");
    has_waited.calls("t2", "mcp_upskill_trace_read", "{}");
    has_waited.gives("t2", "a session");
    has_waited.calls("t3", "mcp_others_trace_read", "{}");
    keep(world, "s2.jsonl", has_waited.bytes);
    keep(world, "s3.jsonl", session_of("s3").bytes);
    Result<std::string> unknown = own(world, here);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == ErrorCode::invalid_argument);
    CHECK(unknown.error().hint.find("`s2`") != std::string::npos);
    CHECK(unknown.error().hint.find("`s3`") != std::string::npos);
    keep(world, "s1.jsonl", waits.bytes);
    CHECK(tests::value_of(own(world, here)) == "s1");
  }

  TEST_CASE("what was over before the agent began is another's") {
    ArchiveWorld world;
    ClaudeSession later("s2", 120); // its lines are of two minutes later
    later.prompt("And now the tests");
    keep(world, "s1.jsonl", session_of("s1").bytes);
    keep(world, "s2.jsonl", later.bytes);
    daemon::RequestContext context = in_folder("/home/ada/app");
    const std::int64_t now_ms = k_began_ms + 3 * k_minute_ms;
    CHECK(own(world, context, now_ms).error().code == ErrorCode::invalid_argument);
    context.place.began_ms = k_began_ms + k_minute_ms;
    CHECK(tests::value_of(own(world, context, now_ms)) == "s2");
  }

  TEST_CASE("what a client tells comes before its folder") {
    ArchiveWorld world;
    keep(world, "s1.jsonl", session_of("s1").bytes);
    keep(world, "s2.jsonl", session_of("s2").bytes);
    daemon::RequestContext context = in_folder("/home/ada/app");
    context.origin.session = "s2";
    CHECK(tests::value_of(own(world, context)) == "s2");
    context.origin.session = "s9";
    CHECK(own(world, context).error().code == ErrorCode::not_found);
  }
}
