// Watcher: synchronise().
#include "daemon/runtime/timeout.h"
#include "daemon/watch/watcher.h"

namespace upskill::watch {

asio::awaitable<Result<void>> Watcher::await_mark() {
  CO_TRY(m_queue_end->mark());
  std::uint64_t number = ++m_marked;
  m_rest_over.notify_all();
  while (m_marks_seen < number && !m_stopping) {
    co_await m_mark_came.wait();
  }
  co_return Result<void>();
}

asio::awaitable<Result<void>> Watcher::synchronise() {
  if (!polling()) {
    std::string what = "the queue of file events";
    asio::awaitable<Result<void>> mark = await_mark();
    Result<void> came = co_await runtime::with_timeout(
        m_options.synchronise_limit, std::move(mark), std::move(what));
    CO_TRY(came);
  }
  if (m_stopping) {
    co_return fail(ErrorCode::unavailable, "the watcher has stopped");
  }
  if (!polled_roots().empty()) {
    co_await poll_and_deliver();
  }
  co_return Result<void>();
}

} // namespace upskill::watch
