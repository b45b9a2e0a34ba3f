#include "daemon/http/connection.h"
#include "protocol/http/events.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

// Writing, and the limits of time.
namespace upskill::http {
namespace {

constexpr std::size_t k_kept = 64u << 10; // of the memory of an answer
constexpr auto k_linger_limit = std::chrono::seconds(2);
constexpr auto k_comment_pause = std::chrono::seconds(15);

} // namespace

bool Connection::is_backed_up() const {
  return m_output.size() - m_written > k_backed_up;
}

void Connection::answer(Status status, std::string_view body, Fields fields) {
  if (m_phase != Phase::busy) {
    return;
  }
  m_deadline.reset();
  if (body.size() > k_max_unread) {
    m_services.counters.at("clients_dropped").fetch_add(1, std::memory_order_relaxed);
    m_user = nullptr;
    close("its answer is longer than 64 MiB");
    return;
  }
  m_user = nullptr;
  while (body.ends_with('\n')) {
    body.remove_suffix(1);
  }
  bool keeps = m_keeps && !m_is_stopping;
  write_answer(m_output, status, body, keeps ? After::keep : After::close, fields);
  next_request();
  flush();
}

void Connection::begin_stream(Fields fields) {
  if (m_phase != Phase::busy) {
    return;
  }
  m_deadline.reset();
  m_phase = Phase::streaming;
  m_framing = m_parser.is_http_1_0() ? Framing::until_close : Framing::chunked;
  m_keeps = m_keeps && m_framing == Framing::chunked;
  write_stream_head(m_output, m_framing, m_keeps ? After::keep : After::close, fields);
  m_next_comment = runtime::Clock::now() + k_comment_pause;
  look_by(m_next_comment);
  flush();
}

void Connection::send_events(std::string_view events) {
  if (m_phase != Phase::streaming) {
    return;
  }
  if (m_output.size() - m_written + events.size() > k_max_unread) {
    m_services.counters.at("clients_dropped").fetch_add(1, std::memory_order_relaxed);
    close("it does not read, and 64 MiB wait for it");
    return;
  }
  write_piece(m_output, m_framing, events);
  m_next_comment = runtime::Clock::now() + k_comment_pause;
  flush();
}

void Connection::end_stream() {
  if (m_phase != Phase::streaming) {
    return;
  }
  m_user = nullptr;
  write_end(m_output, m_framing);
  next_request();
  flush();
}

void Connection::flush() {
  while (m_written < m_output.size()) {
    ssize_t sent = ::send(m_socket.native_handle(),
                          m_output.data() + m_written,
                          m_output.size() - m_written,
                          MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent < 0 && errno != EAGAIN) {
      close();
      return;
    }
    if (sent < 0) {
      wait_output();
      return;
    }
    m_services.bytes_out.fetch_add(sent, std::memory_order_relaxed);
    m_written += static_cast<std::size_t>(sent);
    m_write_limit.reset();
  }
  m_written = 0;
  if (m_output.capacity() > k_kept) {
    m_output = std::string();
  } else {
    m_output.clear();
  }
  drained();
}

void Connection::drained() {
  if (m_phase == Phase::closing) {
    linger();
  } else if (m_phase == Phase::reading && !m_is_processing) {
    process_input();
  }
  m_host.changed(*this);
}

void Connection::wait_output() {
  if (m_waits_for_output) {
    return;
  }
  // What was written long ago need not be moved with every piece that comes behind it.
  if (m_written > m_output.size() / 2) {
    m_output.erase(0, std::exchange(m_written, 0));
  }
  if (!m_write_limit) {
    m_write_limit = runtime::Clock::now() + m_host.limits().write;
    look_by(*m_write_limit);
  }
  m_waits_for_output = true;
  ++m_waits;
  m_socket.async_wait(asio::posix::descriptor_base::wait_write,
                      [this](const boost::system::error_code&) {
                        --m_waits;
                        m_waits_for_output = false;
                        if (m_phase == Phase::closed) {
                          m_host.changed(*this);
                        } else {
                          flush();
                        }
                      });
}

// Closing at once, with bytes of the client unread, would make the system throw away what the
// client has not read yet (RFC 9112, section 9.6).
void Connection::linger() {
  if (m_is_stopping) {
    close();
    return;
  }
  m_phase = Phase::lingering;
  m_input = std::string();
  ::shutdown(m_socket.native_handle(), SHUT_WR);
  set_deadline(k_linger_limit);
  if (!m_is_processing) {
    wait_input();
  }
}

std::optional<Connection::Time> Connection::look(Time now) {
  if (m_phase == Phase::closed) {
    return std::nullopt;
  }
  if (m_write_limit && now >= *m_write_limit) {
    m_services.counters.at("clients_dropped").fetch_add(1, std::memory_order_relaxed);
    close("it does not read");
    return std::nullopt;
  }
  if (m_deadline && now >= *m_deadline) {
    m_deadline.reset();
    if (m_phase == Phase::busy && m_user != nullptr) {
      m_user->kept_waiting(*this);
    } else {
      close();
    }
  }
  if (m_phase == Phase::closed) {
    return std::nullopt;
  }
  if (m_phase == Phase::streaming && now >= m_next_comment) {
    if (m_output.empty()) {
      send_events(k_keep_alive);
    } else {
      m_next_comment = now + k_comment_pause;
    }
  }
  std::optional<Time> next = m_deadline;
  auto earlier = [&](Time when) { next = next ? std::min(*next, when) : when; };
  if (m_write_limit) {
    earlier(*m_write_limit);
  }
  if (m_phase == Phase::streaming) {
    earlier(m_next_comment);
  }
  return next;
}

} // namespace upskill::http
