#pragma once
#include "protocol/types/sync.h"
#include "skills/agents/resolve.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::library {

// The folders that one agent has to do with in one scope: what discovery starts from.
struct AgentFolders {
  std::string agent;
  Scope scope = Scope::user;
  std::string project = {}; // absolute; empty in the user's scope
  agents::AgentRoots roots = {};
  bool follows_links = false;
  std::vector<std::string> never_touch = {};
};

// One entry for the user's scope and, where the setting has a project, one for the project's.
std::vector<AgentFolders> folders_of(const agents::Agent& agent, const agents::Setting& setting);

// A folder of skills, once for each place where one really is: paths that lead to one folder are
// one root (facts: agents.md, section 3, point 7).
struct Root {
  std::string path;      // as an agent names it; one without a link where there is one
  std::string real_path; // of an absent root: where it would really come to lie
  std::uint64_t device = 0;
  std::uint64_t inode = 0; // 0 for an absent root
  RootState state = RootState::ok;
  std::string reason = {};      // why it is refused
  bool is_administered = false; // refused for good: it is an administrator's
  Scope scope = Scope::user;
  std::string project = {};
  std::vector<std::string> aliases = {};      // the other paths that lead here
  bool link = false;                          // every path to it has a link below home or project
  std::vector<std::string> readers = {};      // agents, by id
  std::vector<std::string> link_readers = {}; // those of them that follow links
  std::vector<std::string> writers = {};      // agents whose copies belong here
  std::vector<std::string> never_touch = {};  // names in it that are some agent's own business

  // True where something can be listed: it exists and is a folder.
  bool exists() const { return inode != 0; }
};

// Finds out where the agents' folders really lie. The order is the priority of sync: the user's
// roots first, then each project's; in a scope `.agents/skills`, then `.claude/skills`, then by
// path (decisions: Sync). An absent legacy or administrator's folder is left out; absent others
// stay, so that they are watched for and can be made.
//
// Refused, with a reason, and never written:
//   - what is no folder, or a link that leads nowhere or in a circle, or cannot be looked at;
//   - `/`, the home folder and what holds it; in a project also the project's folder itself;
//   - a root inside another: the project's one of two scopes; else the linked one, because a root
//   is
//     not made bad by somebody's linking to what holds it; else the inner one;
//   - a project's root that really lies outside the project, or is a root of another scope;
//   - an administrator's folder.
// Where the home folder is itself the project the two scopes are one, the user's.
std::vector<Root> discover_roots(std::span<const AgentFolders> folders, const std::string& home);

// The root that a path of an agent leads to, by path or alias, or null.
const Root* find_root(std::span<const Root> roots, std::string_view path);

} // namespace upskill::library
