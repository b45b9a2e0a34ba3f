#pragma once
#include "daemon/models/model.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upskill::tests {

inline models::Answer answer_of(std::string text, std::optional<double> cost = 0.5) {
  models::Answer answer;
  answer.text = std::move(text);
  answer.usage.input = 100;
  answer.usage.output = 10;
  answer.cost = cost;
  return answer;
}

// Says what it is given, in that order, and remembers what it was asked.
class Replies : public models::Model {
public:
  explicit Replies(std::deque<Result<models::Answer>> says)
      : m_says(std::move(says)) {}

  asio::awaitable<Result<models::Answer>> answer(models::Request request) override {
    asked.push_back(std::move(request));
    if (m_says.empty()) {
      co_return fail(ErrorCode::internal, "nobody expected this question");
    }
    Result<models::Answer> next = std::move(m_says.front());
    m_says.pop_front();
    co_return next;
  }

  std::vector<models::Request> asked = {};

private:
  std::deque<Result<models::Answer>> m_says;
};

} // namespace upskill::tests
