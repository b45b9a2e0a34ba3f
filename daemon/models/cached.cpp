#include "daemon/models/cached.h"

#include "daemon/await.h"
#include "daemon/models/answer_json.h"

#include <utility>

namespace upskill::models {

// Ends a flight, also where it is cancelled, so that those who wait for it go on.
// Owner: the frame of answer(). Thread, lifetime: the model's.
class CachedModel::Landing {
public:
  Landing(CachedModel& model, AnswerKey key)
      : m_model(model)
      , m_key(key)
      , m_flight(std::make_shared<Flight>()) {
    m_model.m_flights.emplace(m_key, m_flight);
  }

  ~Landing() {
    m_flight->is_over = true;
    m_model.m_flights.erase(m_key);
    m_model.m_landed.notify_all();
  }

  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;

  Flight& flight() { return *m_flight; }

private:
  CachedModel& m_model;
  AnswerKey m_key;
  std::shared_ptr<Flight> m_flight;
};

CachedModel::CachedModel(asio::any_io_executor executor,
                         std::unique_ptr<Model> inner,
                         Identify identify,
                         AnswerStore& store,
                         Mode mode)
    : m_inner(std::move(inner))
    , m_questions(std::move(identify))
    , m_store(store)
    , m_mode(mode)
    , m_landed(std::move(executor)) {}

asio::awaitable<Result<Answer>> CachedModel::answer(Request request) {
  CO_TRY_ASSIGN(AnswerKey key, m_questions.key(request));
  for (auto at = m_flights.find(key); at != m_flights.end(); at = m_flights.find(key)) {
    std::shared_ptr<Flight> flight = at->second;
    while (!flight->is_over) {
      co_await m_landed.wait();
    }
    if (flight->outcome) {
      Result<Answer> shared = *flight->outcome;
      if (shared) {
        shared->cached = true; // it was paid for once
      }
      co_return shared;
    }
  }
  Landing landing(*this, key);
  AWAIT(landing.flight().outcome, find_or_ask(key, std::move(request)));
  co_return *landing.flight().outcome;
}

asio::awaitable<Result<Answer>> CachedModel::find_or_ask(AnswerKey key, Request request) {
  AnswerStore::Keep which = AnswerStore::Keep::first;
  if (m_mode == Mode::fresh && !m_refreshed.contains(key)) {
    which = AnswerStore::Keep::newest;
  } else {
    AWAIT(std::optional<std::string> kept, m_store.lookup(key));
    if (kept) {
      Result<Answer> answer = parse_answer(*kept, "answer");
      if (answer) {
        answer->cached = true;
        co_return answer;
      }
      which = AnswerStore::Keep::newest; // what cannot be read helps nobody
    }
  }
  AWAIT(Result<Answer> answer, m_inner->answer(std::move(request)));
  if (answer && !answer->cached && answer->stop != Stop::refusal) {
    std::string value = write_answer(*answer);
    AWAIT_DONE(m_store.keep(key, std::move(value), which));
    if (m_mode == Mode::fresh) {
      m_refreshed.insert(key);
    }
  }
  co_return answer;
}

} // namespace upskill::models
