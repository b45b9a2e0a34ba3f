#include "daemon/students/chat.h"

#include "daemon/await.h"
#include "daemon/students/usage.h"

#include <utility>

namespace upskill::students {
namespace {

constexpr std::string_view k_instructions =
    "You are given a task. Do it, and answer with the result.";

// A student without a workspace is told what the files say.
std::string question(const Task& task) {
  std::string text = task.input;
  for (const auto& [path, content] : task.files) {
    text += "\n\nThe file `" + path + "`:\n\n" + content;
  }
  return text;
}

std::string system_prompt(const std::vector<OfferedSkill>& skills) {
  std::string text(k_instructions);
  for (const OfferedSkill& skill : skills) {
    text += "\n\n# Skill: " + skill.name + "\n\n" + skill.body;
  }
  return text;
}

} // namespace

Chat::Chat(models::Model& model, std::string model_name, const SkillSets& skills)
    : m_model(model)
    , m_model_name(std::move(model_name))
    , m_with_skill(system_prompt(skills.with_skill))
    , m_baseline(system_prompt(skills.baseline)) {}

asio::awaitable<Result<Work>> Chat::work(Task task) {
  models::Request request;
  request.model = m_model_name;
  request.system = task.arm == EvalArm::with_skill ? m_with_skill : m_baseline;
  models::Message message;
  message.text = question(task);
  request.messages.push_back(std::move(message));
  request.sample = task.sample;
  AWAIT(Result<models::Answer> answer, m_model.answer(std::move(request)));
  CO_TRY(answer);
  if (answer->stop == models::Stop::refusal) {
    co_return fail(ErrorCode::refused, "the model refused to answer");
  }
  Work work;
  work.usage = answer->usage;
  work.cost = answer->cost;
  work.milliseconds = answer->milliseconds;
  work.turns = 1;
  work.cached = answer->cached;
  work.model = std::move(answer->model);
  work.observation.answer = std::move(answer->text);
  work.observation.tokens = total_tokens(work.usage);
  work.observation.cost_usd = work.cost;
  work.observation.seconds = static_cast<double>(work.milliseconds) / 1000;
  co_return work;
}

} // namespace upskill::students
