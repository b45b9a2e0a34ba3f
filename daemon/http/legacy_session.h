#pragma once
#include "daemon/conversation.h"
#include "daemon/http/connection.h"
#include "protocol/http/event_log.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace upskill::http {

// A session of the revisions that have them (2025-03-26 to 2025-11-25), from `initialize` to DELETE
// or an hour without use. Each POST with requests has a stream of its own for what belongs to it,
// and becomes one JSON document where only the answer does; streams opened by GET carry change
// notices. A connection that ends cancels nothing: what is said meanwhile is kept, and read by a
// GET with `Last-Event-ID`.
// Owner: HttpServer, which keeps it until is_over(). Thread: the daemon's.
class LegacySession final : private daemon::Conversation::Carrier, private Connection::User {
public:
  using Time = runtime::Clock::time_point;

  class Host {
  public:
    virtual ~Host() = default;

    // One of its tasks has ended, or it has become idle.
    virtual void changed(LegacySession& session) = 0;
    virtual void sent(std::uint64_t connection, std::string_view lines) = 0;
  };

  LegacySession(daemon::Services& services, Host& host, std::uint64_t number, std::string id);

  const std::string& id() const { return m_id; }

  // What a POST brings: `initialize`, whose answer carries the session's id; other requests; or
  // notifications and responses, which are accepted with 202.
  enum class Brings { initialize, requests, others };

  // Takes what a POST brought, as a line.
  void post(Connection& connection, std::string_view line, Brings brings);
  // Opens a stream for change notices, or goes on with the one that the id is of.
  void get(Connection& connection, std::optional<std::string_view> last_event_id);

  // Whether `initialize` went well; if not it is no session.
  bool is_initialized() const { return m_conversation.protocol().legacy_version().has_value(); }

  void tell(const mcp::Change& change);

  // Ends every stream; what is in flight is answered with an error. Nothing more may be asked.
  void finish();

  // Nothing is in flight.
  bool is_idle() const { return m_conversation.is_idle(); }

  // Nobody uses it, and since when.
  bool is_unused() const { return m_carried.empty() && is_idle(); }

  Time last_used() const { return m_last_used; }

  bool is_over() const { return m_is_finished && m_carried.empty() && m_conversation.is_over(); }

  // Looks at the limits of time; when it wants to be looked at again.
  std::optional<Time> look(Time now);

private:
  using StreamId = EventLog::StreamId;

  // A POST whose requests are not all answered, or a GET.
  struct Stream {
    Connection* connection = nullptr;    // null: it broke
    std::optional<StreamId> logged = {}; // once it is a stream of events
    std::vector<mcp::CallId> calls = {}; // that have not ended
    bool has_called = false;
    std::string answer = {};       // as long as it is none
    bool announces = false;        // the session's id
    bool is_listening = false;     // a GET
    std::optional<Time> left = {}; // listening: when its connection broke
  };

  using Key = std::uint64_t;

  void say(mcp::CallId call, std::string_view bytes) override;
  void finish(mcp::CallId call, std::string_view bytes) override;
  bool has_room(mcp::CallId call) const override;
  void task_ended() override;
  void release(mcp::CallId call) override;
  void left(Connection& connection) override;
  void kept_waiting(Connection& connection) override;

  // legacy_streams.cpp
  Key open_stream(Connection& connection);
  void carry(Key key, Stream& stream, Connection& connection);
  void put_down(Connection& connection);
  void become_stream(Stream& stream);
  void write(Stream& stream, std::string_view lines);
  void call_ended(mcp::CallId call, std::string_view lines);
  void settle(Key key);
  void end_stream(Key key);
  void resume(Connection& connection, const EventLog::Rest& rest);
  void listen(Connection& connection);
  void notify(std::string_view lines);
  bool can_poll() const;

  Stream* find(Key key);
  Key key_of_call(mcp::CallId call) const;

  Host& m_host;
  std::string m_id;
  daemon::Conversation m_conversation;
  EventLog m_events = {};
  std::map<Key, Stream> m_streams = {};
  std::unordered_map<mcp::CallId, Key> m_of_call = {};
  std::unordered_map<Connection*, Key> m_carried = {};
  Key m_last_key = 0;
  Time m_last_used = runtime::Clock::now();
  bool m_is_finished = false;
};

} // namespace upskill::http
