#include "daemon/students/cli_result.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::students;

namespace {

runtime::ChildEnd ended(int code) {
  runtime::ChildEnd end;
  end.exit_code = code;
  return end;
}

agent_events::AgentRun failed(std::string said, std::optional<int> status = {}) {
  agent_events::AgentRun run;
  run.ending = agent_events::Ending::failed;
  run.failure = std::move(said);
  run.status = status;
  return run;
}

ErrorCode code_of(agent_events::AgentRun run) {
  Result<Work> work = cli_work(*find_cli_agent("cli.codex"), {}, ended(1), std::move(run));
  REQUIRE_FALSE(work);
  return work.error().code;
}

} // namespace

TEST_SUITE("cli_work") {
  TEST_CASE("a failure means what its status says, or its words") {
    CHECK(code_of(failed("no", 401)) == ErrorCode::permission);
    CHECK(code_of(failed("no", 403)) == ErrorCode::permission);
    CHECK(code_of(failed("no", 404)) == ErrorCode::not_found);
    CHECK(code_of(failed("no", 429)) == ErrorCode::busy);
    CHECK(code_of(failed("no", 529)) == ErrorCode::busy);
    CHECK(code_of(failed("authentication", 500)) == ErrorCode::unavailable);
    CHECK(code_of(failed("Not logged in. Run /login")) == ErrorCode::permission);
    CHECK(code_of(failed("unexpected status 401 Unauthorized")) == ErrorCode::permission);
    CHECK(code_of(failed("Rate limit reached")) == ErrorCode::busy);
    CHECK(code_of(failed("it broke")) == ErrorCode::unavailable);
    CHECK(code_of(failed("")) == ErrorCode::unavailable);
  }

  TEST_CASE("what is told is one line, bounded, and text") {
    std::string said = "a\nb\x1b[31m\xff" + std::string(100'000, 'x');
    Result<Work> work =
        cli_work(*find_cli_agent("cli.codex"), {}, ended(1), failed(std::move(said)));
    REQUIRE_FALSE(work);
    CHECK(work.error().message.size() < 600);
    CHECK(work.error().message.find("a b [31m") != std::string::npos);
  }

  TEST_CASE("a model of this machine costs nothing, and what is unknown stays so") {
    agent_events::AgentRun run;
    run.ending = agent_events::Ending::done;
    run.usage.input = 5;
    CliCall call;
    Result<Work> work = cli_work(*find_cli_agent("cli.codex"), call, ended(0), run);
    REQUIRE(work);
    CHECK_FALSE(work->cost);
    CHECK_FALSE(work->observation.tokens); // half of a sum is none
    CHECK(work->usage.input == 5);
    call.base_url = "http://127.0.0.1:1/v1";
    run.cost = 2;
    work = cli_work(*find_cli_agent("cli.codex"), call, ended(0), run);
    REQUIRE(work);
    CHECK(work->cost == 0);
  }

  TEST_CASE("keys are hidden, also where they are cut off") {
    const std::map<std::string, std::string> keys{{"A", "sk-secret-one"}, {"B", "xyz"}};
    CHECK(without_keys("a sk-secret-one b sk-secret-onesk-secret-one", keys)
          == "a [hidden] b [hidden][hidden]");
    CHECK(without_keys("it is sk-secre", keys) == "it is [hidden]");
    CHECK(without_keys("it is sk-", keys) == "it is sk-");
    CHECK(without_keys("xyz", keys) == "xyz"); // too short to be one
    CHECK(without_keys("", keys).empty());
  }
}
