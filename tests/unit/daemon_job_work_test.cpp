#include "daemon/job_work.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using namespace upskill::daemon;

namespace {

// What a job is run with.
struct Ran {
  std::string skill = {};
  RequestContext context = {};
  int times = 0;
};

asio::awaitable<Result<SyncNowResult>>
resolve(Ran* ran, ConflictResolveParams params, RequestContext context) {
  ran->skill = params.skill;
  ran->context = std::move(context);
  ++ran->times;
  co_return SyncNowResult{};
}

struct World {
  World() {
    binder.on(k_conflict_resolve, [this](ConflictResolveParams params, RequestContext context) {
      return resolve(&ran, std::move(params), std::move(context));
    });
  }

  // Which work a tool is, for who asks so.
  Result<jobs::JobWork> find(const std::string& tool, const std::string& principal) {
    RequestContext context;
    context.principal = principal;
    return work_of_tools(binder)(tool, context);
  }

  telemetry::Log log = telemetry::Log::none();
  Binder binder{log};
  Ran ran = {};
};

} // namespace

TEST_SUITE("work of tools") {
  TEST_CASE("what a person must confirm is no job of an agent's: it would confirm itself") {
    World world;
    for (const char* tool : {"conflict_resolve", "sync_undo"}) {
      CAPTURE(tool);
      REQUIRE(find_method(tool)->effect == Effect::destructive);
      for (const char* principal : {"agents", "http"}) {
        Result<jobs::JobWork> refused = world.find(tool, principal);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::invalid_argument);
        CHECK(refused.error().message
              == "params.tool: `" + std::string(tool) + "` cannot be started as a job");
        CHECK(refused.error().hint == "call it");
      }
    }
    CHECK(world.find("skill_sync", "agents"));
    CHECK(world.ran.times == 0);
  }

  TEST_CASE("a person may start it, and the job runs it as theirs") {
    World world;
    Result<jobs::JobWork> work = world.find("conflict_resolve", "");
    REQUIRE(work);
    jobs::JobRun run;
    run.arguments = R"({"skill":"pdf","take":"loser"})";
    run.input_responses = R"({"confirm":{"action":"accept"}})";
    Result<mcp::Answer> answer = fail(ErrorCode::internal, "nothing came");
    auto body = [&]() -> asio::awaitable<void> {
      asio::awaitable<Result<mcp::Answer>> task = (*work)(run);
      answer = co_await std::move(task);
    };
    asio::io_context io;
    tests::run_coroutine(io, body());
    REQUIRE(answer);
    CHECK(world.ran.times == 1);
    CHECK(world.ran.skill == "pdf");
    CHECK(world.ran.context.principal.empty());
    CHECK(world.ran.context.client.form); // a job asks by its own means
    CHECK(world.ran.context.input_responses == run.input_responses);
  }

  TEST_CASE("no job starts jobs, and none is of a tool that there is not") {
    World world;
    for (const char* principal : {"", "agents"}) {
      CHECK(world.find("job", principal).error().code == ErrorCode::invalid_argument);
      CHECK(world.find("nothing", principal).error().code == ErrorCode::not_found);
    }
  }
}
