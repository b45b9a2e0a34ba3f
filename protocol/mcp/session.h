#pragma once
#include "protocol/base/result.h"
#include "protocol/mcp/answer.h"
#include "protocol/mcp/call.h"
#include "protocol/mcp/server.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace upskill {
enum class Audience;
}

namespace upskill::mcp {

enum class Era { undecided, legacy, modern };
struct SessionState;

// One client's end of MCP without input or output: lines in, bytes and calls out. Speaks both eras,
// chosen message by message (MCP facts, section 2). Owned by one connection and used by one thread;
// lives as long as the connection. Nothing here throws or waits. Whatever is written is appended to
// `output`, whole lines only.
class Session {
public:
  // `audience`: people are also shown the methods that agents are not, and may send a CallContext.
  // `server` must outlive the session.
  Session(const Server& server, Audience audience);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Takes one line, with or without its newline. A bad line becomes an error answer.
  void receive(std::string_view line, Outcome& out);
  // A line longer than k_max_line came, and was dropped before it got here.
  void oversized_line(Outcome& out);

  // Answers a call. A second answer, or one to a cancelled or unknown call, writes nothing. The
  // error of a tool becomes a result with `isError`, of anything else a JSON-RPC error.
  void answer(CallId call, Result<Answer> answer, std::string& output);
  // Writes nothing unless the client asked for progress, `done` is more than last time, and the
  // call is still in flight. The caller limits how often.
  void progress(CallId call,
                double done,
                std::optional<double> total,
                std::string_view message,
                std::string& output);

  // To whoever asked: legacy clients once they are initialised, modern ones that listen for it.
  void resource_list_changed(std::string& output);
  // All resources whose URIs begin so; the client is told of those that it subscribed to.
  void resources_updated(std::string_view prefix, std::string& output);
  // Whether resources_updated would write anything, so that nobody looks for changes in vain.
  bool is_subscribed(std::string_view uri) const;

  // Of the last message that decided it; a session may hold calls of both.
  Era era() const;
  // Calls given out and not yet answered or cancelled; open subscriptions do not count.
  std::size_t in_flight() const;

  // What must survive a restart of the daemon, as a small JSON object: era, version, subscriptions.
  // The calls in flight are the owner's to keep (Call::client_id).
  std::string save() const;
  // corrupt: `saved` is not what save() writes.
  static Result<Session> restore(const Server& server, Audience audience, std::string_view saved);
  // Tells the client that a call of the session before the restart will never be answered. Anything
  // but a JSON-RPC id writes nothing.
  void answer_lost(std::string_view client_id, std::string& output);

  // The server ends: results for open subscriptions, -32603 for what is in flight. Afterwards the
  // session writes nothing more.
  void close(std::string& output);

private:
  explicit Session(std::unique_ptr<SessionState> state);
  std::unique_ptr<SessionState> m_state;
};

} // namespace upskill::mcp
