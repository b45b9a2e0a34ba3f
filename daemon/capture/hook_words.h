#pragma once
#include "protocol/hook/event.h"
#include "protocol/types/trace_changes.h"

namespace upskill::capture {

// What a hook told that calls the method `hook_event` (an agent's own handler for MCP tools), read
// by the rules of every other way: hook::read_payload().
hook::HookEvent hook_event_of(const HookEventParams& params);

} // namespace upskill::capture
