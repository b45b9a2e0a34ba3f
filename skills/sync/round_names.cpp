// Which names of a scope a round looks at.
#include "protocol/base/bounds.h"
#include "skills/sync/round.h"
#include "skills/sync/walk.h"

#include <dirent.h>

#include <algorithm>

namespace upskill::sync {
namespace {

bool may_be_skill(const FolderNames::Name& name, std::string_view text) {
  return (name.type == DT_DIR || name.type == DT_LNK || name.type == DT_UNKNOWN)
         && text.front() != '.' && !library::ignored_name(text);
}

} // namespace

// Sorted, each once, so that a round does the same whatever order folders list their names in.
std::vector<std::string> RoundRun::names_of(Scope& scope, bool all) {
  std::vector<std::string> names;
  for (const Touched& touched : m_work.touched) {
    std::optional<RootIndex> root = scope.root_at(touched.root);
    if (!root) {
      continue;
    }
    names.push_back(touched.skill);
    if (touched.order != 0) {
      scope.orders[{*root, touched.skill}] = touched.order;
    }
  }
  if (!m_work.only_skill.empty()) {
    names.push_back(m_work.only_skill);
  } else if (!all) {
    for (const auto& [name, deletion] : scope.deletions) {
      names.push_back(name);
    }
    for (const auto& [name, retry] : scope.retries) {
      if (retry.at_ms <= m_work.now.steady_ms) {
        names.push_back(name);
      }
    }
  } else {
    FolderNames listed;
    for (std::size_t i = 0; i < scope.roots.size(); ++i) {
      if (!scope.roots[i].fd || !listed.read(scope.roots[i].fd.get())) {
        continue;
      }
      if (listed.names().size() > k_max_skills_per_root) {
        warn({ErrorCode::too_large,
              "`" + scope.setup.roots[i].path + "` holds more than "
                  + std::to_string(k_max_skills_per_root) + " entries",
              "move what is no skill elsewhere"});
        continue;
      }
      for (const FolderNames::Name& name : listed.names()) {
        if (may_be_skill(name, listed.view(name))) {
          names.emplace_back(listed.view(name));
        }
      }
    }
    for (const Skill& skill : scope.skills) {
      if (!skill.name.empty()) {
        names.push_back(skill.name);
      }
    }
  }
  std::ranges::sort(names);
  auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

// What nobody syncs, however its name came here.
bool RoundRun::is_ignored(const Scope& scope, const std::string& name) const {
  return is_no_skill(scope.setup, name) || is_excluded(scope.setup, name);
}

} // namespace upskill::sync
