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

} // namespace upskill::runtime
