#pragma once
#include "daemon/models/model.h"
#include "daemon/models/question.h"
#include "daemon/runtime/pool.h"
#include "daemon/students/cli_agent.h"
#include "protocol/base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace upskill::generation {

// Whether a model is a coding agent: `cli.claude-code`, or `cli.claude-code:opus` with a model of
// its own.
bool is_agent(std::string_view model);

// A coding agent that is asked as a model: one run for each question, without skills, in folders
// of its own; whoever has no key of a provider may have an agent that is logged in.
// Owner, thread, lifetime: as of any model.
class AgentModel : public models::Model {
public:
  // Errors: those of CliAgent::open.
  static Result<std::unique_ptr<AgentModel>>
  open(const std::string& name, runtime::Pool::Share pool, students::CliAgentOptions options);

  // What was said before stands in the prompt. The errors of CliAgent::work.
  asio::awaitable<Result<models::Answer>> answer(models::Request request) override;

private:
  explicit AgentModel(std::unique_ptr<students::CliAgent> agent)
      : m_agent(std::move(agent)) {}

  std::unique_ptr<students::CliAgent> m_agent;
};

// For answers that are kept: an agent by its name.
models::Identify identify_agent();

} // namespace upskill::generation
