#pragma once
#include "protocol/types/server.h"
#include "skills/agents/view.h"
#include "skills/library/catalogue.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace upskill::library {

// What an agent's loader makes of a SKILL.md: a verdict, and the name under which it lists the
// skill (empty: its folder's).
struct LoadedSkill {
  LoaderReport report = {};
  std::string name = {};
};

// The same for one agent and a skill's folder (an absolute path).
using Judge = std::function<LoadedSkill(const agents::Agent& agent, const std::string& folder)>;

// What each agent will really list: its roots in its loader's order, the user's before the
// project's, with what lies in them, links and nested skills included. List the roots with
// Nesting::all, so that agents that look deeper are told about skills inside skills. `folders`
// holds the entries of folders_of() for every agent. Without a judge every SKILL.md counts as
// valid and named as its folder. A skill is missed when one of `roots` has a folder of that name
// and the agent shows none.
std::vector<AgentView> agent_views(std::span<const agents::Agent* const> agents,
                                   std::span<const AgentFolders> folders,
                                   std::span<const ListedRoot> roots,
                                   const Judge& judge);

} // namespace upskill::library
