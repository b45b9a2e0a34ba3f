// Gives one task to a coding agent, as an evaluation does, and prints what came of it:
//
//   agent_probe NAME MODEL URL SKILL_FOLDER with_skill|baseline PROMPT [record|replay FOLDER]
//
// In the sandbox, where the machine has one. The caller's environment is that of the agent's call.
// Ends with 0, or with 1 after an error.
#include "daemon/await.h"
#include "daemon/students/cli_agent.h"
#include "protocol/base/atomic_file.h"
#include "skills/document/document.h"

#include <nlohmann/json.hpp>

#include <iostream>

using namespace upskill;
using namespace upskill::students;

namespace {

template <class T> nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

constexpr std::string_view k_skill = "git-commit";

struct Probe {
  std::string name = {};
  CliAgentOptions options = {};
  SkillSets skills = {};
  Task task = {};
  bool is_sandboxed = false;
  Result<Work> work = {};
  Result<std::string> version = {};
};

asio::awaitable<void> ask(Probe* probe, sandbox::Sandbox* sandbox, runtime::Pool* pool) {
  AWAIT(Result<void> works, sandbox->check());
  probe->is_sandboxed = works.has_value();
  probe->options.sandbox = works ? sandbox : nullptr;
  auto agent = CliAgent::open(probe->name, pool->of(0), probe->skills, probe->options);
  if (!agent) {
    probe->work = fail(agent.error());
    co_return;
  }
  AWAIT(probe->version, (*agent)->version());
  AWAIT(probe->work, (*agent)->work(std::move(probe->task)));
}

void print(const Probe& probe) {
  const Result<Work>& work = probe.work;
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
            {"requests", or_null(work->requests)},
            {"skill_described", work->skills_described.contains(std::string(k_skill))},
            {"skill_read", work->skills_read.contains(std::string(k_skill))},
            {"cached", work->cached},
            {"milliseconds", work->milliseconds},
            {"sandbox", probe.is_sandboxed},
            {"version", probe.version.value_or("")}};
  }
  std::cout << told.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

} // namespace

int main(int argc, char** argv) {
  const std::string kept = argc == 9 ? argv[7] : "";
  if (argc != 7 && kept != "record" && kept != "replay") {
    std::cerr << "usage: agent_probe NAME MODEL URL SKILL_FOLDER with_skill|baseline PROMPT "
                 "[record|replay FOLDER]\n";
    return 2;
  }
  asio::io_context io;
  runtime::Pool pool(2);
  sandbox::Sandbox sandbox;
  Probe probe;
  probe.name = argv[1];
  probe.options.model = argv[2];
  probe.options.base_url = argv[3];
  probe.options.limit = std::chrono::minutes(2);
  (kept == "replay" ? probe.options.replay : probe.options.record) = argc == 9 ? argv[8] : "";
  Result<std::string> text = read_file(std::string(argv[4]) + "/SKILL.md", 1u << 20);
  if (!text) {
    std::cerr << text.error().message << "\n";
    return 2;
  }
  document::Document document = document::read_document(*text);
  probe.skills.with_skill.push_back(
      {std::string(k_skill), document.description, std::string(document.parts.body), argv[4]});
  probe.task.input = argv[6];
  probe.task.arm =
      std::string_view(argv[5]) == "baseline" ? EvalArm::baseline : EvalArm::with_skill;
  std::exception_ptr failure;
  asio::co_spawn(
      io, ask(&probe, &sandbox, &pool), [&](std::exception_ptr thrown) { failure = thrown; });
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
  print(probe);
  return probe.work ? 0 : 1;
}
