#pragma once
#include "protocol/method.h"
#include "protocol/types/setup.h"

namespace upskill {

// The methods that connect coding agents; a part of the list in methods.h.

inline constexpr Method<SetupParams, SetupResult> k_setup_plan{
    "setup_plan",
    "",
    "What `upskill setup` would change, in which file.",
    "",
    Effect::reads,
    Audience::people_only,
    Pace::slow};

inline constexpr Method<SetupParams, SetupResult> k_setup_apply{
    "setup_apply",
    "setup",
    "Connect your coding agents: MCP server, hooks, skills; shows each change first.",
    "",
    Effect::writes,
    Audience::people_only,
    Pace::slow};

inline constexpr Method<SetupRemoveParams, SetupResult> k_setup_remove{
    "setup_remove",
    "setup remove",
    "Take back what `upskill setup` wrote, byte for byte.",
    "",
    Effect::destructive,
    Audience::people_only,
    Pace::slow};

} // namespace upskill
