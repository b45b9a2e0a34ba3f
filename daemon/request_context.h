#pragma once
#include "protocol/mcp/call.h"
#include "protocol/types/server.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace upskill::daemon {

// Where the agent runs that calls: a bridge is started by its agent, in the folder of its session.
struct AgentPlace {
  std::string folder = {};   // empty where it is not known
  std::int64_t began_ms = 0; // Unix time of the bridge's start: nothing before is of this run
  std::string command = {};  // the agent's program and arguments, with zero bytes between them
};

// What a handler knows about the call beside its parameters. Its copies and `progress` are for the
// daemon's own thread; `stopping` may be asked on the pool.
struct RequestContext {
  std::string id = {};             // ours, for logs: `3.17` is call 17 of session 3
  std::uint64_t client_number = 0; // whose work on the pool it is (runtime/pool.h)
  CallContext caller = {};         // empty for agents; never logged
  // Tells the client how far it is; costs nothing where it did not ask. At most ten a second are
  // sent, and none while the client does not read.
  std::function<void(double done, std::optional<double> total, std::string_view message)> progress =
      [](double, std::optional<double>, std::string_view) {};
  // Sends the client a log message where it asked for those of this level; `data` is JSON. At most
  // 1,000 are sent for a call, and none while the client does not read.
  std::function<void(mcp::LogLevel level, std::string_view logger, std::string_view data)> log =
      [](mcp::LogLevel, std::string_view, std::string_view) {};
  // Says that this will take long. Over HTTP a client that can (MCP 2025-11-25) then hangs up and
  // comes back for the answer; for all others it means nothing.
  std::function<void()> release = [] {};
  // What the client answered to the InputRequired of the try before: a JSON object, by key; empty
  // on the first try. `state` is what that InputRequired held: checked, so it is ours.
  std::string input_responses = {};
  std::string state = {};
  mcp::ClientCapabilities client = {};
  bool accepts_task = false;  // a mcp::TaskStatus may be the answer
  mcp::Origin origin = {};    // the agent's session, where it tells
  AgentPlace place = {};      // of the agent
  std::string principal = {}; // who asks, for what is bound to them; empty: a person, who sees all
  // Set when the call was cancelled. A coroutine need not look, its next co_await throws; a loop on
  // the pool should.
  std::stop_token stopping = {};
};

} // namespace upskill::daemon
