#pragma once
#include "daemon/runtime/condition.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/turns.h"
#include "daemon/telemetry/log.h"
#include "protocol/base/result.h"
#include "skills/store/job_store.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upskill::jobs {

struct JournalOptions {
  std::string path = {}; // of jobs.db
  std::function<runtime::Pool&()> pool = {};
  std::function<std::int64_t()> now_ms = {}; // Unix time
  std::int64_t finished_kept = 1000;
};

// The one way to jobs.db, which is opened when it is first needed: on the pool, one thing at a
// time, writes in the order in which they were put. Those that are put while others are being
// written share one transaction, and of two rows of a job only the later is written. Where that
// transaction fails, each row has one of its own: none is kept out by another. Owner: JobQueue.
// Thread: the daemon's; the store's own calls are on the pool. Lifetime: stop() before the
// destructor.
class Journal {
public:
  struct Write {
    store::JobRow row;
    bool is_new = false;
  };

  // A transaction to be, and what became of it.
  struct Batch {
    std::vector<Write> writes = {};          // none once it is done
    std::vector<Result<void>> outcomes = {}; // of each of them, when it is

    bool is_done() const { return !outcomes.empty(); }
  };

  // One row of a batch.
  struct Ticket {
    std::shared_ptr<const Batch> batch = {};
    std::size_t at = 0;
  };

  Journal(asio::any_io_executor executor, telemetry::Log& log, JournalOptions options);

  // Puts a row in line; never waits. `insert` is for a job's first.
  Ticket insert(store::JobRow row) { return put(std::move(row), true); }

  Ticket update(store::JobRow row) { return put(std::move(row), false); }

  // Whether it was committed; the reason where it was not. Who is cancelled only stops waiting.
  asio::awaitable<Result<void>> written(Ticket ticket);

  // Runs `work(store)`, which returns a Result, after everything that was put before the call.
  template <class F> asio::awaitable<std::invoke_result_t<F&, store::JobStore&>> read(F work) {
    using R = std::invoke_result_t<F&, store::JobStore&>;
    if (!m_filling->writes.empty()) {
      auto before = written({m_filling, 0});
      co_await std::move(before); // what became of that is its writers' affair
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

  // Jobs that the daemon before left unfinished, which the first opening ended.
  const std::vector<std::string>& cut_off() const { return m_cut_off; }

  // Writes what is in line, then ends. Nothing may be put any more.
  asio::awaitable<void> stop();

private:
  Ticket put(store::JobRow row, bool is_new);
  asio::awaitable<void> write_all();
  // On the pool, in turn.
  Result<void> open(std::int64_t now_ms);
  Result<store::JobStore> open_or_begin_anew(std::int64_t now_ms);
  std::vector<Result<void>> commit_all(const std::vector<Write>& writes, std::int64_t now_ms);
  Result<void> commit(std::span<const Write> writes, std::int64_t now_ms);

  telemetry::Log& m_log;
  JournalOptions m_options;
  runtime::Turns m_turns;
  runtime::Condition m_committed;
  std::shared_ptr<Batch> m_filling = std::make_shared<Batch>();
  std::optional<store::JobStore> m_store;
  std::vector<std::string> m_cut_off;
  bool m_is_writing = false;
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::jobs
