#include "daemon/runtime/timers.h"

namespace upskill::runtime {

asio::awaitable<void> wait_for(Clock::duration duration) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, duration);
  co_await timer.async_wait(asio::use_awaitable);
}

Alarm::Alarm(asio::any_io_executor executor, std::function<void()> ring)
    : m_timer(std::move(executor))
    , m_state(std::make_shared<State>()) {
  m_state->ring = std::move(ring);
}

Alarm::~Alarm() {
  m_state->when = k_never;
}

void Alarm::set(Clock::time_point when) {
  if (m_state->when == when) {
    return;
  }
  m_state->when = when;
  m_timer.expires_at(when);
  // A handler that was queued before the moment was replaced no longer finds its own and stays
  // silent.
  m_timer.async_wait([state = m_state, when](boost::system::error_code failure) {
    if (!failure && state->when == when) {
      state->when = k_never;
      state->ring();
    }
  });
}

void Alarm::clear() {
  m_state->when = k_never;
  m_timer.cancel();
}

} // namespace upskill::runtime
