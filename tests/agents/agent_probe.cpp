// Gives one task to a coding agent, as an evaluation does, and prints what came of it:
//
//   agent_probe NAME MODEL URL SKILL_FOLDER with_skill|baseline PROMPT
//
// The caller's environment is that of the agent's call. Ends with 0, or with 1 after an error.
#include "daemon/await.h"
#include "daemon/students/cli_agent.h"

#include <nlohmann/json.hpp>

#include <iostream>

using namespace upskill;
using namespace upskill::students;

namespace {

template <class T> nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

asio::awaitable<void>
ask(CliAgent* agent, Task task, Result<Work>* work, Result<std::string>* version) {
  AWAIT(*version, agent->version());
  AWAIT(*work, agent->work(std::move(task)));
}

void print(const Result<Work>& work, const Result<std::string>& version) {
  nlohmann::json told;
  if (!work) {
    told = {{"error", to_string(work.error().code)},
            {"message", work.error().message},
            {"hint", work.error().hint}};
  } else {
    told = {{"answer", work->observation.answer},
            {"skills", or_null(work->observation.skills_used)},
            {"tools", or_null(work->observation.tools_used)},
            {"input", or_null(work->usage.input)},
            {"cache_read", or_null(work->usage.cache_read)},
            {"output", or_null(work->usage.output)},
            {"cost", or_null(work->cost)},
            {"model", work->model},
            {"turns", or_null(work->turns)},
            {"tool_calls", or_null(work->tool_calls)},
            {"milliseconds", work->milliseconds},
            {"version", version.value_or("")}};
  }
  std::cout << told.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::cerr << "usage: agent_probe NAME MODEL URL SKILL_FOLDER with_skill|baseline PROMPT\n";
    return 2;
  }
  asio::io_context io;
  runtime::Pool pool(2);
  CliAgentOptions options;
  options.model = argv[2];
  options.base_url = argv[3];
  options.limit = std::chrono::minutes(2);
  SkillSets skills;
  skills.with_skill.push_back({"git-commit", "", "", argv[4]});
  auto agent = CliAgent::open(argv[1], pool.of(0), std::move(skills), options);
  Result<Work> work;
  Result<std::string> version;
  if (agent) {
    Task task;
    task.input = argv[6];
    task.arm = std::string_view(argv[5]) == "baseline" ? EvalArm::baseline : EvalArm::with_skill;
    std::exception_ptr failure;
    asio::co_spawn(io,
                   ask(agent->get(), std::move(task), &work, &version),
                   [&](std::exception_ptr thrown) { failure = thrown; });
    io.run();
    if (failure) {
      std::rethrow_exception(failure);
    }
  } else {
    work = fail(agent.error());
  }
  print(work, version);
  return work ? 0 : 1;
}
