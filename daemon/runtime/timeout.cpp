#include "daemon/runtime/timeout.h"

#include <fmt/format.h>

namespace upskill::runtime::detail {

Limit::Limit(const asio::any_io_executor& executor, Clock::duration limit)
    : m_alarm(executor, [this] {
      m_expired = true;
      cancel();
    }) {
  m_alarm.set(Clock::now() + limit);
}

Error timeout_error(const std::string& what, Clock::duration limit) {
  double seconds = std::chrono::duration<double>(limit).count();
  return Error{ErrorCode::timed_out, fmt::format("`{}` did not answer within {} s", what, seconds)};
}

} // namespace upskill::runtime::detail
