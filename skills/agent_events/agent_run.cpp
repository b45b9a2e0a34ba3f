#include "skills/agent_events/agent_run.h"

namespace upskill::agent_events {
namespace {

bool is_whole(const AgentRun& run) {
  return run.ending == Ending::done && run.broken_events == 0;
}

} // namespace

std::optional<std::set<std::string>> skills_used(const AgentRun& run) {
  if (run.skills.empty() && !is_whole(run)) {
    return std::nullopt;
  }
  return run.skills;
}

std::optional<std::set<std::string>> tools_used(const AgentRun& run) {
  if (!is_whole(run) || static_cast<std::int64_t>(run.tools.size()) != run.tool_calls) {
    return std::nullopt;
  }
  return std::set<std::string>(run.tools.begin(), run.tools.end());
}

} // namespace upskill::agent_events
