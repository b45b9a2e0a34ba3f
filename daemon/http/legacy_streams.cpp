#include "daemon/http/legacy_session.h"
#include "daemon/http/lines.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/http/events.h"
#include "protocol/http/said.h"

#include <algorithm>
#include <utility>

// Which bytes go where.
namespace upskill::http {
namespace {

// Whether the lines are one answer, or one batch of them, which needs no stream.
bool is_one_document(std::string_view lines) {
  std::string_view first = take_line(lines);
  return lines.empty() && (first.starts_with('[') || look_at(first).kind != Said::Kind::message);
}

} // namespace

// Streams that begin with an event to resume after (MCP 2025-11-25). Clients of older revisions
// would take its empty data for a message.
bool LegacySession::can_poll() const {
  std::optional<mcp::Version> version = m_conversation.protocol().legacy_version();
  return version && *version >= mcp::Version::v2025_11_25;
}

LegacySession::Stream* LegacySession::find(Key key) {
  auto found = m_streams.find(key);
  return found == m_streams.end() ? nullptr : &found->second;
}

LegacySession::Key LegacySession::key_of_call(mcp::CallId call) const {
  auto found = m_of_call.find(call);
  return found == m_of_call.end() ? 0 : found->second;
}

LegacySession::Key LegacySession::open_stream(Connection& connection) {
  Key key = ++m_last_key;
  carry(key, m_streams[key], connection);
  return key;
}

void LegacySession::carry(Key key, Stream& stream, Connection& connection) {
  stream.connection = &connection;
  stream.left.reset();
  m_carried[&connection] = key;
  connection.wait_for(*this);
}

// The connection carries its stream no more.
void LegacySession::put_down(Connection& connection) {
  auto found = m_carried.find(&connection);
  if (found == m_carried.end()) {
    return;
  }
  if (Stream* stream = find(found->second)) {
    stream->connection = nullptr;
    if (stream->is_listening) {
      stream->left = runtime::Clock::now();
    }
  }
  m_carried.erase(found);
}

void LegacySession::become_stream(Stream& stream) {
  if (stream.logged) {
    return;
  }
  stream.logged = m_events.open();
  if (stream.connection != nullptr) {
    stream.connection->begin_stream();
  }
  std::string head;
  if (can_poll()) {
    write_priming(head, m_events.priming_id(*stream.logged));
  } else if (stream.is_listening) {
    head = k_keep_alive;
  }
  if (stream.connection != nullptr && !head.empty()) {
    stream.connection->send_events(head);
  }
}

void LegacySession::write(Stream& stream, std::string_view lines) {
  if (stream.connection != nullptr) {
    m_host.sent(stream.connection->number(), lines);
  }
  if (!stream.logged) {
    stream.answer += lines;
    return;
  }
  std::string events;
  while (!lines.empty()) {
    std::string_view line = take_line(lines);
    write_event(events, m_events.add(*stream.logged, line), line);
  }
  if (stream.connection != nullptr && !events.empty()) {
    stream.connection->send_events(events);
  }
}

void LegacySession::call_ended(mcp::CallId call, std::string_view lines) {
  auto found = m_of_call.find(call);
  if (found == m_of_call.end()) {
    return;
  }
  Key key = found->second;
  m_of_call.erase(found);
  if (Stream* stream = find(key)) {
    std::erase(stream->calls, call);
    if (!lines.empty()) {
      write(*stream, lines);
    }
    settle(key);
  }
}

// Ends a POST once all of its calls have ended.
void LegacySession::settle(Key key) {
  Stream* stream = find(key);
  if (stream == nullptr || stream->is_listening || !stream->calls.empty()) {
    return;
  }
  if (!stream->logged && !stream->answer.empty() && !is_one_document(stream->answer)
      && stream->connection != nullptr) {
    std::string lines = std::exchange(stream->answer, {});
    become_stream(*stream);
    write(*stream, lines);
  }
  if (stream->logged || stream->connection == nullptr) {
    end_stream(key);
    return;
  }
  Connection& connection = *stream->connection;
  std::string answer = std::move(stream->answer);
  AnswerField id{"Mcp-Session-Id", m_id};
  bool announces = stream->announces && is_initialized();
  // Its calls were cancelled. 202 would say that it brought none; an event to resume after would
  // bring the client back for nothing.
  bool is_cancelled = stream->has_called && answer.empty();
  put_down(connection);
  m_streams.erase(key);
  if (is_cancelled) {
    connection.begin_stream();
    connection.end_stream();
    return;
  }
  connection.answer(
      answer.empty() ? Status(202) : Status(200), answer, announces ? Fields{&id, 1} : Fields{});
}

void LegacySession::end_stream(Key key) {
  Stream* stream = find(key);
  if (stream == nullptr) {
    return;
  }
  if (stream->logged) {
    m_events.end(*stream->logged, runtime::Clock::now());
  }
  Connection* connection = stream->connection;
  if (connection != nullptr) {
    put_down(*connection);
  }
  m_streams.erase(key);
  if (connection != nullptr) {
    connection->end_stream();
  }
}

void LegacySession::resume(Connection& connection, const EventLog::Rest& rest) {
  std::string events;
  for (const EventLog::Event& event : rest.events) {
    write_event(events, event.id, event.data);
  }
  auto found = std::find_if(m_streams.begin(), m_streams.end(), [&](const auto& entry) {
    return entry.second.logged == rest.stream;
  });
  Connection* before = nullptr;
  if (found != m_streams.end()) {
    before = found->second.connection;
    if (before != nullptr) {
      put_down(*before);
    }
    carry(found->first, found->second, connection);
  }
  connection.begin_stream();
  connection.send_events(events.empty() ? k_keep_alive : std::string_view(events));
  if (found == m_streams.end()) {
    connection.end_stream();
  }
  if (before != nullptr) {
    before->end_stream();
  }
}

void LegacySession::listen(Connection& connection) {
  std::vector<Key> listening;
  for (const auto& [key, stream] : m_streams) {
    if (stream.is_listening) {
      listening.push_back(key);
    }
  }
  Key key = open_stream(connection);
  Stream& stream = m_streams[key];
  stream.is_listening = true;
  become_stream(stream);
  if (listening.size() >= k_max_http_streams) {
    end_stream(listening.front());
  }
}

// One message on one stream only: the newest that has a connection, else the one that broke last.
void LegacySession::notify(std::string_view lines) {
  Stream* best = nullptr;
  for (auto& [key, stream] : m_streams) {
    if (stream.is_listening
        && (best == nullptr || stream.connection != nullptr
            || (best->connection == nullptr && *stream.left >= *best->left))) {
      best = &stream;
    }
  }
  if (best != nullptr && !lines.empty()) {
    write(*best, lines);
  }
}

} // namespace upskill::http
