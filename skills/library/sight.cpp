#include "skills/library/sight.h"

#include <algorithm>
#include <set>

namespace upskill::library {
namespace {

// The listing that a path of an agent leads to, in whatever scope it was found first.
const ListedRoot* find_listed(std::span<const ListedRoot> roots, const std::string& path) {
  for (const ListedRoot& listed : roots) {
    if (find_root({listed.root, 1}, path) != nullptr) {
      return &listed;
    }
  }
  return nullptr;
}

class Sight {
public:
  Sight(const agents::Agent& agent, const Judge& judge)
      : m_agent(agent)
      , m_judge(judge) {}

  agents::ReadRoot see(const std::string& path, const ListedRoot& listed) const {
    agents::ReadRoot seen{path};
    for (const Entry& entry : listed.listing->entries) {
      if (entry.has_document()) {
        seen.skills.push_back(present(path, *listed.root, entry));
      }
      for (const NestedSkill& nested : entry.nested) {
        agents::PresentSkill skill;
        skill.name = base_name(nested.path);
        skill.path = join_path(path, nested.path);
        skill.real_path = join_path(listed.root->real_path, nested.path);
        skill.depth = nested.depth;
        // The folder was met once, by its path: that stands for device and inode.
        skill.inode = std::hash<std::string>()(skill.real_path);
        judge(skill);
        seen.skills.push_back(std::move(skill));
      }
    }
    return seen;
  }

private:
  agents::PresentSkill
  present(const std::string& path, const Root& root, const Entry& entry) const {
    agents::PresentSkill skill;
    skill.name = entry.name;
    skill.path = join_path(path, entry.name);
    skill.link = entry.is_link();
    skill.real_path = skill.link ? entry.target : join_path(root.real_path, entry.name);
    skill.device = entry.device;
    skill.inode = entry.inode;
    judge(skill);
    return skill;
  }

  void judge(agents::PresentSkill& skill) const {
    // A copy that is not looked at needs no judgement, and its file is not read for it.
    bool looked_at =
        m_agent.loader.depth == agents::k_any_depth || skill.depth <= m_agent.loader.depth;
    if (m_judge && looked_at) {
      LoadedSkill loaded = m_judge(m_agent, skill.real_path);
      skill.verdict = loaded.report.verdict;
      skill.reason = std::move(loaded.report.reason);
      // One that is skipped is not listed under any name: then the folder's says which it is.
      if (!loaded.name.empty() && skill.verdict != LoaderVerdict::skipped) {
        skill.name = std::move(loaded.name);
      }
    }
  }

  const agents::Agent& m_agent;
  const Judge& m_judge;
};

} // namespace

std::vector<AgentView> agent_views(std::span<const agents::Agent* const> agents,
                                   std::span<const AgentFolders> folders,
                                   std::span<const ListedRoot> roots,
                                   const Judge& judge) {
  std::set<std::string> known;
  for (const ListedRoot& listed : roots) {
    for (const Entry& entry : listed.listing->entries) {
      if (entry.has_document()) {
        known.insert(entry.name);
      }
    }
  }
  std::vector<std::string> names(known.begin(), known.end());
  std::vector<AgentView> views;
  for (const agents::Agent* agent : agents) {
    Sight sight(*agent, judge);
    std::vector<agents::ReadRoot> seen;
    std::set<std::string> paths; // both scopes have the same where home is the project
    for (Scope scope : {Scope::user, Scope::project}) {
      for (const AgentFolders& own : folders) {
        if (own.agent != agent->id || own.scope != scope) {
          continue;
        }
        auto add = [&](const std::string& path) {
          const ListedRoot* listed = find_listed(roots, path);
          if (listed != nullptr && paths.insert(path).second) {
            seen.push_back(sight.see(path, *listed));
          }
        };
        std::ranges::for_each(own.roots.reads, add);
        std::ranges::for_each(own.roots.administered, add);
      }
    }
    views.push_back(agents::view_of(*agent, seen, names));
  }
  return views;
}

} // namespace upskill::library
