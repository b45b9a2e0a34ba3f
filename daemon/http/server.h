#pragma once
#include "daemon/acceptor.h"
#include "daemon/http/address.h"
#include "daemon/http/connection.h"
#include "daemon/http/legacy_session.h"
#include "daemon/http/modern_request.h"
#include "daemon/runtime/condition.h"
#include "daemon/services.h"
#include "protocol/base/paths.h"
#include "protocol/http/gate.h"
#include "protocol/http/reading.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace upskill::http {

struct HttpOptions {
  std::string address = {};  // as parse_address() takes it
  bool require_token = true; // without: for tests alone
  ConnectionLimits limits = {};
};

// MCP over Streamable HTTP, both eras at one address: the connections, the requests and sessions on
// them, and how all of it ends.
// Owner: Daemon. Thread: the daemon's. Lifetime: longer than the io_context runs; finish() comes
// first.
class HttpServer final : private Connection::Host,
                         private ModernRequest::Host,
                         private LegacySession::Host {
public:
  // Listens, and says where in `run/http.json`. `services.server` is set.
  static Result<std::unique_ptr<HttpServer>>
  open(daemon::Services& services, const Places& places, HttpOptions options);
  ~HttpServer() override;

  const std::string& url() const { return m_url; }

  // To the clients that asked for it.
  void tell(const mcp::Change& change);

  // Takes no connection and no request any more; what is in flight goes on.
  void stop_accepting();
  // Waits until nothing is in flight, at most that long.
  asio::awaitable<void> drain(runtime::Clock::duration limit);
  // Answers what is left with an error, ends subscriptions, closes everything, and waits until
  // nothing of it is left, at most that long; size() then tells whether it is so.
  asio::awaitable<void> finish(runtime::Clock::duration limit);

  // Connections, and what of requests and sessions is not over.
  std::size_t size() const;

private:
  HttpServer(daemon::Services& services,
             const Places& places,
             std::string url,
             std::string token,
             ConnectionLimits limits);

  // server_requests.cpp
  const Gate& gate() const override { return m_gate; }

  const ConnectionLimits& limits() const override { return m_limits; }

  void handle(Connection& connection) override;
  void post(Connection& connection);
  void ring(Connection& connection);
  void get(Connection& connection);
  void remove(Connection& connection);
  void begin_modern(Connection& connection, std::string_view line);
  void begin_session(Connection& connection, std::string_view line);
  LegacySession* session_of(Connection& connection);
  void end_session(LegacySession& session);
  void make_room_for_session();
  void sent(std::uint64_t connection, std::string_view lines) override;
  void received(std::uint64_t connection, std::string_view line);

  // server.cpp
  void add(UniqueFd socket);
  bool make_room();
  void look_by(runtime::Clock::time_point when) override;
  void look();
  void changed(Connection& connection) override;
  void changed(ModernRequest& request) override;
  void changed(LegacySession& session) override;
  void sweep_later();
  void sweep(bool is_second);
  bool is_idle() const;
  bool is_empty() const;

  daemon::Services& m_services;
  const Places& m_places;
  std::string m_url;
  Gate m_gate;
  MessageReader m_reader;
  ConnectionLimits m_limits;
  std::unique_ptr<daemon::Acceptor> m_acceptor;
  // Ordered by age.
  std::map<std::uint64_t, std::unique_ptr<Connection>> m_connections;
  std::unordered_map<ModernRequest*, std::unique_ptr<ModernRequest>> m_requests;
  std::vector<std::unique_ptr<ModernRequest>> m_spare; // to take other requests
  std::unordered_map<std::string, std::unique_ptr<LegacySession>> m_sessions;
  std::vector<std::unique_ptr<LegacySession>> m_ended; // until their last tasks have
  runtime::Alarm m_alarm;
  runtime::Clock::time_point m_alarm_time = runtime::Clock::time_point::max();
  runtime::Clock::time_point m_last_look = {};
  runtime::Condition m_changed;
  bool m_sweep_is_due = false;
  bool m_is_stopping = false;
};

} // namespace upskill::http
