#include "daemon/generation/agent_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/daemon_generation_world.h"
#include "tests/unit/skills_agent_events_streams.h"

#include <sys/stat.h>

#include <filesystem>
#include <optional>

using namespace upskill;
using namespace upskill::generation;
using tests::has;

namespace {

asio::awaitable<void> ask_into(models::Model* model,
                               models::Request request,
                               std::optional<Result<models::Answer>>* into) {
  AWAIT(Result<models::Answer> answer, model->answer(std::move(request)));
  into->emplace(std::move(answer));
}

// A PATH with a program that is called like an agent. It notes what it was given.
struct World {
  World() {
    std::filesystem::create_directories(folder / "bin");
    program("cat '" + (folder / "stream") + "'");
    tests::put_file(folder / "stream", agent_events::k_claude_stream);
  }

  void program(const std::string& end) {
    std::string file = folder / "bin/claude";
    tests::put_file(file,
                    "#!/bin/sh\ncat >'" + (folder / "prompt") + "'\nprintf '%s\\n' \"$@\" >'"
                        + (folder / "arguments") + "'\nfind . -name SKILL.md >'"
                        + (folder / "skills") + "'\n" + end + "\n");
    ::chmod(file.c_str(), 0755);
  }

  Result<std::unique_ptr<AgentModel>> open(const std::string& name) {
    students::CliAgentOptions options;
    options.environment = [this](std::string_view variable) -> std::optional<std::string> {
      if (variable == "PATH") {
        return folder / "bin" + ":/usr/bin:/bin";
      }
      return std::nullopt;
    };
    return AgentModel::open(name, pool.of(0), std::move(options));
  }

  Result<models::Answer> ask(const std::string& name, models::Request request) {
    Result<std::unique_ptr<AgentModel>> agent = open(name);
    if (!agent) {
      return fail(agent.error());
    }
    std::optional<Result<models::Answer>> answer;
    tests::run_coroutine(io, ask_into(agent->get(), std::move(request), &answer));
    return std::move(*answer);
  }

  tests::TemporaryFolder folder;
  asio::io_context io;
  runtime::Pool pool{1};
};

models::Request question() {
  models::Request request;
  request.system = "You write skills.";
  models::Message asked;
  asked.text = "Write one for boxes.";
  models::Message said;
  said.role = models::Role::assistant;
  said.text = "Sure.";
  models::Message corrected;
  corrected.text = "That is no skill.";
  request.messages = {asked, said, corrected};
  return request;
}

} // namespace

TEST_SUITE("AgentModel") {
  TEST_CASE("which names are agents") {
    CHECK(is_agent("cli.claude-code"));
    CHECK(is_agent("cli.claude-code:opus"));
    CHECK_FALSE(is_agent("opus"));
    CHECK_FALSE(is_agent("scripted:cli.json"));
  }

  TEST_CASE("an agent is asked as a model, without skills") {
    World world;
    models::Request request = question();
    request.answer_schema = R"({"type": "object"})";
    Result<models::Answer> answer = world.ask("cli.claude-code:opus", request);
    REQUIRE(answer);
    CHECK(answer->text == "feat(login): add form");
    CHECK(answer->model == "claude-sonnet-5-5");
    CHECK(answer->provider == "cli.claude-code");
    CHECK(answer->cost == 0.0035);
    CHECK(answer->usage.input == 1700);
    std::string prompt = tests::file_text(world.folder / "prompt");
    std::size_t at = 0;
    for (const char* part : {"You write skills.",
                             R"({"type": "object"})",
                             "Write no files and run nothing",
                             "Write one for boxes.",
                             "You replied before:\n\nSure.",
                             "That is no skill."}) {
      std::size_t found = prompt.find(part);
      CAPTURE(part);
      REQUIRE(found != std::string::npos);
      CHECK(found >= at);
      at = found;
    }
    CHECK(has(tests::file_text(world.folder / "arguments"), "--model\nopus\n"));
    CHECK(tests::file_text(world.folder / "skills").empty());
  }

  TEST_CASE("an agent that fails is an error, and so is one that is not there") {
    World world;
    world.program("echo no login >&2; exit 1");
    CHECK_FALSE(world.ask("cli.claude-code", question()));
    Result<std::unique_ptr<AgentModel>> none = world.open("cli.nobody");
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::invalid_argument);
  }
}
