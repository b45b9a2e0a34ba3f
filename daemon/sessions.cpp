#include "daemon/sessions.h"

#include "daemon/await.h"
#include "protocol/base/bounds.h"

#include <malloc.h>
#include <sys/socket.h>

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr auto k_tick = std::chrono::seconds(1);

void turn_away(const UniqueFd& socket, const Error& error) {
  std::string line = refused_line(error);
  (void)::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

} // namespace

Sessions::Sessions(Services& services, std::function<void()> on_empty)
    : m_services(services)
    , m_on_empty(std::move(on_empty))
    , m_tick(services.io.get_executor(), [this] { tick(); })
    , m_changed(services.io.get_executor()) {}

Sessions::~Sessions() = default;

void Sessions::add(UniqueFd socket) {
  if (m_is_stopping) {
    turn_away(socket, {ErrorCode::unavailable, "the daemon is stopping", "try again"});
    return;
  }
  if (m_sessions.size() >= k_max_clients) {
    m_services.counters.at("clients_refused").fetch_add(1, std::memory_order_relaxed);
    turn_away(socket,
              {ErrorCode::busy,
               std::to_string(k_max_clients) + " clients are connected already",
               "close some of them and try again"});
    return;
  }
  Result<Mapping> memory = Mapping::anonymous(SessionMemory::k_size);
  if (!memory) {
    m_services.log.error("a client is turned away: {}", memory.error().message);
    turn_away(socket, memory.error());
    return;
  }
  m_services.counters.at("clients").fetch_add(1, std::memory_order_relaxed);
  std::uint64_t number = ++m_services.last_number;
  auto session = std::make_unique<ClientSession>(m_services, *this, number, std::move(*memory));
  ClientSession& added = *session;
  m_sessions.emplace(number, std::move(session));
  added.start(std::move(socket));
}

void Sessions::tell(const mcp::Change& change) {
  for (auto& [number, session] : m_sessions) {
    session->tell(change);
  }
}

asio::awaitable<void> Sessions::drain(runtime::Clock::duration limit) {
  m_is_stopping = true;
  for (auto& [number, session] : m_sessions) {
    session->stop_reading();
  }
  AWAIT_DONE(m_changed.wait_until([this] { return all_idle(); }, limit));
}

asio::awaitable<void> Sessions::finish(runtime::Clock::duration limit) {
  m_is_stopping = true;
  for (auto& [number, session] : m_sessions) {
    session->stop();
  }
  AWAIT_DONE(m_changed.wait_until([this] { return none_left(); }, limit));
}

bool Sessions::all_idle() const {
  for (const auto& [number, session] : m_sessions) {
    if (!session->is_idle()) {
      return false;
    }
  }
  return true;
}

void Sessions::wants_tick() {
  if (!m_tick.is_set()) {
    m_tick.set(runtime::Clock::now() + k_tick);
  }
}

void Sessions::tick() {
  bool again = false;
  runtime::Clock::time_point now = runtime::Clock::now();
  for (auto& [number, session] : m_sessions) {
    again = session->tick(now) || again;
  }
  if (m_trims) {
    m_trims = false;
    ::malloc_trim(0);
  }
  if (again) {
    wants_tick();
  }
  remove_ended();
}

void Sessions::changed(ClientSession& session) {
  if (session.is_closed() && !m_removal_is_due) {
    m_removal_is_due = true;
    // Later, because the session, or its last task, is still on the stack.
    asio::post(m_services.io, [this] { remove_ended(); });
  }
  if (m_is_stopping) {
    m_changed.notify_all();
  }
}

void Sessions::remove_ended() {
  m_removal_is_due = false;
  if (m_sessions.empty()) {
    return;
  }
  std::erase_if(m_sessions, [](const auto& entry) { return entry.second->is_over(); });
  bool any_closed = std::any_of(m_sessions.begin(), m_sessions.end(), [](const auto& entry) {
    return entry.second->is_closed();
  });
  if (any_closed) {
    wants_tick(); // its last task may end without a word
  }
  if (m_sessions.empty()) {
    m_changed.notify_all();
    m_on_empty();
  }
}

} // namespace upskill::daemon
