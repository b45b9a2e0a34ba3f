#pragma once
#include "daemon/models/question.h"
#include "daemon/runtime/condition.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace upskill::models {

// Where answers are kept. What cannot be read is not there, and what cannot be written is lost: an
// evaluation goes on without a cache. Implementations say so in their log.
// Owner: the daemon. Thread: that of its executor only. Lifetime: longer than the models' answers.
class AnswerStore {
public:
  enum class Keep { first, newest }; // which of two under one key

  virtual ~AnswerStore() = default;

  virtual asio::awaitable<std::optional<std::string>> lookup(AnswerKey key) = 0;
  // Returns when it is in line to be written, before it is on the disk.
  virtual asio::awaitable<void> keep(AnswerKey key, std::string value, Keep which) = 0;
};

// A model whose answers are kept and given again, with the usage, cost and time that they had, and
// `cached` set. Errors and refusals are not kept; what was cut off by its length is. Two who ask
// the same at the same time share one answer.
// Owner, thread, lifetime: as the model that it decorates, which it owns.
class CachedModel : public Model {
public:
  enum class Mode {
    usual,
    fresh // what was kept is not read, but replaced
  };

  CachedModel(asio::any_io_executor executor,
              std::unique_ptr<Model> inner,
              Identify identify,
              AnswerStore& store,
              Mode mode = Mode::usual);

  asio::awaitable<Result<Answer>> answer(Request request) override;

private:
  // One question that is being asked. Without an outcome when it is over: it was cancelled.
  struct Flight {
    bool is_over = false;
    std::optional<Result<Answer>> outcome = {};
  };

  class Landing;

  asio::awaitable<Result<Answer>> find_or_ask(AnswerKey key, Request request);

  std::unique_ptr<Model> m_inner;
  Questions m_questions;
  AnswerStore& m_store;
  Mode m_mode;
  std::map<AnswerKey, std::shared_ptr<Flight>> m_flights;
  std::set<AnswerKey> m_refreshed; // asked anew by this model, and kept: once is enough
  runtime::Condition m_landed;
};

} // namespace upskill::models
