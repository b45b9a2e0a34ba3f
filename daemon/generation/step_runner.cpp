#include "daemon/generation/step_runner.h"

#include "daemon/await.h"

#include <stdexcept>
#include <utility>

namespace upskill::generation {

StepRunner::StepRunner(asio::any_io_executor executor)
    : m_changed(executor)
    , m_tasks(executor, [this](std::exception_ptr failure) {
      m_failure = m_failure ? m_failure : failure;
      wake();
    }) {}

void StepRunner::wake() {
  m_has_news = true;
  m_changed.notify_all();
}

void StepRunner::start(asio::awaitable<void> task) {
  ++m_under_way;
  m_tasks.start(carry_out(std::move(task)));
}

asio::awaitable<void> StepRunner::carry_out(asio::awaitable<void> task) {
  AWAIT_DONE(std::move(task));
  --m_under_way;
  wake();
}

asio::awaitable<bool> StepRunner::go_on(StepHooks hooks) {
  while (!m_failure) {
    hooks.begin();
    if (hooks.is_over()) {
      co_return true;
    }
    // What needs no waiting is back already, and the machine may have new steps.
    if (std::exchange(m_has_news, false)) {
      continue;
    }
    if (hooks.is_held_up && hooks.is_held_up()) {
      break;
    }
    if (m_under_way == 0) {
      throw std::logic_error("a machine that waits for nothing");
    }
    AWAIT_DONE(m_changed.wait());
    m_has_news = false;
  }
  co_return false;
}

asio::awaitable<bool> StepRunner::run(StepHooks hooks) {
  bool is_over = false;
  std::exception_ptr thrown;
  try {
    AWAIT(is_over, go_on(std::move(hooks)));
  } catch (...) {
    thrown = std::current_exception();
  }
  bool throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  if (!is_over) {
    m_tasks.cancel_all();
  }
  co_await m_tasks.join();
  co_await asio::this_coro::throw_if_cancelled(throws);
  thrown = thrown ? thrown : m_failure;
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  co_return is_over;
}

} // namespace upskill::generation
