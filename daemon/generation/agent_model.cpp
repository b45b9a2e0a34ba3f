#include "daemon/generation/agent_model.h"

#include "daemon/await.h"

#include <utility>

namespace upskill::generation {
namespace {

constexpr std::string_view k_prefix = "cli.";
constexpr auto k_limit = std::chrono::minutes(15);

std::string prompt_of(const models::Request& request) {
  std::string text = request.system;
  if (!request.answer_schema.empty()) {
    text +=
        "\n\nReply with one JSON object that this JSON Schema describes:\n" + request.answer_schema;
  }
  text += "\n\nWrite no files and run nothing: your last message is the reply.";
  for (const models::Message& message : request.messages) {
    text += message.role == models::Role::user ? "\n\n" : "\n\nYou replied before:\n\n";
    text += message.text;
  }
  return text;
}

} // namespace

bool is_agent(std::string_view model) {
  return model.starts_with(k_prefix);
}

Result<std::unique_ptr<AgentModel>> AgentModel::open(const std::string& name,
                                                     runtime::Pool::Share pool,
                                                     students::CliAgentOptions options) {
  std::size_t colon = name.find(':');
  if (colon != std::string::npos) {
    options.model = name.substr(colon + 1);
  }
  options.limit = std::min<runtime::Clock::duration>(options.limit, k_limit);
  TRY_ASSIGN(std::unique_ptr<students::CliAgent> agent,
             students::CliAgent::open(name.substr(0, colon), pool, {}, std::move(options)));
  return std::unique_ptr<AgentModel>(new AgentModel(std::move(agent)));
}

asio::awaitable<Result<models::Answer>> AgentModel::answer(models::Request request) {
  students::Task task;
  task.input = prompt_of(request);
  task.arm = EvalArm::baseline;
  task.sample = request.sample;
  AWAIT(Result<students::Work> work, m_agent->work(std::move(task)));
  CO_TRY(work);
  models::Answer answer;
  answer.text = std::move(work->observation.answer);
  answer.usage = work->usage;
  answer.cost = work->cost;
  answer.model = work->model;
  answer.provider = m_agent->name();
  answer.milliseconds = work->milliseconds;
  co_return answer;
}

models::Identify identify_agent() {
  return [](const std::string& model) -> Result<models::Respondent> {
    return models::Respondent{std::string(k_prefix), "agent", {}, model, {}};
  };
}

} // namespace upskill::generation
