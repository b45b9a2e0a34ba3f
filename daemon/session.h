#pragma once
#include "daemon/conversation.h"
#include "daemon/handover.h"
#include "daemon/runtime/timers.h"
#include "daemon/services.h"
#include "daemon/session_memory.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

class Sessions;

// One client: reads its lines, gives them to mcp::Session, runs the calls they ask for and writes
// the answers. It begins as a socket; the first message of a bridge makes it the holder of an
// agent's own input and output, with the socket only left to notice the bridge's end.
// Readiness callbacks rather than a coroutine: they are the hot path, and an idle client costs two
// pages and no frame.
// Owner: Sessions, which keeps it until is_over(). Thread: the daemon's.
class ClientSession final : private Conversation::Carrier {
public:
  using Time = runtime::Clock::time_point;

  ClientSession(Services& services, Sessions& sessions, std::uint64_t number, Mapping memory);
  ~ClientSession() override;

  // `socket` is connected and does not block.
  void start(UniqueFd socket);

  void tell(const mcp::Change& change);

  // Takes no more messages; what is in flight goes on.
  void stop_reading();
  // Answers what is left with an error, says that the daemon stops, and closes.
  void stop();

  // Nothing in flight and nothing to write.
  bool is_idle() const;

  // Closed, and nothing refers to it any more.
  bool is_closed() const { return m_phase == Phase::closed; }

  bool is_over() const {
    return m_phase == Phase::closed && m_waits == 0 && m_conversation.is_over();
  }

  // Looks at the limits of time; whether it wants to be looked at again.
  bool tick(Time now);

  std::uint64_t number() const { return m_number; }

private:
  enum class Phase {
    open,
    draining, // no more input: what is in flight is answered, then it closes
    stopping, // the daemon stops
    closed
  };

  // session_input.cpp
  void wait_input();
  void on_input();
  ssize_t read_some();

  mcp::Session& protocol() { return m_conversation.protocol(); }

  void process_input();
  bool take_first_line(std::string_view line);
  void take_line(const SessionMemory::Line& line, mcp::Outcome& outcome);
  void give_up(std::string_view line, std::string& output);
  void deliver(mcp::Outcome& outcome);
  void input_ended();
  void wait_hangup();

  // session_handover.cpp
  void begin_handover();
  Result<void> adopt(std::vector<UniqueFd> descriptors);
  void restore();
  void refuse(const Error& error);
  void wait_control();
  void on_control();
  void tell_bridge(std::string_view line);
  void record();

  // session_calls.cpp
  void say(mcp::CallId call, std::string_view bytes) override;
  void finish(mcp::CallId call, std::string_view bytes) override;
  bool has_room(mcp::CallId call) const override;
  void task_ended() override;
  void forget_call(const mcp::Call& call, std::string& output);

  // session_output.cpp
  int output_descriptor();
  boost::asio::posix::stream_descriptor& output();
  enum class Next { nothing, write }; // write: write_pending() is to be called
  void send(std::string_view bytes);
  Next write_or_keep(std::string_view bytes);
  ssize_t write_some(std::string_view bytes);
  void wait_output();
  void on_output();
  void write_pending();
  bool is_backed_up() const;
  void close_when_drained();
  void close(std::string_view reason);
  void drop(std::string_view reason);
  void changed();

  Services& m_services;
  Sessions& m_sessions;
  std::uint64_t m_number;
  SessionMemory m_memory;
  Conversation m_conversation;
  boost::asio::posix::stream_descriptor m_input;   // also the output, and the control of a socket
  boost::asio::posix::stream_descriptor m_output;  // of an agent
  boost::asio::posix::stream_descriptor m_control; // the bridge's socket
  std::vector<UniqueFd> m_handed_over;             // until the first line says what for
  std::vector<std::string> m_lost;                 // ids that were answered at the restart
  Phase m_phase = Phase::open;
  unsigned m_waits = 0; // handlers that Asio holds
  bool m_waits_for_input = false;
  bool m_waits_for_output = false;
  bool m_waits_for_control = false;
  bool m_is_first = true;  // no line was taken yet
  bool m_is_agent = false; // handed over
  bool m_protocol_closed = false;
  bool m_state_is_stale = false;
  bool m_is_large = false;           // a large message has passed: memory is worth giving back
  std::optional<Time> m_write_limit; // the client must have read something by then
  std::optional<Time> m_drain_limit; // what is in flight must be answered by then
};

} // namespace upskill::daemon
