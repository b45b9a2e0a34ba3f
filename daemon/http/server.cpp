#include "daemon/http/server.h"

#include "daemon/await.h"
#include "daemon/http/credentials.h"
#include "protocol/base/mcp_bounds.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

// Start, limits and end.
namespace upskill::http {
namespace {

constexpr auto k_look_pause = std::chrono::seconds(1); // between looks at all limits of time
constexpr std::size_t k_max_spare = 16;

void turn_away(const UniqueFd& socket) {
  std::string busy;
  write_answer(busy, 503, {}, After::close);
  (void)::send(socket.get(), busy.data(), busy.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  // What it has sent already, unread, would make the system break the connection instead.
  std::array<char, 4096> unread;
  for (int i = 0; i < 16; ++i) {
    (void)::recv(socket.get(), unread.data(), unread.size(), MSG_DONTWAIT);
  }
}

} // namespace

Result<std::unique_ptr<HttpServer>>
HttpServer::open(daemon::Services& services, const Places& places, HttpOptions options) {
  TRY_ASSIGN(Address address, parse_address(options.address));
  TRY_ASSIGN(UniqueFd socket, listen_at(address));
  std::string token;
  if (options.require_token) {
    TRY_ASSIGN(token, stable_token(places));
  }
  std::string url = url_of(address);
  std::unique_ptr<HttpServer> server(new HttpServer(services, places, url, token, options.limits));
  TRY_ASSIGN(
      server->m_acceptor,
      daemon::Acceptor::open(
          services.io, std::move(socket), services.log, [server = server.get()](UniqueFd client) {
            server->add(std::move(client));
          }));
  TRY(write_description(places, url, token));
  return server;
}

HttpServer::HttpServer(daemon::Services& services,
                       const Places& places,
                       std::string url,
                       std::string token,
                       ConnectionLimits limits)
    : m_services(services)
    , m_places(places)
    , m_url(std::move(url))
    , m_gate(std::move(token))
    , m_reader(*services.server, Audience::agents)
    , m_limits(limits)
    , m_alarm(services.io.get_executor(), [this] { look(); })
    , m_changed(services.io.get_executor()) {}

HttpServer::~HttpServer() = default;

void HttpServer::add(UniqueFd socket) {
  if (!make_room()) {
    m_services.counters.at("clients_refused").fetch_add(1, std::memory_order_relaxed);
    turn_away(socket);
    return;
  }
  m_services.counters.at("http_connections").fetch_add(1, std::memory_order_relaxed);
  std::uint64_t number = ++m_services.last_number;
  Connection::Host& host = *this;
  auto connection = std::make_unique<Connection>(m_services, host, number, std::move(socket));
  Connection& added = *connection;
  m_connections.emplace(number, std::move(connection));
  added.start();
}

// Strangers cannot keep others out, and connections that nobody uses make room for new ones.
bool HttpServer::make_room() {
  std::size_t open = 0;
  std::size_t strangers = 0;
  Connection* oldest_stranger = nullptr;
  Connection* longest_idle = nullptr;
  for (const auto& [number, connection] : m_connections) {
    if (connection->is_closed()) {
      continue;
    }
    ++open;
    if (!connection->is_trusted()) {
      ++strangers;
      oldest_stranger = oldest_stranger == nullptr ? connection.get() : oldest_stranger;
    } else if (connection->is_idle()
               && (longest_idle == nullptr
                   || connection->idle_since() < longest_idle->idle_since())) {
      longest_idle = connection.get();
    }
  }
  if (strangers >= k_max_http_strangers) {
    oldest_stranger->close();
    --open;
  }
  if (open >= k_max_http_connections && longest_idle != nullptr) {
    longest_idle->close();
    --open;
  }
  return open < k_max_http_connections;
}

void HttpServer::look_by(runtime::Clock::time_point when) {
  when = std::max(when, m_last_look + k_look_pause);
  if (when < m_alarm_time) {
    m_alarm_time = when;
    m_alarm.set(when);
  }
}

void HttpServer::look() {
  runtime::Clock::time_point now = runtime::Clock::now();
  m_alarm_time = runtime::Clock::time_point::max();
  m_last_look = now;
  for (auto& [number, connection] : m_connections) {
    if (auto next = connection->look(now)) {
      look_by(*next);
    }
  }
  // A question that nobody answered in time ends here, and what then goes on may bring a new
  // session.
  std::vector<LegacySession*> sessions;
  for (auto& [id, session] : m_sessions) {
    sessions.push_back(session.get());
  }
  std::vector<LegacySession*> unused;
  for (LegacySession* session : sessions) {
    auto next = session->look(now);
    if (session->is_unused()) {
      runtime::Clock::time_point end = session->last_used() + k_http_session_kept;
      next = next ? std::min(*next, end) : end;
      if (now >= end) {
        unused.push_back(session);
        continue;
      }
    }
    if (next) {
      look_by(*next);
    }
  }
  for (LegacySession* session : unused) {
    end_session(*session);
  }
  sweep(true);
}

void HttpServer::changed(Connection& connection) {
  if (connection.is_closed()) {
    sweep_later();
  }
  if (m_is_stopping) {
    m_changed.notify_all();
  }
}

void HttpServer::changed(ModernRequest&) {
  sweep_later();
}

void HttpServer::changed(LegacySession& session) {
  look_by(session.last_used() + k_http_session_kept);
  if (auto next = session.look(runtime::Clock::now())) {
    look_by(*next);
  }
  if (!m_ended.empty() || m_is_stopping) {
    sweep_later();
  }
}

// Later, because whatever has ended, or its last task, is still on the stack.
void HttpServer::sweep_later() {
  if (!std::exchange(m_sweep_is_due, true)) {
    asio::post(m_services.io, [this] { sweep(false); });
  }
}

void HttpServer::sweep(bool is_second) {
  m_sweep_is_due = false;
  std::erase_if(m_connections, [](const auto& entry) { return entry.second->is_over(); });
  std::erase_if(m_ended, [](const auto& session) { return session->is_over(); });
  bool is_left = !m_ended.empty();
  for (auto entry = m_requests.begin(); entry != m_requests.end();) {
    std::unique_ptr<ModernRequest>& request = entry->second;
    if (request->is_free() && m_spare.size() < k_max_spare) {
      m_spare.push_back(std::move(request));
      entry = m_requests.erase(entry);
    } else if (request->is_over()) {
      entry = m_requests.erase(entry);
    } else {
      is_left = is_left || request->is_answered();
      ++entry;
    }
  }
  if (is_left && is_second) {
    look_by(runtime::Clock::now() + k_look_pause);
  } else if (is_left) {
    asio::post(m_services.io, [this] { sweep(true); }); // its task ends after it has answered
  }
  if (m_is_stopping) {
    m_changed.notify_all();
  }
}

void HttpServer::stop_accepting() {
  if (std::exchange(m_is_stopping, true)) {
    return;
  }
  m_acceptor->close();
  remove_description(m_places);
  for (auto& [number, connection] : m_connections) {
    connection->stop_reading();
  }
}

asio::awaitable<void> HttpServer::drain(runtime::Clock::duration limit) {
  stop_accepting();
  AWAIT_DONE(m_changed.wait_until([this] { return is_idle(); }, limit));
}

asio::awaitable<void> HttpServer::finish(runtime::Clock::duration limit) {
  stop_accepting();
  for (auto& [pointer, request] : m_requests) {
    request->finish();
  }
  for (auto& [id, session] : m_sessions) {
    session->finish();
    m_ended.push_back(std::move(session));
  }
  m_sessions.clear();
  sweep_later();
  AWAIT_DONE(m_changed.wait_until([this] { return is_empty(); }, limit));
  for (auto& [number, connection] : m_connections) {
    connection->close();
  }
  sweep(true);
  m_alarm.clear(); // whoever runs the loop may wait until it has nothing left
}

bool HttpServer::is_idle() const {
  auto is_left = [](const auto& entry) { return !entry.second->is_idle(); };
  return std::none_of(m_requests.begin(), m_requests.end(), is_left)
         && std::none_of(m_sessions.begin(), m_sessions.end(), is_left)
         && std::all_of(m_connections.begin(), m_connections.end(), [](const auto& entry) {
              return entry.second->has_written();
            });
}

bool HttpServer::is_empty() const {
  return size() == 0;
}

std::size_t HttpServer::size() const {
  auto open = std::count_if(m_connections.begin(), m_connections.end(), [](const auto& entry) {
    return !entry.second->is_closed();
  });
  return static_cast<std::size_t>(open) + m_requests.size() + m_sessions.size() + m_ended.size();
}

} // namespace upskill::http
