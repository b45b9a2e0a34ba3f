#include "daemon/runtime/condition.h"

namespace upskill::runtime {

Condition::Condition(asio::any_io_executor executor)
    : m_waiting(std::move(executor), 0) {}

void Condition::notify_one() {
  m_waiting.try_send(boost::system::error_code());
}

void Condition::notify_all() {
  m_waiting.cancel();
}

asio::awaitable<void> Condition::wait() {
  co_await m_waiting.async_receive(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<bool> Condition::wait_until(std::function<bool()> is_so, Clock::duration limit) {
  bool is_late = false;
  Alarm alarm(m_waiting.get_executor(), [this, &is_late] {
    is_late = true;
    notify_all();
  });
  alarm.set(Clock::now() + limit);
  while (!is_so() && !is_late) {
    co_await wait();
  }
  co_return is_so();
}

} // namespace upskill::runtime
