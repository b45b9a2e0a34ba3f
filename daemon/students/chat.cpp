#include "daemon/students/chat.h"

#include "daemon/await.h"

#include <algorithm>
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

std::optional<std::uint64_t> total(const models::Usage& usage) {
  if (!usage.input || !usage.output) {
    return std::nullopt;
  }
  std::int64_t sum =
      *usage.input + *usage.output + usage.cache_read.value_or(0) + usage.cache_write.value_or(0);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
}

} // namespace

Chat::Chat(models::Model& model,
           std::string model_name,
           std::string skill_name,
           std::string skill_body)
    : m_model(model)
    , m_model_name(std::move(model_name))
    , m_skill_name(std::move(skill_name))
    , m_with_skill(std::string(k_instructions) + "\n\n# Skill: " + m_skill_name + "\n\n"
                   + std::move(skill_body))
    , m_baseline(k_instructions) {}

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
  work.model = std::move(answer->model);
  work.observation.answer = std::move(answer->text);
  work.observation.skill = m_skill_name;
  work.observation.tokens = total(work.usage);
  work.observation.cost_usd = work.cost;
  work.observation.seconds = static_cast<double>(work.milliseconds) / 1000;
  co_return work;
}

} // namespace upskill::students
