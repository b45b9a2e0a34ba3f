#include "daemon/evals/ask_and_read.h"

#include "protocol/base/utf8.h"
#include "skills/eval/prompt_text.h"

#include <utility>

namespace upskill::evals {

std::string json_correction(const Error& problem) {
  return "Your reply could not be read: " + problem.message
         + (problem.hint.empty() ? "" : " (" + problem.hint + ")")
         + ". Reply again with the whole JSON object, and nothing else.";
}

Result<std::string>
whole_reply(const models::Answer& answer, const std::string& model, const Asked& asked) {
  if (answer.stop == models::Stop::refusal) {
    return fail(ErrorCode::refused,
                "the model " + in_backticks(model) + " refused to write " + asked.written,
                asked.hint);
  }
  if (answer.stop == models::Stop::length) {
    return fail(ErrorCode::too_large, "the reply was cut off, it is too long");
  }
  return answer.text;
}

Error unreadable(Error problem, const std::string& model, const Asked& asked) {
  problem.code = ErrorCode::corrupt; // the model's fault, not the caller's
  problem.message = "the " + asked.written + " that " + in_backticks(model)
                    + " wrote cannot be read: " + problem.message;
  problem.hint = asked.hint;
  return problem;
}

models::Request
question_of(generate::Prompt prompt, const std::string& model, std::uint32_t sample) {
  models::Request question;
  question.model = model;
  question.system = std::move(prompt.system);
  question.answer_schema = std::move(prompt.schema);
  models::Message message;
  message.text = std::move(prompt.user);
  question.messages.push_back(std::move(message));
  question.sample = sample;
  return question;
}

void ask_again(models::Request& question, const models::Answer& answer, const std::string& text) {
  models::Message said;
  said.role = models::Role::assistant;
  said.text = eval::cut_middle(answer.text, k_most_repeated);
  if (said.text.empty()) { // servers take no empty message
    said.text = "(nothing)";
  }
  models::Message again;
  again.text = text;
  question.messages.push_back(std::move(said));
  question.messages.push_back(std::move(again));
}

} // namespace upskill::evals
