#include "daemon/session.h"
#include "daemon/sessions.h"
#include "protocol/base/mcp_bounds.h"

#include <limits.h>
#include <unistd.h>

#include <cerrno>

// Writing, limits of time, and the end of a session.
namespace upskill::daemon {
namespace {

// As much as an empty pipe takes: what is larger has to wait in part.
constexpr std::size_t k_direct = 64u << 10;

} // namespace

ClientSession::ClientSession(Services& services,
                             Sessions& sessions,
                             std::uint64_t number,
                             Mapping memory)
    : m_services(services)
    , m_sessions(sessions)
    , m_number(number)
    , m_memory(SessionMemory::fresh(std::move(memory)))
    , m_conversation(services, *this, number, mcp::Session(*services.server, Audience::people), {})
    , m_input(services.io)
    , m_output(services.io)
    , m_control(services.io) {}

ClientSession::~ClientSession() = default;

void ClientSession::start(UniqueFd socket) {
  boost::system::error_code failure;
  m_input.assign(socket.get(), failure);
  if (failure) {
    m_services.log.error("session {}: {}", m_number, failure.message());
    close("");
    return;
  }
  socket.release();
  wait_input();
}

boost::asio::posix::stream_descriptor& ClientSession::output() {
  return m_is_agent ? m_output : m_input;
}

bool ClientSession::is_backed_up() const {
  return m_memory.pending().size() > k_backed_up;
}

bool ClientSession::is_idle() const {
  return m_phase == Phase::closed || (m_conversation.is_idle() && m_memory.pending().empty());
}

void ClientSession::send(std::string_view bytes) {
  if (write_or_keep(bytes) == Next::write) {
    write_pending();
  }
}

// Small output is written at once. What is larger, or comes behind other output, is only recorded:
// the caller may then forget what it answers before it is written, and a death within the write is
// the only one that can tear a line.
ClientSession::Next ClientSession::write_or_keep(std::string_view bytes) {
  if (bytes.empty() || m_phase == Phase::closed) {
    return Next::nothing;
  }
  m_services.note_messages("session", m_number, telemetry::Direction::to_client, bytes);
  if (!m_memory.pending().empty() || bytes.size() > k_direct) {
    bool starts = m_memory.pending().empty();
    if (!m_memory.add_pending(bytes)) {
      drop("it does not read, and 64 MiB wait for it");
      return Next::nothing;
    }
    return starts ? Next::write : Next::nothing;
  }
  // A pipe takes up to PIPE_BUF bytes whole or not at all.
  bool may_tear = bytes.size() > PIPE_BUF;
  if (may_tear) {
    m_memory.begin_write();
  }
  ssize_t written = write_some(bytes);
  bool is_short = written >= 0 && static_cast<std::size_t>(written) < bytes.size();
  bool fits = !is_short || m_memory.add_pending(bytes, static_cast<std::size_t>(written));
  if (may_tear) {
    m_memory.end_write();
  }
  if (written < 0 || !fits) {
    close("");
  } else if (is_short) {
    wait_output();
  }
  return Next::nothing;
}

void ClientSession::drop(std::string_view reason) {
  m_services.counters.at("clients_dropped").fetch_add(1, std::memory_order_relaxed);
  close(reason);
}

// As write(2), but 0 when nothing can be written now, and -1 only when nothing ever will.
ssize_t ClientSession::write_some(std::string_view bytes) {
  ssize_t written = 0;
  do {
    written = ::write(output().native_handle(), bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) {
    return errno == EAGAIN ? 0 : -1;
  }
  m_services.bytes_out.fetch_add(written, std::memory_order_relaxed);
  return written;
}

void ClientSession::wait_output() {
  if (m_waits_for_output || m_phase == Phase::closed) {
    return;
  }
  if (!m_write_limit) {
    m_write_limit = runtime::Clock::now() + k_write_limit;
    m_sessions.wants_tick();
  }
  m_waits_for_output = true;
  ++m_waits;
  output().async_wait(asio::posix::descriptor_base::wait_write,
                      [this](const boost::system::error_code&) {
                        --m_waits;
                        m_waits_for_output = false;
                        on_output();
                      });
}

void ClientSession::on_output() {
  if (m_phase == Phase::closed) {
    changed();
    return;
  }
  bool was_backed_up = is_backed_up();
  write_pending();
  if (was_backed_up && !is_backed_up() && m_phase == Phase::open) {
    process_input();
    wait_input();
  }
}

void ClientSession::write_pending() {
  // Recorded after each write: what a death may repeat is one write.
  ssize_t written = 1;
  while (written > 0 && !m_memory.pending().empty()) {
    m_memory.begin_write();
    written = write_some(m_memory.pending());
    if (written < 0) {
      close("");
      return;
    }
    m_memory.pending_written(static_cast<std::size_t>(written));
    m_memory.end_write();
    if (written > 0) {
      m_write_limit.reset();
    }
  }
  if (!m_memory.pending().empty()) {
    wait_output();
  } else {
    close_when_drained();
    changed();
  }
}

void ClientSession::tell(const mcp::Change& change) {
  std::string output;
  protocol().tell(change, output);
  send(output);
}

bool ClientSession::tick(Time now) {
  if (m_write_limit && now >= *m_write_limit) {
    drop("it has read nothing for 30 s");
  }
  if (m_drain_limit && now >= *m_drain_limit && m_phase == Phase::draining) {
    m_conversation.abandon();
    close_when_drained();
    if (m_phase == Phase::draining) {
      close("it does not read its last answers");
    }
  }
  if (m_is_large && m_phase != Phase::closed && m_memory.pending().empty()) {
    m_is_large = false;
    m_memory.trim();
    m_sessions.memory_was_used();
  }
  bool asks = m_phase != Phase::closed && m_conversation.tick(now);
  return m_phase != Phase::closed && (m_write_limit || m_drain_limit || m_is_large || asks);
}

// After the end of the input: when the last call is answered and the last byte written.
void ClientSession::close_when_drained() {
  if (m_phase != Phase::draining || !m_conversation.is_idle()) {
    return;
  }
  if (!m_protocol_closed) {
    m_protocol_closed = true;
    std::string output;
    protocol().close(output);
    send(output);
  }
  if (m_phase == Phase::draining && m_memory.pending().empty()) {
    tell_bridge(k_ended_line);
    close("");
  }
}

void ClientSession::stop_reading() {
  if (m_phase == Phase::open) {
    m_phase = Phase::stopping;
  }
}

void ClientSession::stop() {
  if (m_phase == Phase::closed) {
    return;
  }
  std::string output;
  protocol().close(output);
  m_protocol_closed = true;
  send(output);
  if (m_phase == Phase::closed) {
    return;
  }
  m_conversation.abandon();
  record();
  tell_bridge(m_phase == Phase::draining ? k_ended_line : k_stopping_line);
  close("");
}

void ClientSession::close(std::string_view reason) {
  if (m_phase == Phase::closed) {
    return;
  }
  m_phase = Phase::closed;
  if (!reason.empty()) {
    m_services.log.warning("session {} is closed: {}", m_number, reason);
  }
  m_conversation.abandon();
  boost::system::error_code ignored;
  m_input.close(ignored);
  m_output.close(ignored);
  m_control.close(ignored);
  changed();
}

void ClientSession::changed() {
  m_sessions.changed(*this);
}

} // namespace upskill::daemon
