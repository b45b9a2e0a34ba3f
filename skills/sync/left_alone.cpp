#include "skills/sync/left_alone.h"

#include "protocol/base/bounds.h"
#include "protocol/base/unique_fd.h"
#include "skills/sync/scan.h"
#include "skills/sync/walk.h"

#include <fcntl.h>

#include <utility>

namespace upskill::sync {
namespace {

void look_into_root(const Scope& scope, RootIndex root, LeftAlone& left) {
  const std::string& path = scope.setup.roots[root].path;
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  FolderNames listed;
  if (!fd || !listed.read(fd.get()) || listed.names().size() > k_max_skills_per_root) {
    return;
  }
  for (const FolderNames::Name& entry : listed.names()) {
    std::string_view name = listed.view(entry);
    if (is_no_skill(scope.setup, name) || !is_kept_out(scope, root, name)) {
      continue;
    }
    Presence presence = stat_skill(fd.get(), name).presence;
    if (presence == Presence::copy || presence == Presence::link) {
      left[std::string(name)].set(root);
    }
  }
}

} // namespace

bool is_kept_out(const Scope& scope, RootIndex root, std::string_view skill) {
  return !scope.setup.exclude.empty()
         && (is_excluded(scope.setup, skill) || is_left_alone(scope.setup, root, skill));
}

LeftAlone left_alone_of(const Scope& scope) {
  LeftAlone left;
  if (scope.setup.exclude.empty() || !scope.setup.enabled) {
    return left;
  }
  for (RootIndex root = 0; root < scope.roots.size(); ++root) {
    if (!scope.setup.roots[root].refused && scope.roots[root].usable()) {
      look_into_root(scope, root, left);
    }
  }
  return left;
}

} // namespace upskill::sync
