#pragma once
#include "protocol/types/server.h"
#include "skills/agents/agent.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upskill::agents {

// One skill as it lies in a root.
struct PresentSkill {
  std::string name;         // what the agent calls it
  std::string path;         // the skill's folder as seen through the root
  std::string real_path;    // the same with links resolved
  std::uint64_t device = 0; // of the folder, links followed
  std::uint64_t inode = 0;
  bool link = false;
  int depth = 1; // 1: a direct child of the root
  LoaderVerdict verdict = LoaderVerdict::valid;
  std::string reason = {}; // of the verdict
};

// A root that the agent reads, with all that lies in it.
struct ReadRoot {
  std::string path;
  std::vector<PresentSkill> skills = {};
};

// What the agent will really list (facts: agents.md, section 2). `roots` are those that it reads,
// in its loader's order, the user's before the project's: where the first of two wins that is the
// user's, as Claude Code has it, and where the last wins the project's, as Gemini CLI has it.
// `known` are the names of the folders of all skills there are; `misses` is what of them the agent
// does not show. Different skills may have one name, and then do to each other what copies do.
// A copy that is passed over stands in the list with `times` 0 and the reason, unless another copy
// of that name is shown; then the reason is a note there. Both lists are by name.
AgentView
view_of(const Agent& agent, std::span<const ReadRoot> roots, std::span<const std::string> known);

} // namespace upskill::agents
