#include "daemon/evals/case_writer.h"

#include "daemon/await.h"
#include "protocol/base/utf8.h"
#include "skills/eval/prompt_text.h"

#include <utility>

namespace upskill::evals {
namespace {

constexpr int k_attempts = 2;
constexpr std::size_t k_most_repeated = 64u << 10; // bytes of a reply that is shown to its model

Result<eval::CaseSuite> read(const models::Answer& answer, const generate::CaseRequest& request) {
  if (answer.stop == models::Stop::length) {
    return fail(ErrorCode::too_large, "the reply was cut off, it is too long");
  }
  return generate::read_written_cases(answer.text, request);
}

} // namespace

CaseWriter::CaseWriter(models::Model& model, std::string model_name)
    : m_model(model)
    , m_model_name(std::move(model_name)) {}

asio::awaitable<Result<eval::CaseSuite>> CaseWriter::write(generate::CaseRequest request) {
  generate::CasePrompt prompt = generate::case_prompt(request);
  models::Request question;
  question.model = m_model_name;
  question.system = std::move(prompt.system);
  question.answer_schema = std::move(prompt.schema);
  models::Message message;
  message.text = std::move(prompt.user);
  question.messages.push_back(std::move(message));
  question.sample = 1;
  Error problem;
  for (int attempt = 0; attempt < k_attempts; ++attempt) {
    AWAIT(Result<models::Answer> answer, m_model.answer(question));
    CO_TRY(answer);
    m_spent.add(*answer);
    if (answer->stop == models::Stop::refusal) {
      co_return fail(ErrorCode::refused,
                     "the model " + in_backticks(m_model_name) + " refused to write test cases",
                     "name another with `--test-gen-model`, or write them");
    }
    Result<eval::CaseSuite> suite = read(*answer, request);
    if (suite) {
      co_return suite;
    }
    problem = std::move(suite).error();
    models::Message said;
    said.role = models::Role::assistant;
    said.text = eval::cut_middle(answer->text, k_most_repeated);
    if (said.text.empty()) { // servers take no empty message
      said.text = "(nothing)";
    }
    models::Message again;
    again.text = generate::correction(problem);
    question.messages.push_back(std::move(said));
    question.messages.push_back(std::move(again));
  }
  problem.message = "the test cases that " + in_backticks(m_model_name)
                    + " wrote cannot be read: " + problem.message;
  problem.hint = "name another model with `--test-gen-model`, or write them";
  co_return fail(std::move(problem));
}

} // namespace upskill::evals
