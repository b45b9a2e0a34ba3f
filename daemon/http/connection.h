#pragma once
#include "daemon/http/request_parser.h"
#include "daemon/runtime/timers.h"
#include "daemon/services.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/base/unique_fd.h"
#include "protocol/http/gate.h"
#include "protocol/http/response.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::http {

// How long a client may take.
struct ConnectionLimits {
  runtime::Clock::duration head = k_http_head_limit;
  runtime::Clock::duration body = k_http_body_limit;
  runtime::Clock::duration idle = k_http_idle_limit; // between two requests
  runtime::Clock::duration write = k_write_limit;    // to read anything of what is sent
};

// One TCP connection: bytes to requests, answers to bytes, and the limits of both. One request at a
// time; what comes behind it waits. Readiness callbacks rather than a coroutine, as ClientSession.
// Owner: HttpServer, which keeps it until is_over(). Thread: the daemon's.
class Connection {
public:
  using Time = runtime::Clock::time_point;

  // Who looks at requests.
  class Host {
  public:
    virtual ~Host() = default;

    virtual const Gate& gate() const = 0;
    virtual const ConnectionLimits& limits() const = 0;
    // A whole request that the gate let in: it is answered before this returns, or wait_for() is
    // called. The connection may be closed afterwards, but is still there.
    virtual void handle(Connection& connection) = 0;
    // look() is wanted then.
    virtual void look_by(Time when) = 0;
    // It was closed, or has written everything.
    virtual void changed(Connection& connection) = 0;
  };

  // Who answers a request later, or in parts.
  class User {
  public:
    virtual ~User() = default;

    // The client is gone, or does not read; the user does not touch the connection any more.
    virtual void left(Connection& connection) = 0;
    // Nothing has been answered for a while: a stream would show that somebody is there.
    virtual void kept_waiting(Connection& connection) = 0;
  };

  Connection(daemon::Services& services, Host& host, std::uint64_t number, UniqueFd socket);

  void start();

  std::uint64_t number() const { return m_number; }

  // Of the request that is being handled.
  const Head& head() const { return m_parser.head(); }

  std::string& body() { return m_parser.body(); }

  void wait_for(User& user) { m_user = &user; }

  // The answer, all of it. Afterwards there is no user.
  void answer(Status status, std::string_view body, Fields fields = {});
  // The answer as a stream of events, until it is ended; then there is no user.
  void begin_stream(Fields fields = {});
  void send_events(std::string_view events);
  void end_stream();

  bool is_streaming() const { return m_phase == Phase::streaming; }

  // More than k_backed_up waits for the client to read.
  bool is_backed_up() const;

  // Has shown the token, where one is asked for.
  bool is_trusted() const { return m_is_trusted; }

  // No request, and nothing to write.
  bool is_idle() const;

  // Since when it is; meaningless while it is not.
  Time idle_since() const { return m_idle_since; }

  bool has_written() const { return m_output.empty() || is_closed(); }

  bool is_closed() const { return m_phase == Phase::closed; }

  bool is_over() const { return is_closed() && m_waits == 0; }

  // Looks at the limits of time; when it wants to be looked at again.
  std::optional<Time> look(Time now);

  // Takes no further request: closes when what it does now is done.
  void stop_reading();
  void close(std::string_view reason = {});

private:
  enum class Phase {
    reading,   // a request, or waiting for one
    busy,      // somebody answers
    streaming, // somebody answers in parts
    closing,   // the last bytes are written
    lingering, // they are, and the client is given time to read them
    closed
  };

  // connection.cpp
  void wait_input();
  void on_input();
  void process_input();
  bool take_request();
  bool let_in();
  void refuse(Status status, const Error& error, Fields fields = {});
  void input_ended();
  void next_request();
  void set_deadline(runtime::Clock::duration limit);
  void look_by(Time when);

  // connection_output.cpp
  void flush();
  void wait_output();
  void drained();
  void linger();

  daemon::Services& m_services;
  Host& m_host;
  std::uint64_t m_number;
  boost::asio::posix::stream_descriptor m_socket;
  RequestParser m_parser;
  User* m_user = nullptr;
  std::string m_input = {}; // not yet taken by the parser
  std::string m_output = {};
  std::size_t m_written = 0; // of the output
  Phase m_phase = Phase::reading;
  Framing m_framing = Framing::chunked; // of a stream
  bool m_keeps = true;                  // the connection, after this answer
  bool m_has_head = false;              // of the next request
  bool m_is_trusted = false;
  bool m_is_stopping = false;
  bool m_is_processing = false;
  bool m_waits_for_input = false;
  bool m_waits_for_output = false;
  unsigned m_waits = 0; // handlers that Asio holds
  std::size_t m_discarded = 0;
  Time m_idle_since = {};              // its beginning of time: since the first byte of a request
  Time m_next_comment = {};            // streaming: then something must be said
  std::optional<Time> m_deadline = {}; // of the request, or of its absence
  std::optional<Time> m_write_limit = {}; // the client must have read something by then
};

} // namespace upskill::http
