#pragma once
#include "protocol/base/result.h"
#include "protocol/mcp/answer.h"
#include "protocol/mcp/call.h"
#include "protocol/mcp/change.h"
#include "protocol/mcp/server.h"
#include "protocol/mcp/version.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  // error of a tool becomes a result with `isError`, of anything else a JSON-RPC error. Where the
  // client must be asked first and its era is legacy, the requests are written and the call stays
  // in flight: it is given out again with their answers, or answered by the owner after a limit.
  // Returns the error behind an answer of -32603, which belongs into the owner's log.
  std::optional<Error> answer(CallId call, Result<Answer> answer, std::string& output);
  // Whether the call waits for what the client was asked (legacy).
  bool is_asking(CallId call) const;
  // Writes nothing unless the client asked for progress, `done` is more than last time, and the
  // call is still in flight. The caller limits how often.
  void progress(CallId call,
                double done,
                std::optional<double> total,
                std::string_view message,
                std::string& output);

  // A log message on behalf of a call. Writes nothing when the call is over, or its client has not
  // asked for messages of that level (MCP facts, section 3: `logLevel`; legacy: logging/setLevel,
  // `info` until then). `data` is JSON. The caller limits how many.
  void log(CallId call,
           LogLevel level,
           std::string_view logger,
           std::string_view data,
           std::string& output);

  // To whoever asked: legacy clients once they are initialised, modern ones that listen for it.
  // Of resources, the client hears of those that it subscribed to, each by its own URI.
  void tell(const Change& change, std::string& output);
  // Whether it would be told of a change of this resource, so that nobody looks for one in vain.
  bool is_subscribed(std::string_view uri) const;

  // Of the last message that decided it; a session may hold calls of both.
  Era era() const;
  // Calls given out and not yet answered or cancelled; open subscriptions do not count.
  std::size_t in_flight() const;
  // Whether a subscriptions/listen is open.
  bool is_listening() const;
  // What the last `initialize` agreed on; none before.
  std::optional<Version> legacy_version() const;
  // The ids (JSON text) of the calls that wait for what the client was asked.
  std::vector<std::string> asking_ids() const;

  // What must survive a restart of the daemon, as a small JSON object: era, version, what the
  // client declared, log level, subscriptions. The calls in flight are the owner's to keep
  // (Call::client_id).
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
