#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace upskill::hook {

inline constexpr std::size_t k_max_name = 256;  // bytes of a name or an id
inline constexpr std::size_t k_max_path = 4096; // bytes of a path (PATH_MAX)

// What a hook of a coding agent tells, as far as it says where to look: a doorbell. It never holds
// what was said or done: prompts, inputs and outputs of tools are full of secrets, and stand in the
// session's own file. Whatever the agent did not say is empty.
struct HookEvent {
  std::int64_t time_ms = 0;           // Unix time at which the hook ran
  std::string agent = {};             // id of skills/agents: `claude-code`; empty: not to be told
  std::string event = {};             // as the agent calls it: `PostToolUse`, `afterFileEdit`
  std::string session = {};           // the agent's own session id
  std::string turn = {};              // id of the turn
  std::string transcript = {};        // path of the session's file
  std::string helper = {};            // id of a helper within the session (subagent)
  std::string helper_transcript = {}; // path of the helper's file
  std::string cwd = {};               // where the agent works

  friend bool operator==(const HookEvent&, const HookEvent&) = default;
};

} // namespace upskill::hook
