#pragma once
#include "daemon/proxy/recording.h"
#include "daemon/runtime/child_process.h"
#include "daemon/students/cli_agents.h"
#include "daemon/students/student.h"

#include <map>
#include <string>

namespace upskill::students {

// What a run of an agent comes to. `end.timed_out` with `end.is_idle` is idle_limit, without it
// limit. No key is in what is kept. Errors, by what went wrong: timed_out, permission (no key, a
// wrong one), busy (too many requests), not_found (no such model), too_large (it prints without
// end), unavailable (all else, and an end that was no end).
Result<Work> cli_work(const CliAgentRow& row,
                      const CliCall& call,
                      const runtime::ChildEnd& end,
                      agent_events::AgentRun run);

// Puts what a proxy measured in place of what the agent says of itself, where that is known: its
// tokens, cost and models, and with the skill, that it read it.
void take_measured(Work& work, const proxy::Measured& measured, EvalArm arm);

// The text with each key that occurs in it as `[hidden]`.
std::string without_keys(std::string text, const std::map<std::string, std::string>& keys);

} // namespace upskill::students
