#pragma once
#include "daemon/await.h"
#include "daemon/models/cached.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/task_group.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace models_test {

using namespace upskill;
using namespace upskill::models;

// A model that says what it is told to say, when its gate is open, and counts.
class TalkingModel : public Model {
public:
  explicit TalkingModel(asio::any_io_executor executor)
      : m_gate(std::move(executor)) {}

  asio::awaitable<Result<Answer>> answer(Request request) override {
    asked.push_back(request);
    ++under_way;
    most_under_way = std::max(most_under_way, under_way);
    while (is_closed) {
      co_await m_gate.wait();
    }
    --under_way;
    if (!says.empty()) {
      Result<Answer> next = says.front();
      says.erase(says.begin());
      co_return next;
    }
    co_return otherwise;
  }

  void open() {
    is_closed = false;
    m_gate.notify_all();
  }

  std::vector<Request> asked = {};
  std::vector<Result<Answer>> says = {}; // first these
  Result<Answer> otherwise = Answer{.text = "hello",
                                    .usage = {.input = 900, .output = 100},
                                    .cost = 0.01,
                                    .model = "talker-1",
                                    .provider = "test",
                                    .milliseconds = 40};
  bool is_closed = false;
  std::size_t under_way = 0;
  std::size_t most_under_way = 0;

private:
  runtime::Condition m_gate;
};

// For a model that must be owned, and seen.
class Borrowed : public Model {
public:
  explicit Borrowed(Model& model)
      : m_model(model) {}

  asio::awaitable<Result<Answer>> answer(Request request) override {
    return m_model.answer(std::move(request));
  }

private:
  Model& m_model;
};

inline std::unique_ptr<Model> borrowed(Model& model) {
  return std::make_unique<Borrowed>(model);
}

inline Identify by_name() {
  return [](const std::string& name) {
    return Result<Respondent>(Respondent{.provider = "test", .wire = "chat", .model = name});
  };
}

inline Request question(std::string text, std::uint32_t sample = 1) {
  return {.model = "talker",
          .system = "be brief",
          .messages = {{.text = std::move(text)}},
          .sample = sample};
}

inline asio::awaitable<void> ask(Model* model, Request request, std::vector<Result<Answer>>* into) {
  AWAIT(Result<Answer> answer, model->answer(std::move(request)));
  into->push_back(std::move(answer));
}

inline asio::awaitable<void>
ask_in_turn(Model* model, std::vector<Request> requests, std::vector<Result<Answer>>* into) {
  for (Request& request : requests) {
    AWAIT_DONE(ask(model, std::move(request), into));
  }
}

// One after the other.
inline std::vector<Result<Answer>>
answers_of(asio::io_context& io, Model& model, std::vector<Request> requests) {
  std::vector<Result<Answer>> answers;
  tests::run_coroutine(io, ask_in_turn(&model, std::move(requests), &answers));
  return answers;
}

inline Result<Answer> answer_of(asio::io_context& io, Model& model, Request request) {
  return answers_of(io, model, {std::move(request)}).at(0);
}

} // namespace models_test
