#pragma once
#include "protocol/base/paths.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <functional>

namespace upskill::mcp {

// What `upskill mcp` works with; the defaults of run_bridge are the process's own, tests give
// others.
struct BridgeWorld {
  UniqueFd input;  // the agent's, ours to close
  UniqueFd output; // the agent's; nothing but MCP is ever written there
  // Connects to the daemon, started first where it is absent.
  std::function<Result<UniqueFd>()> connect;
  std::function<void(const Error&)> complain;
  // Without a daemon that stays: at first, before agents give up on us (Codex waits 10 s), and
  // later.
  long give_up_at_first_ms = 8000;
  long give_up_ms = 30'000;
};

// Hands the agent's descriptors to the daemon and stays until the session ends, through the
// daemon's stops, crashes and restarts. Answers the exit code: 0 ended, 3 refused or no daemon to
// be had, 128 + n after signal n.
int serve_agent(BridgeWorld world);

// The whole of `upskill mcp` on this process's stdin and stdout.
int run_bridge();

} // namespace upskill::mcp
