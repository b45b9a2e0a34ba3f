#pragma once
#include "daemon/runtime/asio.h"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <cstddef>

namespace upskill::runtime {

// The few threads that may block: disk, hashing, databases.
// Owner: Daemon. Thread: join() from the one that made it; offload() from any. Lifetime: longer
// than every coroutine that offloads and, after join(), shorter than their io_context.
class Pool {
public:
  explicit Pool(std::size_t threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Lets the work that was handed over finish, then ends the threads. A second call does nothing.
  void join();

  // Callables handed over that have not returned yet. Each belongs to one waiting coroutine, so
  // what bounds the coroutines bounds this.
  std::size_t pending() const { return m_pending.load(std::memory_order_relaxed); }

private:
  template <class F> friend auto offload(Pool& pool, F work);

  asio::thread_pool m_threads;
  std::atomic<std::size_t> m_pending = 0;
};

} // namespace upskill::runtime
