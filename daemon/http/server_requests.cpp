#include "daemon/http/server.h"
#include "daemon/telemetry/crash_handler.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/hook/payload.h"
#include "protocol/http/token.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/version.h"
#include "protocol/rpc/message.h"

#include <algorithm>
#include <chrono>
#include <utility>

// What a request is, and who answers it.
namespace upskill::http {
namespace {

constexpr std::string_view k_carrier = "HTTP connection";
static_assert(k_max_http_hook == hook::k_max_payload);

std::int64_t unix_ms() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

void refuse(Connection& connection, Status status, std::string_view message, Fields fields = {}) {
  std::string body;
  mcp::write_error(body, {}, rpc::k_invalid_request, message);
  connection.answer(status, body, fields);
}

bool is_modern(const Head& head) {
  std::optional<std::string_view> version = head.only("MCP-Protocol-Version");
  return version && *version == mcp::name_of(mcp::k_modern);
}

// A message may be written over several lines; only white space between its parts can be one.
void make_line(std::string& message) {
  if (message.find_first_of("\r\n") != std::string::npos) {
    std::replace_if(
        message.begin(), message.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
  }
}

} // namespace

void HttpServer::handle(Connection& connection) {
  if (m_is_stopping) {
    refuse(connection, 503, "the daemon is stopping");
  } else if (route_of(connection.head().target) == Route::hook) {
    ring(connection);
  } else if (connection.head().method == "POST") {
    post(connection);
  } else if (is_modern(connection.head())) {
    AnswerField allow{"Allow", "POST"};
    refuse(connection, 405, "MCP 2026-07-28 knows POST only", {&allow, 1});
  } else if (connection.head().method == "GET") {
    get(connection);
  } else {
    remove(connection);
  }
}

void HttpServer::post(Connection& connection) {
  m_services.messages.fetch_add(1, std::memory_order_relaxed);
  // Out of the connection, which may take its next request before this returns.
  std::string line = std::move(connection.body());
  telemetry::HandledMessage handled(line);
  received(connection.number(), line);
  Reading reading = m_reader.read(connection.head(), line);
  if (reading.kind == Reading::Kind::refused) {
    sent(connection.number(), reading.answer);
    connection.answer(reading.status, reading.answer);
    return;
  }
  make_line(line); // checked above: no string of it holds a line end
  if (reading.era == mcp::Era::modern) {
    if (reading.kind == Reading::Kind::request) {
      begin_modern(connection, line);
    } else {
      connection.answer(202, {});
    }
  } else if (reading.is_initialize) {
    begin_session(connection, line);
  } else if (LegacySession* session = session_of(connection)) {
    bool may_be_answered =
        reading.kind == Reading::Kind::request || reading.kind == Reading::Kind::batch;
    session->post(connection,
                  line,
                  may_be_answered ? LegacySession::Brings::requests
                                  : LegacySession::Brings::others);
  }
}

// The agent waits, so it is answered first: `{}` is no opinion. Neither the log, the mirror nor the
// report of a crash gets what it said: prompts and the inputs of tools are full of secrets.
void HttpServer::ring(Connection& connection) {
  std::string name(hook_event_of(connection.head().target));
  std::string payload = std::move(connection.body());
  connection.answer(200, "{}");
  if (!m_services.ring) {
    return;
  }
  hook::HookEvent event = hook::read_payload(payload, {.event = name});
  event.time_ms = unix_ms();
  m_services.ring(event);
}

void HttpServer::get(Connection& connection) {
  if (LegacySession* session = session_of(connection)) {
    session->get(connection, connection.head().only("Last-Event-ID"));
  }
}

void HttpServer::remove(Connection& connection) {
  if (LegacySession* session = session_of(connection)) {
    end_session(*session);
    connection.answer(204, {});
  }
}

void HttpServer::begin_modern(Connection& connection, std::string_view line) {
  std::unique_ptr<ModernRequest> request;
  if (m_spare.empty()) {
    ModernRequest::Host& host = *this;
    request = std::make_unique<ModernRequest>(m_services, host, ++m_services.last_number);
  } else {
    request = std::move(m_spare.back());
    m_spare.pop_back();
  }
  ModernRequest& begun = *request;
  m_requests.emplace(&begun, std::move(request));
  begun.begin(connection, line);
  if (begun.is_free()) { // most are answered at once
    auto found = m_requests.find(&begun);
    m_spare.push_back(std::move(found->second));
    m_requests.erase(found);
  }
}

void HttpServer::begin_session(Connection& connection, std::string_view line) {
  make_room_for_session();
  std::string id = random_token();
  LegacySession::Host& host = *this;
  auto session = std::make_unique<LegacySession>(m_services, host, ++m_services.last_number, id);
  LegacySession& begun = *session;
  m_sessions.emplace(id, std::move(session));
  begun.post(connection, line, LegacySession::Brings::initialize);
  changed(begun);
  if (!begun.is_initialized()) {
    end_session(begun);
  }
}

void HttpServer::make_room_for_session() {
  if (m_sessions.size() < k_max_http_sessions) {
    return;
  }
  LegacySession* worst = nullptr;
  for (const auto& [id, session] : m_sessions) {
    // The longest unused; only where all are used, the one that was heard of least lately.
    if (worst == nullptr
        || std::pair(!session->is_unused(), session->last_used())
               < std::pair(!worst->is_unused(), worst->last_used())) {
      worst = session.get();
    }
  }
  end_session(*worst);
}

// Null, with the error answered, when the request names no session of ours.
LegacySession* HttpServer::session_of(Connection& connection) {
  const Head& head = connection.head();
  std::optional<std::string_view> id = head.only("Mcp-Session-Id");
  if (!id) {
    refuse(connection,
           400,
           "`Mcp-Session-Id` is missing: `initialize` begins a session; a request of MCP "
           "2026-07-28, which has none, names its version in `MCP-Protocol-Version`");
    return nullptr;
  }
  if (!is_legacy_version(head)) {
    refuse(connection, 400, "`MCP-Protocol-Version` is not a version that this server speaks");
    return nullptr;
  }
  auto found = m_sessions.find(std::string(*id));
  if (found == m_sessions.end()) {
    refuse(connection, 404, "this session has ended, or never was; `initialize` begins another");
    return nullptr;
  }
  return found->second.get();
}

void HttpServer::end_session(LegacySession& session) {
  auto found = m_sessions.find(session.id());
  if (found == m_sessions.end()) {
    return; // what ended another one, just now, let a DELETE of this one in
  }
  m_ended.push_back(std::move(found->second));
  m_sessions.erase(found);
  session.finish();
  sweep_later();
}

// By copies: what is written may end a stream, and let in what begins or ends others. Those that
// have ended are there until sweep().
void HttpServer::tell(const mcp::Change& change) {
  std::vector<ModernRequest*> requests;
  for (auto& [pointer, request] : m_requests) {
    requests.push_back(pointer);
  }
  std::vector<LegacySession*> sessions;
  for (auto& [id, session] : m_sessions) {
    sessions.push_back(session.get());
  }
  for (ModernRequest* request : requests) {
    request->tell(change);
  }
  for (LegacySession* session : sessions) {
    session->tell(change);
  }
}

void HttpServer::received(std::uint64_t connection, std::string_view line) {
  m_services.note_messages(k_carrier, connection, telemetry::Direction::from_client, line);
}

void HttpServer::sent(std::uint64_t connection, std::string_view lines) {
  m_services.note_messages(k_carrier, connection, telemetry::Direction::to_client, lines);
}

} // namespace upskill::http
