#include "daemon/runtime/timers.h"

#include "daemon/runtime/condition.h"

#include <utility>

namespace upskill::runtime {

asio::awaitable<void> wait_for(Clock::duration duration) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  Condition changed(executor);
  bool is_over = false;
  Alarm alarm(executor, [&] {
    is_over = true;
    changed.notify_all();
  });
  alarm.set(Clock::now() + duration);
  while (!is_over) {
    co_await changed.wait();
  }
}

Alarm::Alarm(const asio::any_io_executor& executor, std::function<void()> ring)
    : m_deadlines(Deadlines::of(executor))
    , m_ring(std::move(ring)) {}

Alarm::~Alarm() {
  clear();
}

void Alarm::set(Clock::time_point when) {
  if (m_place && (*m_place)->first == when) {
    return;
  }
  std::optional<Deadlines::Place> old = std::exchange(m_place, m_deadlines.add(when, *this));
  if (old) {
    m_deadlines.remove(*old);
  }
}

void Alarm::clear() {
  if (m_place) {
    m_deadlines.remove(*std::exchange(m_place, std::nullopt));
  }
}

void Alarm::ring() {
  m_place.reset();
  m_ring();
}

} // namespace upskill::runtime
