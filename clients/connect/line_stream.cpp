#include "clients/connect/line_stream.h"

#include "clients/connect/interrupt.h"
#include "protocol/base/bounds.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace upskill::connect {
namespace {

// An answer may be longer than what a client may ask: every conflict with its texts, for example.
constexpr std::size_t k_max_answer = 4 * k_max_line;
// Small at first: a bridge, of which there are many, only ever reads a few short lines.
constexpr std::size_t k_first_read = 1024;

Error gone() {
  return {ErrorCode::unavailable, "the daemon closed the connection", {}};
}

Result<void> wait_for(int descriptor, short events, long deadline) {
  pollfd entry{descriptor, events, 0};
  int ready = wait({&entry, 1}, std::max(0L, deadline - steady_ms()));
  if (ready > 0) {
    return {};
  }
  if (ready == 0) {
    return fail(ErrorCode::timed_out, "the daemon did not answer in time");
  }
  return interrupted_by() != 0 ? fail(ErrorCode::cancelled, "interrupted")
                               : fail(system_error(errno, "the daemon's socket"));
}

} // namespace

LineStream::LineStream(UniqueFd socket)
    : m_socket(std::move(socket)) {
  int flags = ::fcntl(m_socket.get(), F_GETFL);
  ::fcntl(m_socket.get(), F_SETFL, flags | O_NONBLOCK);
}

Result<void> LineStream::send(std::string_view bytes, long limit_ms) {
  long deadline = steady_ms() + limit_ms;
  while (!bytes.empty()) {
    ssize_t sent = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      TRY(wait_for(m_socket.get(), POLLOUT, deadline));
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return fail(gone());
    } else if (errno != EINTR) {
      return fail(system_error(errno, "the daemon's socket"));
    }
  }
  return {};
}

Result<std::string_view> LineStream::receive(long limit_ms) {
  long deadline = steady_ms() + limit_ms;
  for (;;) {
    std::size_t newline = m_buffer.find('\n', std::max(m_taken, m_looked));
    if (newline != std::string::npos) {
      std::string_view line(m_buffer.data() + m_taken, newline - m_taken);
      m_taken = m_looked = newline + 1;
      return line;
    }
    m_buffer.erase(0, m_taken);
    m_taken = 0;
    m_looked = m_buffer.size();
    if (m_buffer.size() > k_max_answer) {
      return fail(ErrorCode::too_large, "the daemon's answer is longer than 64 MiB");
    }
    std::size_t before = m_buffer.size();
    // Grows with what has come, so that a long answer is not read in many small pieces.
    m_buffer.resize(before + std::max(k_first_read, before));
    ssize_t got = ::recv(m_socket.get(), m_buffer.data() + before, m_buffer.size() - before, 0);
    int problem = errno;
    m_buffer.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0 || (got < 0 && problem == ECONNRESET)) {
      return fail(gone());
    }
    if (got < 0 && problem == EAGAIN) {
      TRY(wait_for(m_socket.get(), POLLIN, deadline));
    } else if (got < 0 && problem != EINTR) {
      return fail(system_error(problem, "the daemon's socket"));
    }
  }
}

} // namespace upskill::connect
