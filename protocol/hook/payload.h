#pragma once
#include "protocol/hook/event.h"

#include <string_view>

namespace upskill::hook {

inline constexpr std::size_t k_max_payload = 1u << 20; // bytes of a payload that are looked at

// Ids of the agents (skills/agents) whose payloads are known.
inline constexpr std::string_view k_claude_code = "claude-code";
inline constexpr std::string_view k_codex = "codex";
inline constexpr std::string_view k_cursor = "cursor";
inline constexpr std::string_view k_gemini_cli = "gemini-cli";
inline constexpr std::string_view k_copilot = "github-copilot";

// What is known beside the payload: what a person wrote into the agent's configuration, or what a
// connection tells.
struct HookHints {
  std::string_view agent = {}; // where given it is believed
  std::string_view event = {}; // where the payload names none: Copilot's never does
};

// What the JSON says that an agent gives to its hooks, to a command, over HTTP or to an MCP tool.
// Which agent it was is told from the shape (facts: traces.md, section 2). It never fails: what
// cannot be read is left out, a payload that is cut says what came before the cut. `time_ms` is the
// caller's to set.
HookEvent read_payload(std::string_view json, const HookHints& hints = {});

// Whether a text may be the id of an agent: 1 to 32 of `a-z`, `0-9` and `-`.
bool is_agent_id(std::string_view text);

} // namespace upskill::hook
