#include "daemon/http/modern_request.h"

#include "daemon/http/lines.h"
#include "daemon/http/principal.h"
#include "protocol/http/events.h"
#include "protocol/http/said.h"
#include "protocol/methods.h"

#include <utility>

namespace upskill::http {

ModernRequest::ModernRequest(daemon::Services& services, Host& host, std::uint64_t number)
    : m_host(host)
    , m_conversation(services,
                     *this,
                     number,
                     mcp::Session(*services.server, Audience::agents),
                     std::string(k_principal)) {}

void ModernRequest::begin(Connection& connection, std::string_view line) {
  m_connection = &connection;
  connection.wait_for(*this);
  m_conversation.act_for(connection.number()); // nothing else tells clients apart
  // Not the one that sessions share: an answer may let the next request of its connection in.
  mcp::Outcome outcome;
  m_conversation.protocol().receive(line, outcome);
  m_conversation.take(outcome);
  if (m_connection == nullptr) {
    return; // answered already
  }
  bool goes_on = !m_conversation.is_idle() || m_conversation.protocol().is_listening();
  if (!outcome.output.empty() || !goes_on) {
    send(outcome.output, !goes_on);
  }
}

void ModernRequest::say(mcp::CallId, std::string_view bytes) {
  send(bytes, false);
}

void ModernRequest::finish(mcp::CallId, std::string_view bytes) {
  send(bytes, true);
  m_host.changed(*this);
}

bool ModernRequest::has_room(mcp::CallId) const {
  return m_connection != nullptr && !m_connection->is_backed_up();
}

void ModernRequest::task_ended() {
  m_host.changed(*this);
}

void ModernRequest::left(Connection&) {
  m_connection = nullptr;
  m_is_spent = true;
  m_conversation.abandon();
  m_host.changed(*this);
}

void ModernRequest::kept_waiting(Connection& connection) {
  connection.begin_stream();
}

void ModernRequest::send(std::string_view lines, bool is_last) {
  if (m_connection == nullptr) {
    return;
  }
  m_host.sent(m_connection->number(), lines);
  std::string_view rest = lines;
  std::string_view first = take_line(rest);
  Said said = look_at(first);
  if (is_last && !m_connection->is_streaming() && rest.empty()
      && (said.kind != Said::Kind::message || first.empty())) {
    Connection& connection = *std::exchange(m_connection, nullptr);
    connection.answer(first.empty() ? Status(202) : status_of(mcp::Era::modern, said), first);
    return;
  }
  if (!m_connection->is_streaming()) {
    m_connection->begin_stream();
  }
  std::string events;
  while (!lines.empty()) {
    write_event(events, {}, take_line(lines));
  }
  if (m_connection != nullptr && !events.empty()) {
    m_connection->send_events(events);
  }
  if (is_last && m_connection != nullptr) {
    std::exchange(m_connection, nullptr)->end_stream();
  }
}

void ModernRequest::tell(const mcp::Change& change) {
  if (m_connection == nullptr || !m_conversation.protocol().is_listening()) {
    return;
  }
  std::string output;
  m_conversation.protocol().tell(change, output);
  if (!output.empty()) {
    send(output, false);
  }
}

void ModernRequest::finish() {
  if (m_connection == nullptr) {
    return;
  }
  m_is_spent = true;
  std::string output;
  m_conversation.protocol().close(output);
  std::string answers;
  for (std::string_view lines = output; !lines.empty();) {
    // The answer ends the stream: what a session says after it is for those without streams.
    std::string_view line = take_line(lines);
    if (look_at(line).kind != Said::Kind::message) {
      answers += line;
      answers += '\n';
    }
  }
  send(answers, true);
  m_conversation.abandon();
}

bool ModernRequest::is_free() const {
  return m_connection == nullptr && !m_is_spent && m_conversation.is_idle()
         && m_conversation.is_over();
}

} // namespace upskill::http
