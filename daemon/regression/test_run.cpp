#include "daemon/regression/test_run.h"

#include "daemon/await.h"

#include <algorithm>
#include <utility>

namespace upskill::regression {

TestRun::TestRun(asio::any_io_executor executor, Test& test, TestRunOptions options)
    : m_test(test)
    , m_options(std::move(options))
    , m_added(executor)
    , m_tasks(executor, [this](std::exception_ptr failure) {
      // The first: what breaks while it is cancelled is a consequence.
      m_failure = m_failure ? m_failure : failure;
      m_tasks.cancel_all();
    }) {}

asio::awaitable<void> TestRun::run() {
  for (std::size_t i = 0; i < std::max<std::size_t>(m_options.in_flight, 1); ++i) {
    m_tasks.start(draw_next());
  }
  AWAIT_DONE(m_tasks.see_through());
  if (m_failure) {
    std::rethrow_exception(m_failure);
  }
  if (m_end) {
    m_test.stop(*m_end); // no change where the last samples have decided
  }
}

// Whoever may not ask any more leaves; those who still wait for an answer bring it in first.
asio::awaitable<void> TestRun::draw_next() {
  while (!m_test.is_over() && !m_end) {
    const bool may_ask = m_options.may_ask(m_under_way);
    if (!may_ask && m_under_way == 0) {
      m_end = WatchReason::out_of_budget;
      break;
    }
    std::optional<WantedSample> wanted = may_ask ? m_test.next() : std::nullopt;
    if (!wanted) { // others have to come in first
      co_await m_added.wait();
      continue;
    }
    ++m_under_way;
    AWAIT(std::optional<EvalSample> sample, m_options.draw(*wanted));
    --m_under_way;
    if (!sample) {
      m_end = WatchReason::waiting;
      break;
    }
    if (m_options.drawn) {
      m_options.drawn(*wanted, *sample);
    }
    // It is of the plan, so there is no error.
    static_cast<void>(m_test.add(*wanted, sample->outcome));
    m_added.notify_all();
  }
  m_added.notify_all();
  if (m_test.is_over()) {
    // It is among them: one that never had to wait would throw where nobody catches it.
    co_await asio::this_coro::throw_if_cancelled(false);
    m_tasks.cancel_all();
  }
}

} // namespace upskill::regression
