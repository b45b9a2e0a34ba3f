#include "daemon/models/give_up.h"

#include "daemon/await.h"

namespace upskill::models {
namespace {

constexpr int k_enough = 3;

bool is_lasting(ErrorCode code) {
  return code == ErrorCode::permission || code == ErrorCode::not_found
         || code == ErrorCode::refused;
}

} // namespace

asio::awaitable<Result<Answer>> GiveUpModel::answer(Request request) {
  Record& record = m_records[request.model]; // stays where it is: a map
  if (record.final) {
    co_return fail(*record.final);
  }
  AWAIT(Result<Answer> answer, m_inner->answer(std::move(request)));
  if (answer) {
    record.has_answered = true;
    record.in_a_row = 0;
  } else if (is_lasting(answer.error().code)) {
    ++record.in_a_row;
    if (!record.has_answered || record.in_a_row >= k_enough
        || answer.error().code == ErrorCode::refused) {
      record.final = answer.error();
    }
  }
  co_return answer;
}

} // namespace upskill::models
