#include "clients/mcp/relay.h"

#include "clients/connect/interrupt.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace upskill::mcp {

bool can_be_handed_over(int descriptor, bool writing) {
  struct stat status {};

  if (::fstat(descriptor, &status) != 0) {
    return false;
  }
  if (S_ISSOCK(status.st_mode)) {
    return true;
  }
  if (!S_ISFIFO(status.st_mode)) {
    return false;
  }
  // A pipe made by another user cannot be opened anew, neither by us nor by the daemon.
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  UniqueFd again(::open(path.c_str(), (writing ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_CLOEXEC));
  return static_cast<bool>(again);
}

Relay::Relay(int source, UniqueFd target)
    : m_source(source)
    , m_target(std::move(target)) {}

pollfd Relay::interest() const {
  if (m_finished) {
    return {-1, 0, 0};
  }
  return m_passed < m_filled ? pollfd{m_target.get(), POLLOUT, 0} : pollfd{m_source, POLLIN, 0};
}

void Relay::finish() {
  m_finished = true;
  m_target.reset();
}

void Relay::act(short events) {
  if (m_finished || events == 0) {
    return;
  }
  if (m_passed < m_filled) {
    ssize_t written = ::write(m_target.get(), m_buffer.data() + m_passed, m_filled - m_passed);
    if (written >= 0) {
      m_passed += static_cast<std::size_t>(written);
    } else if (errno != EINTR && errno != EAGAIN) {
      finish();
    }
    return;
  }
  ssize_t got = ::read(m_source, m_buffer.data(), m_buffer.size());
  if (got > 0) {
    m_filled = static_cast<std::size_t>(got);
    m_passed = 0;
  } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
    finish();
  }
}

void Relay::drain(long limit_ms) {
  long deadline = connect::steady_ms() + limit_ms;
  while (!m_finished) {
    pollfd entry = interest();
    // An empty source ends it; a target that is slow is waited for.
    long limit = entry.events == POLLIN ? 0 : std::max(0L, deadline - connect::steady_ms());
    if (connect::wait({&entry, 1}, limit) <= 0) {
      return;
    }
    act(entry.revents);
  }
}

} // namespace upskill::mcp
