#pragma once
#include "daemon/runtime/condition.h"
#include "daemon/runtime/offload.h"
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
      : m_free(std::move(executor))
      , m_pool(std::move(pool)) {}

  // Runs `work(engine)` when it is this caller's turn, and not before the engine is open. What it
  // returns is a Result; where there is no engine, the reason.
  template <class F> asio::awaitable<std::invoke_result_t<F&, sync::Engine&>> with_engine(F work) {
    using R = std::invoke_result_t<F&, sync::Engine&>;
    while (m_taken || (!m_engine && !m_problem)) {
      co_await m_free.wait();
    }
    if (!m_engine) {
      co_return tl::make_unexpected(*m_problem);
    }
    m_taken = true;
    Release release{*this};
    auto job = [this, &work] { return work(*m_engine); };
    R result = co_await runtime::offload(m_pool(), std::move(job));
    co_return result;
  }

  void open(sync::Engine engine) {
    m_engine.emplace(std::move(engine));
    m_free.notify_all();
  }

  // Why there is no engine.
  void fail(Error problem) {
    m_problem = std::move(problem);
    m_free.notify_all();
  }

  bool busy() const { return m_taken; }

private:
  struct Release {
    Lane& lane;

    explicit Release(Lane& owner)
        : lane(owner) {}

    Release(const Release&) = delete;
    Release& operator=(const Release&) = delete;

    ~Release() {
      lane.m_taken = false;
      lane.m_free.notify_all(); // all: the one that is told may have been cancelled
    }
  };

  runtime::Condition m_free;
  std::function<runtime::Pool&()> m_pool;
  std::optional<sync::Engine> m_engine;
  std::optional<Error> m_problem;
  bool m_taken = false;
};

} // namespace upskill::daemon
