#include "daemon/http/connection.h"

#include "protocol/mcp/output.h"
#include "protocol/rpc/message.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

// Reading: bytes become requests.
namespace upskill::http {
namespace {

constexpr std::size_t k_block = 64u << 10;
constexpr std::size_t k_max_ahead = 64u << 10; // of the requests behind the one that is handled
constexpr std::size_t k_max_discarded = 1u << 20;
constexpr auto k_patience = std::chrono::seconds(5); // then the head of the answer is sent

Error error_of(int status, Route route = Route::mcp) {
  switch (status) {
  case 411:
    return {ErrorCode::invalid_argument,
            "the request does not say how long its body is",
            "send `Content-Length`, or chunks"};
  case 413:
    return too_long(route);
  case 431:
    return {ErrorCode::too_large, "the head of the request is longer than 16 KiB"};
  default:
    return {ErrorCode::invalid_argument, "this is not HTTP/1.1"};
  }
}

} // namespace

Connection::Connection(daemon::Services& services,
                       Host& host,
                       std::uint64_t number,
                       UniqueFd socket)
    : m_services(services)
    , m_host(host)
    , m_number(number)
    , m_socket(services.io) {
  boost::system::error_code failure;
  m_socket.assign(socket.get(), failure);
  if (failure) {
    m_phase = Phase::closed;
  } else {
    socket.release();
  }
}

void Connection::start() {
  if (m_phase != Phase::closed) {
    m_idle_since = runtime::Clock::now();
    set_deadline(m_host.limits().head);
    wait_input();
  }
}

bool Connection::is_idle() const {
  return m_phase == Phase::reading && m_output.empty() && m_idle_since != Time();
}

void Connection::set_deadline(runtime::Clock::duration limit) {
  look_by(*(m_deadline = runtime::Clock::now() + limit));
}

void Connection::look_by(Time when) {
  m_host.look_by(when);
}

void Connection::wait_input() {
  bool has_room = m_phase == Phase::reading ? m_output.empty() : m_input.size() < k_max_ahead;
  if (m_waits_for_input || m_phase == Phase::closed || m_phase == Phase::closing || !has_room) {
    return;
  }
  m_waits_for_input = true;
  ++m_waits;
  m_socket.async_wait(asio::posix::descriptor_base::wait_read,
                      [this](const boost::system::error_code&) {
                        --m_waits;
                        m_waits_for_input = false;
                        on_input();
                      });
}

void Connection::on_input() {
  if (m_phase == Phase::closed) {
    m_host.changed(*this);
    return;
  }
  static thread_local std::array<char, k_block> block;
  ssize_t bytes = ::recv(m_socket.native_handle(), block.data(), block.size(), 0);
  if (bytes == 0) {
    input_ended();
    return;
  }
  if (bytes < 0) {
    if (errno != EAGAIN && errno != EINTR) {
      close();
      return;
    }
    wait_input();
    return;
  }
  m_services.bytes_in.fetch_add(bytes, std::memory_order_relaxed);
  if (m_phase == Phase::lingering) {
    m_discarded += static_cast<std::size_t>(bytes);
    if (m_discarded > k_max_discarded) {
      close();
      return;
    }
  } else {
    m_input.append(block.data(), static_cast<std::size_t>(bytes));
    process_input();
  }
  wait_input();
}

// A client that has shut down its sending side cannot be told from one that is gone, and MCP makes
// the end of a connection the end of what was asked on it.
void Connection::input_ended() {
  close();
}

void Connection::process_input() {
  if (m_is_processing) {
    return; // further up the stack
  }
  m_is_processing = true;
  while (m_phase == Phase::reading && m_output.empty() && take_request()) {
  }
  m_is_processing = false;
  if (m_phase != Phase::closed) {
    wait_input();
  }
}

// False when more bytes must come first.
bool Connection::take_request() {
  using State = RequestParser::State;
  if (m_input.empty()) {
    return false;
  }
  bool is_first = std::exchange(m_idle_since, Time()) != Time();
  std::size_t taken = m_parser.take(m_input);
  m_input.erase(0, taken);
  if (m_parser.state() == State::failed) {
    Route route = m_has_head ? *route_of(m_parser.head().target) : Route::mcp;
    refuse(m_parser.status(), error_of(m_parser.status(), route));
    return false;
  }
  if (m_parser.state() == State::head) {
    if (is_first) {
      set_deadline(m_host.limits().head);
    }
    return false;
  }
  if (!m_has_head) {
    m_has_head = true;
    if (!let_in()) {
      return false;
    }
  }
  if (m_parser.state() != State::done && taken == 0 && m_input.size() > k_max_http_head) {
    refuse(431, error_of(431)); // a chunk's size or trailer without an end
    return false;
  }
  if (m_parser.state() != State::done) {
    // The rest of the body may be here already: the head came alone.
    return taken > 0 && !m_input.empty();
  }
  m_deadline.reset();
  m_keeps = m_parser.keeps_alive();
  m_phase = Phase::busy;
  m_host.handle(*this);
  if (m_phase == Phase::busy) {
    set_deadline(k_patience);
  }
  return true;
}

// Looks at the head before any of the body is taken.
bool Connection::let_in() {
  if (auto refusal = m_host.gate().check(m_parser.head(), m_parser.content_length())) {
    const std::optional<AnswerField>& field = refusal->field;
    refuse(refusal->status, refusal->error, field ? Fields{&*field, 1} : Fields{});
    return false;
  }
  m_is_trusted = true;
  m_parser.limit_body(max_body(*route_of(m_parser.head().target))); // the gate knows it
  if (m_parser.head().method == "POST" && !m_parser.has_length()) {
    refuse(411, error_of(411));
    return false;
  }
  if (m_parser.state() == RequestParser::State::body) {
    set_deadline(m_host.limits().body);
    if (m_parser.expects_continue() && m_input.empty()) {
      m_output += k_continue;
      flush();
    }
  }
  return m_phase != Phase::closed;
}

// What cannot be read, or may not be asked, ends the connection: nobody knows what would follow.
void Connection::refuse(Status status, const Error& error, Fields fields) {
  m_keeps = false;
  m_phase = Phase::busy;
  std::string body;
  mcp::write_error(body, {}, rpc::k_invalid_request, mcp::error_text(error));
  answer(status, body, fields);
}

// The answer is written: another request, or the end.
void Connection::next_request() {
  if (!m_keeps || m_is_stopping) {
    m_phase = Phase::closing;
    return;
  }
  m_phase = Phase::reading;
  m_parser.reset();
  m_has_head = false;
  m_idle_since = runtime::Clock::now();
  set_deadline(m_host.limits().idle);
}

void Connection::stop_reading() {
  m_is_stopping = true;
  if (is_idle()) {
    close();
  }
}

void Connection::close(std::string_view reason) {
  if (m_phase == Phase::closed) {
    return;
  }
  m_phase = Phase::closed;
  if (!reason.empty()) {
    m_services.log.warning("HTTP connection {} is closed: {}", m_number, reason);
  }
  boost::system::error_code ignored;
  m_socket.close(ignored);
  if (User* user = std::exchange(m_user, nullptr)) {
    user->left(*this);
  }
  m_host.changed(*this);
}

} // namespace upskill::http
