#pragma once
#include "skills/store/trace_rows.h"

#include <span>
#include <string_view>

namespace upskill::capture {

// Whether sessions of this agent that ran in this folder are captured: by the rule of the longest
// folder that holds it, of those by the one that names the agent. Without a rule they are not: a
// person switches it on. An empty `folder` is not known; then no rule of a folder holds.
bool is_captured(std::span<const store::CaptureRule> rules,
                 std::string_view agent,
                 std::string_view folder);

// Whether some session of this agent may be captured, wherever it ran.
bool may_be_captured(std::span<const store::CaptureRule> rules, std::string_view agent);

} // namespace upskill::capture
