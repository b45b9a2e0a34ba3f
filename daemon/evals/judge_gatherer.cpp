#include "daemon/evals/judge_gatherer.h"

#include "daemon/await.h"

#include <utility>

namespace upskill::evals {
namespace {

std::string told(const Error& error) {
  return error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
}

eval::JudgeOpinion not_reached(const Error& error) {
  return {{}, told(error)};
}

eval::Comparison
comparison_of(const Result<std::string>& reply, std::string_view first, std::string_view second) {
  return reply ? eval::read_comparison(*reply, first, second)
               : eval::Comparison{{}, told(reply.error())};
}

} // namespace

JudgeGatherer::JudgeGatherer(models::Model* model, std::string model_name)
    : m_model(model)
    , m_model_name(std::move(model_name)) {}

asio::awaitable<void>
JudgeGatherer::gather(const eval::Case& one, const eval::Needs& needs, students::Work& work) {
  if (needs.opinions.empty()) {
    co_return;
  }
  auto judged = eval::judged_text(one, work.observation);
  for (const eval::Needs::Opinion& need : needs.opinions) {
    if (!judged) {
      work.observation.opinions[need.position] = judged.error();
      continue;
    }
    eval::JudgeQuestion question;
    question.task = one.input;
    question.rubric = need.rubric;
    question.answer = *judged;
    if (need.reference != one.expected_output) {
      question.expected = one.expected_output;
    }
    if (need.reference.empty()) {
      AWAIT(Result<std::string> reply, ask(eval::judge_prompt(question)));
      work.observation.opinions[need.position] =
          reply ? eval::read_opinion(*reply, *judged) : not_reached(reply.error());
      continue;
    }
    AWAIT(Result<std::string> reply, ask(eval::comparison_prompt(question, need.reference)));
    eval::Comparison straight = comparison_of(reply, *judged, need.reference);
    eval::Comparison swapped;
    if (straight.preference) { // else the other order decides nothing
      question.answer = need.reference;
      AWAIT(Result<std::string> other, ask(eval::comparison_prompt(question, *judged)));
      swapped = comparison_of(other, need.reference, *judged);
    }
    work.observation.opinions[need.position] = eval::at_least_as_good(straight, swapped);
  }
}

asio::awaitable<Result<std::string>> JudgeGatherer::ask(eval::JudgePrompt prompt) {
  Result<std::string> reply;
  if (m_model == nullptr) {
    reply = fail(
        ErrorCode::invalid_argument, "no judge model is named", "name one with `--judge-model`");
  } else {
    models::Request request;
    request.model = m_model_name;
    request.system = std::move(prompt.system);
    request.answer_schema = std::move(prompt.schema);
    models::Message message;
    message.text = std::move(prompt.user);
    request.messages.push_back(std::move(message));
    // The first of all samples, whichever run asks: the same answer is the same question, so a
    // cache gives it the same grade in each run and arm.
    request.sample = 1;
    AWAIT(Result<models::Answer> answer, m_model->answer(std::move(request)));
    if (!answer) {
      reply = fail(std::move(answer).error());
    } else {
      m_spent.add(*answer);
      if (answer->stop == models::Stop::refusal) {
        reply = fail(ErrorCode::refused, "the judge refused to answer");
      } else if (answer->stop == models::Stop::length) {
        reply = fail(ErrorCode::corrupt, "the judge's reply was cut off");
      } else {
        reply = std::move(answer->text);
      }
    }
  }
  if (!reply && !m_first_error) {
    m_first_error = reply.error();
  }
  co_return reply;
}

} // namespace upskill::evals
