#include "daemon/runtime/timeout.h"

#include <fmt/format.h>

namespace upskill::runtime::detail {

void Limit::start(Clock::duration limit) {
  m_running = true;
  m_timer.expires_after(limit);
  m_timer.async_wait([self = shared_from_this()](boost::system::error_code failure) {
    if (!failure && self->m_running) {
      self->m_expired = true;
      self->cancel();
    }
  });
}

void Limit::stop() {
  m_running = false;
  m_timer.cancel();
}

Error timeout_error(const std::string& what, Clock::duration limit) {
  double seconds = std::chrono::duration<double>(limit).count();
  return Error{ErrorCode::timed_out, fmt::format("`{}` did not answer within {} s", what, seconds)};
}

} // namespace upskill::runtime::detail
