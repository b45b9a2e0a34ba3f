#pragma once
#include "daemon/models/cached.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/turns.h"
#include "daemon/telemetry/log.h"
#include "protocol/base/result.h"
#include "skills/store/eval_store.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upskill::evals {

struct EvalJournalOptions {
  std::string path = {}; // of evals.db
  std::function<runtime::Pool&()> pool = {};
  std::function<std::int64_t()> now_ms = {}; // Unix time
  store::EvalStoreBounds bounds = {};
};

// The one way to evals.db, which is opened when it is first needed: on the pool, one thing at a
// time. What is put or asked for while the pool is busy with it goes along in one piece of work:
// first what is to be written, in one transaction, then what is asked for. So whoever is answered
// knows that what was put before is committed. What waits to be written is bounded: keep() waits.
// Owner: the daemon. Thread: the daemon's; the store's own calls are on the pool. Lifetime: stop()
// before the destructor.
class EvalJournal : public models::AnswerStore {
public:
  EvalJournal(asio::any_io_executor executor, telemetry::Log& log, EvalJournalOptions options);

  asio::awaitable<std::optional<std::string>> lookup(models::AnswerKey key) override;
  asio::awaitable<void> keep(models::AnswerKey key, std::string value, Keep which) override;

  // Runs `work(store)`, which returns a Result, after everything that was put before the call.
  template <class F> asio::awaitable<std::invoke_result_t<F&, store::EvalStore&>> with(F work) {
    using R = std::invoke_result_t<F&, store::EvalStore&>;
    std::shared_ptr<const Batch> before = m_filling;
    while (!before->is_done && !before->is_empty()) {
      co_await m_served.wait();
    }
    runtime::Turns::Ticket ticket(m_turns);
    auto turn = ticket.called();
    co_await std::move(turn);
    std::int64_t now_ms = m_options.now_ms();
    auto job = [this, &work, now_ms]() -> R {
      TRY(open(now_ms));
      return work(*m_store);
    };
    R result = co_await runtime::offload(m_options.pool(), std::move(job));
    co_return result;
  }

  // Unix time, as rows have it.
  std::int64_t now_ms() const { return m_options.now_ms(); }

  // Closes evals.db until it is needed again, which gives back its memory.
  asio::awaitable<void> rest();

  // Writes what is in line, then ends. Nothing may be put any more.
  asio::awaitable<void> stop();

private:
  struct Write {
    models::AnswerKey key;
    std::string value;
    Keep which;
  };

  struct Read {
    models::AnswerKey key;
    std::optional<std::string> value = {};
  };

  // One piece of work for the pool, and what became of it.
  struct Batch {
    std::vector<Write> writes = {};
    std::vector<Read> reads = {};
    std::size_t bytes = 0;    // of what is to be written
    std::string problem = {}; // of the store
    bool is_done = false;

    bool is_empty() const { return writes.empty() && reads.empty(); }
  };

  void serve_soon();
  asio::awaitable<void> serve_all();
  void tell(const std::string& problem);
  // On the pool, in turn.
  Result<void> open(std::int64_t now_ms);
  void serve(Batch& batch, std::int64_t now_ms);
  Result<void> write(const std::vector<Write>& writes, std::int64_t now_ms);
  Result<void> read(std::vector<Read>& reads, std::int64_t now_ms);

  telemetry::Log& m_log;
  EvalJournalOptions m_options;
  runtime::Turns m_turns;
  runtime::Condition m_served;
  std::shared_ptr<Batch> m_filling = std::make_shared<Batch>();
  std::optional<store::EvalStore> m_store;
  std::string m_told; // the problem that was last logged
  bool m_is_serving = false;
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::evals
