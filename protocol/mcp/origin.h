#pragma once
#include "protocol/rpc/message.h"

#include <string>

namespace upskill::mcp {

// What a client's `_meta` tells of the session that a call comes from (facts: mcp.md, clients):
// Codex names its thread, Claude Code the use of the tool. Only letters, digits, `-` and `_`, at
// most 128; believed by nobody but the one who reads his own session.
struct Origin {
  std::string session = {};  // `x-codex-turn-metadata`
  std::string tool_use = {}; // `claudecode/toolUseId`

  bool empty() const { return session.empty() && tool_use.empty(); }

  friend bool operator==(const Origin&, const Origin&) = default;
};

Origin read_origin(const rpc::Members& meta);

} // namespace upskill::mcp
