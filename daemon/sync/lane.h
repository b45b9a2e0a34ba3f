#pragma once
#include "daemon/runtime/offload.h"
#include "daemon/runtime/turns.h"
#include "protocol/base/result.h"
#include "skills/sync/engine.h"

#include <functional>
#include <optional>
#include <utility>

namespace upskill::daemon {

// The one way to the sync engine: callers take turns, first come first served, and each call runs
// on the pool, because the engine blocks and takes one call at a time. Owner: SyncService. Thread:
// the daemon's; the engine's own calls are on the pool.
class Lane {
public:
  explicit Lane(asio::any_io_executor executor, std::function<runtime::Pool&()> pool)
      : m_turns(executor)
      , m_opened(std::move(executor))
      , m_pool(std::move(pool)) {}

  // Runs `work(engine)` when it is this caller's turn, and not before the engine is open. What it
  // returns is a Result; where there is no engine, the reason.
  template <class F> asio::awaitable<std::invoke_result_t<F&, sync::Engine&>> with_engine(F work) {
    using R = std::invoke_result_t<F&, sync::Engine&>;
    runtime::Turns::Ticket ticket(m_turns);
    auto turn = ticket.called();
    co_await std::move(turn);
    while (!m_engine && !m_problem) {
      co_await m_opened.wait();
    }
    if (!m_engine) {
      co_return tl::make_unexpected(*m_problem);
    }
    auto job = [this, &work] { return work(*m_engine); };
    R result = co_await runtime::offload(m_pool(), std::move(job));
    co_return result;
  }

  bool has_engine() const { return m_engine.has_value(); }

  // Also after fail(): the reason is gone.
  void open(sync::Engine engine) {
    m_engine.emplace(std::move(engine));
    m_problem.reset();
    m_opened.notify_all();
  }

  // Why there is no engine.
  void fail(Error problem) {
    m_problem = std::move(problem);
    m_opened.notify_all();
  }

private:
  runtime::Turns m_turns;
  runtime::Condition m_opened;
  std::function<runtime::Pool&()> m_pool;
  std::optional<sync::Engine> m_engine;
  std::optional<Error> m_problem;
};

} // namespace upskill::daemon
