#include "daemon/runtime/condition.h"

namespace upskill::runtime {

Condition::Condition(asio::any_io_executor executor)
    : m_never(std::move(executor), asio::steady_timer::time_point::max()) {}

void Condition::notify_one() {
  m_never.cancel_one();
}

void Condition::notify_all() {
  m_never.cancel();
}

asio::awaitable<void> Condition::wait() {
  co_await m_never.async_wait(asio::as_tuple(asio::use_awaitable));
}

} // namespace upskill::runtime
