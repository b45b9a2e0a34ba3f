#pragma once
#include "daemon/conversation.h"
#include "daemon/http/connection.h"

#include <string>
#include <string_view>

namespace upskill::http {

// One request of 2026-07-28, or several one after the other: there is no session, so each has a
// conversation to itself. Its answer is one JSON document, or a stream of events when something is
// said before it or it is a subscription. The end of the connection cancels it.
// Owner: HttpServer, which keeps it until is_over(). Thread: the daemon's.
class ModernRequest final : private daemon::Conversation::Carrier, private Connection::User {
public:
  class Host {
  public:
    virtual ~Host() = default;

    // It is answered or given up, or one of its tasks has ended.
    virtual void changed(ModernRequest& request) = 0;
    virtual void sent(std::uint64_t connection, std::string_view lines) = 0;
  };

  ModernRequest(daemon::Services& services, Host& host, std::uint64_t number);

  // Takes the request that `connection` handles, a line. Only while is_free().
  void begin(Connection& connection, std::string_view line);

  void tell(const mcp::Change& change);

  // The server ends: a subscription gets its result, a call an error.
  void finish();

  // Nobody waits for an answer of it, and nothing is left of the last one: it can take another.
  bool is_free() const;

  bool is_over() const { return m_connection == nullptr && m_conversation.is_over(); }

  // Nobody waits for anything of it.
  bool is_answered() const { return m_connection == nullptr; }

  // Only a subscription is left, which ends with the server.
  bool is_idle() const { return m_conversation.is_idle(); }

private:
  void say(mcp::CallId call, std::string_view bytes) override;
  void finish(mcp::CallId call, std::string_view bytes) override;
  bool has_room(mcp::CallId call) const override;
  void task_ended() override;
  void left(Connection& connection) override;
  void kept_waiting(Connection& connection) override;

  void send(std::string_view lines, bool is_last);

  Host& m_host;
  daemon::Conversation m_conversation;
  Connection* m_connection = nullptr; // null: nobody waits
  bool m_is_spent = false;            // its session knows of something that will not be answered
};

} // namespace upskill::http
