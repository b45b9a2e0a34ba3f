#include "daemon/http/legacy_session.h"

#include "daemon/http/principal.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/methods.h"
#include "protocol/rpc/message.h"

#include <algorithm>
#include <utility>

namespace upskill::http {
namespace {

constexpr auto k_answer_pause = std::chrono::minutes(1); // between looks at what a client was asked

} // namespace

LegacySession::LegacySession(daemon::Services& services,
                             Host& host,
                             std::uint64_t number,
                             std::string id)
    : m_host(host)
    , m_id(std::move(id))
    , m_conversation(services,
                     *this,
                     number,
                     mcp::Session(*services.server, Audience::agents),
                     std::string(k_principal)) {}

void LegacySession::post(Connection& connection, std::string_view line, Brings brings) {
  m_last_used = runtime::Clock::now();
  Key key = open_stream(connection);
  m_streams[key].announces = brings == Brings::initialize;
  // Not the one that sessions share: an answer may let the next request of its connection in.
  mcp::Outcome outcome;
  m_conversation.protocol().receive(line, outcome);
  // Those that may end without a word of the conversation.
  std::vector<mcp::CallId> touched = outcome.cancelled;
  for (const mcp::Call& call : outcome.calls) {
    touched.push_back(call.id);
    if (m_of_call.emplace(call.id, key).second) {
      m_streams[key].calls.push_back(call.id);
      m_streams[key].has_called = true;
    }
  }
  // What a response or a notification leads to belongs to the call that it is about.
  bool is_about = brings == Brings::others && !touched.empty();
  Key target = is_about ? key_of_call(touched.front()) : key;
  m_conversation.take(outcome);
  if (Stream* stream = find(target); stream != nullptr && !outcome.output.empty()) {
    write(*stream, outcome.output);
  }
  for (mcp::CallId call : touched) {
    if (!m_conversation.has(call)) {
      call_ended(call, {});
    }
  }
  settle(key);
}

void LegacySession::get(Connection& connection, std::optional<std::string_view> last_event_id) {
  m_last_used = runtime::Clock::now();
  std::optional<EventLog::Rest> rest =
      last_event_id ? m_events.after(*last_event_id) : std::nullopt;
  if (rest) {
    resume(connection, *rest);
  } else {
    listen(connection);
  }
}

void LegacySession::say(mcp::CallId call, std::string_view bytes) {
  Stream* stream = find(key_of_call(call));
  if (stream == nullptr || (stream->connection == nullptr && !stream->logged)) {
    return; // its connection broke before there was a stream to resume
  }
  become_stream(*stream);
  write(*stream, bytes);
  if (m_conversation.protocol().is_asking(call)) {
    m_host.changed(*this); // an answer is not waited for without limit
  }
}

void LegacySession::finish(mcp::CallId call, std::string_view bytes) {
  m_last_used = runtime::Clock::now();
  call_ended(call, bytes);
  m_host.changed(*this);
}

bool LegacySession::has_room(mcp::CallId call) const {
  auto found = m_streams.find(key_of_call(call));
  if (found == m_streams.end()) {
    return false;
  }
  const Stream& stream = found->second;
  return stream.connection == nullptr ? stream.logged.has_value()
                                      : !stream.connection->is_backed_up();
}

void LegacySession::task_ended() {
  m_host.changed(*this);
}

void LegacySession::left(Connection& connection) {
  m_last_used = runtime::Clock::now();
  put_down(connection);
  m_host.changed(*this);
}

void LegacySession::kept_waiting(Connection& connection) {
  auto found = m_carried.find(&connection);
  if (Stream* stream = found == m_carried.end() ? nullptr : find(found->second)) {
    become_stream(*stream);
  }
}

// The client comes back for the rest of the stream (MCP 2025-11-25: polling).
void LegacySession::release(mcp::CallId call) {
  Stream* stream = find(key_of_call(call));
  if (stream == nullptr || !can_poll() || stream->connection == nullptr) {
    return;
  }
  become_stream(*stream);
  if (Connection* connection = stream->connection) {
    put_down(*connection);
    connection->end_stream();
  }
}

void LegacySession::tell(const mcp::Change& change) {
  std::string output;
  m_conversation.protocol().tell(change, output);
  notify(output);
}

void LegacySession::finish() {
  if (std::exchange(m_is_finished, true)) {
    return;
  }
  // Each error goes where its call's answer would have gone.
  std::vector<mcp::CallId> calls;
  for (const auto& [call, key] : m_of_call) {
    calls.push_back(call);
  }
  for (mcp::CallId call : calls) {
    mcp::Refusal stopping{rpc::k_internal_error, "the server is stopping", {}};
    std::string output;
    m_conversation.protocol().answer(call, mcp::Answer(std::move(stopping)), output);
    call_ended(call, output);
  }
  std::string nobody_reads_this;
  m_conversation.protocol().close(nobody_reads_this);
  m_conversation.abandon();
  std::vector<Key> keys;
  for (const auto& [key, stream] : m_streams) {
    keys.push_back(key);
  }
  for (Key key : keys) {
    end_stream(key);
  }
}

std::optional<LegacySession::Time> LegacySession::look(Time now) {
  std::optional<Time> next = m_events.expire(now);
  auto earlier = [&](Time when) { next = next ? std::min(*next, when) : when; };
  std::vector<Key> late;
  for (const auto& [key, stream] : m_streams) {
    if (stream.left && now >= *stream.left + k_http_stream_kept) {
      late.push_back(key);
    } else if (stream.left) {
      earlier(*stream.left + k_http_stream_kept);
    }
  }
  for (Key key : late) {
    end_stream(key);
  }
  if (m_conversation.tick(now)) {
    earlier(now + k_answer_pause);
  }
  return next;
}

} // namespace upskill::http
