#include "daemon/session.h"
#include "daemon/sessions.h"
#include "daemon/telemetry/crash_handler.h"
#include "daemon/telemetry/redact.h"
#include "protocol/rpc/simdjson_reader.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

// Reading: bytes become lines, lines become calls and answers.
namespace upskill::daemon {
namespace {

constexpr std::size_t k_output_block = 256u << 10; // bytes of answers before they are written
constexpr std::size_t k_large_message = 256u << 10;
constexpr std::uint32_t k_max_attempts = 2; // daemons that may die over the same lines
constexpr auto k_drain_limit = std::chrono::seconds(2);

bool peer_is_gone(int socket) {
  pollfd entry{socket, 0, 0};
  return ::poll(&entry, 1, 0) > 0 && (entry.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

} // namespace

void ClientSession::wait_input() {
  if (m_waits_for_input || m_phase != Phase::open || is_backed_up()) {
    return;
  }
  m_waits_for_input = true;
  ++m_waits;
  m_input.async_wait(asio::posix::descriptor_base::wait_read,
                     [this](const boost::system::error_code&) {
                       --m_waits;
                       m_waits_for_input = false;
                       on_input();
                     });
}

void ClientSession::on_input() {
  if (m_phase != Phase::open) {
    changed();
    return;
  }
  ssize_t bytes = read_some();
  if (bytes > 0) {
    m_services.bytes_in.fetch_add(bytes, std::memory_order_relaxed);
    m_memory.arrived(static_cast<std::size_t>(bytes));
    process_input();
  } else if (bytes == 0) {
    input_ended();
  } else if (errno != EAGAIN && errno != EINTR) {
    close(errno == ECONNRESET ? "the connection was reset" : "its input cannot be read");
  }
  wait_input();
}

ssize_t ClientSession::read_some() {
  std::span<char> room = m_memory.room();
  if (!m_is_first || m_is_agent) {
    return ::read(m_input.native_handle(), room.data(), room.size());
  }
  Received received = receive_with_descriptors(m_input.native_handle(), room);
  for (UniqueFd& descriptor : received.descriptors) {
    if (m_handed_over.size() < k_handed_over) {
      m_handed_over.push_back(std::move(descriptor));
    }
  }
  return received.bytes;
}

void ClientSession::process_input() {
  mcp::Outcome& outcome = m_services.outcome;
  outcome.clear();
  while (m_phase == Phase::open && !is_backed_up()) {
    SessionMemory::Line line = m_memory.next_line();
    if (line.kind == SessionMemory::LineKind::none) {
      break;
    }
    if (m_is_first && !m_is_agent && take_first_line(line.text)) {
      return;
    }
    take_line(line, outcome);
    // What a daemon before us died over goes one by one, so that each death brings us further.
    if (outcome.output.size() > k_output_block
        || line.kind == SessionMemory::LineKind::interrupted) {
      deliver(outcome);
    }
  }
  deliver(outcome);
  if (outcome.output.capacity() > 4 * k_output_block) {
    outcome.output = std::string();
  }
}

// True when the line was a bridge's and the session now is another one.
bool ClientSession::take_first_line(std::string_view line) {
  m_is_first = false;
  Result<bool> handover = is_handover(line);
  if (!handover) {
    refuse(handover.error());
    return true;
  }
  if (*handover) {
    begin_handover();
    return true;
  }
  m_handed_over.clear();
  return false;
}

void ClientSession::take_line(const SessionMemory::Line& line, mcp::Outcome& outcome) {
  using Kind = SessionMemory::LineKind;
  telemetry::HandledMessage handled(line.text);
  m_services.messages.fetch_add(1, std::memory_order_relaxed);
  m_is_large = m_is_large || line.text.size() > k_large_message;
  m_services.note_messages("session", m_number, telemetry::Direction::from_client, line.text);
  if (line.kind == Kind::interrupted && m_memory.attempts() > k_max_attempts) {
    give_up(line.text, outcome.output);
    return;
  }
  if (line.kind == Kind::oversized) {
    protocol().oversized_line(outcome);
  } else {
    protocol().receive(line.text, outcome);
  }
  if (line.kind == Kind::interrupted) {
    for (const mcp::Call& call : std::exchange(outcome.calls, {})) {
      forget_call(call, outcome.output);
    }
  }
  m_conversation.take(outcome);
  m_state_is_stale = m_state_is_stale || outcome.state_changed;
  outcome.state_changed = false;
}

// A line that kills every daemon that handles it, as far as we know: its calls are answered without
// the part of us that may be to blame, and where even that kills, not at all.
void ClientSession::give_up(std::string_view line, std::string& output) {
  m_services.log.error("session {}: {} daemons in a row died over a message: {}",
                       m_number,
                       m_memory.attempts(),
                       telemetry::loggable(line));
  if (m_memory.attempts() > 2 * k_max_attempts) {
    return;
  }
  rpc::JsonParser parser;
  auto answer = [&](JsonReader& message) {
    message.each_field([&](std::string_view key, JsonReader& value) {
      if (key == "id") {
        protocol().answer_lost(value.raw().value_or(""), output);
      }
    });
  };
  (void)parser.read(line, "message", [&](JsonReader& message) {
    if (message.kind() == JsonKind::array) {
      message.each_element([&](std::size_t, JsonReader& element) { answer(element); });
    } else {
      answer(message);
    }
  });
}

// The order makes a sudden death harmless: the calls that run are known before their lines are
// forgotten, a new state of the protocol only after its answer is on its way (`initialize` can then
// be handled again), and the lines last.
void ClientSession::deliver(mcp::Outcome& outcome) {
  if (m_conversation.ids_have_changed() && !m_state_is_stale) {
    record();
  }
  Next next = write_or_keep(outcome.output);
  outcome.output.clear();
  if (m_state_is_stale) {
    record();
  }
  m_memory.handled();
  if (next == Next::write) {
    write_pending();
  }
  if (m_is_large) {
    m_sessions.wants_tick();
  }
}

void ClientSession::input_ended() {
  m_memory.end_of_input();
  process_input();
  if (m_phase != Phase::open) {
    return;
  }
  if (!m_is_agent && peer_is_gone(m_input.native_handle())) {
    close("");
    return;
  }
  m_phase = Phase::draining;
  if (m_is_agent) {
    m_drain_limit = runtime::Clock::now() + k_drain_limit;
    m_sessions.wants_tick();
  } else {
    wait_hangup();
  }
  close_when_drained();
}

// A client that shut down its sending side still reads; when it is gone its calls are not wanted.
void ClientSession::wait_hangup() {
  ++m_waits;
  m_input.async_wait(asio::posix::descriptor_base::wait_error,
                     [this](const boost::system::error_code&) {
                       --m_waits;
                       if (m_phase == Phase::draining && peer_is_gone(m_input.native_handle())) {
                         close("");
                       } else {
                         changed();
                       }
                     });
}

} // namespace upskill::daemon
