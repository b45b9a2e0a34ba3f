#include "daemon/models/record.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace upskill::models {
namespace {

// Of what the user said first.
std::string first_line(const Request& request) {
  for (const Message& message : request.messages) {
    if (message.role == Role::user && !message.text.empty()) {
      std::string_view text = message.text;
      return in_backticks(utf8_prefix(text.substr(0, text.find('\n')), 80));
    }
  }
  return "a question without words";
}

} // namespace

RecordingModel::RecordingModel(asio::any_io_executor executor,
                               std::unique_ptr<Model> inner,
                               Identify identify,
                               Cassette cassette,
                               runtime::Pool::Share pool)
    : m_inner(std::move(inner))
    , m_questions(std::move(identify))
    , m_cassette(std::move(cassette))
    , m_pool(pool)
    , m_turns(std::move(executor)) {}

asio::awaitable<Result<Answer>> RecordingModel::answer(Request request) {
  CO_TRY_ASSIGN(AnswerKey key, m_questions.key(request));
  CO_TRY_ASSIGN(nlohmann::json readable, m_questions.readable(request));
  AWAIT(Result<Answer> answer, m_inner->answer(std::move(request)));
  CO_TRY(answer);
  runtime::Turns::Ticket ticket(m_turns);
  AWAIT_DONE(ticket.called());
  auto job = [&] { return m_cassette.add(key, readable, *answer); };
  AWAIT(Result<void> added, runtime::offload(m_pool, std::move(job)));
  CO_TRY(added);
  co_return answer;
}

ReplayModel::ReplayModel(Identify identify, Cassette cassette, runtime::Pool::Share pool)
    : m_questions(std::move(identify))
    , m_cassette(std::move(cassette))
    , m_pool(pool) {}

asio::awaitable<Result<Answer>> ReplayModel::answer(Request request) {
  CO_TRY_ASSIGN(AnswerKey key, m_questions.key(request));
  auto job = [&] { return m_cassette.find(key); };
  AWAIT(Result<Answer> answer, runtime::offload(m_pool, std::move(job)));
  if (answer) {
    answer->cached = true;
  } else if (answer.error().code == ErrorCode::not_found) {
    std::string why = answer.error().message;
    co_return fail(ErrorCode::not_found,
                   fmt::format("nothing is recorded of {} for {}: {}",
                               in_backticks(utf8_prefix(request.model, 100)),
                               first_line(request),
                               why),
                   fmt::format("ask with `--record {}` in place of `--replay`, which only asks for "
                               "what is not known",
                               to_valid_utf8(m_cassette.folder())));
  }
  co_return answer;
}

} // namespace upskill::models
