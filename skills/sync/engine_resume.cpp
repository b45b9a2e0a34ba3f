// Where sync was off and is on again.
#include "skills/sync/engine_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace upskill::sync {

Result<void> turn_off_others(store::SyncStore& store, const std::vector<ScopeSetup>& setups) {
  TRY_ASSIGN(std::vector<store::ScopeRow> rows, store.scopes());
  for (store::ScopeRow& row : rows) {
    if (row.enabled && std::ranges::find(setups, row.path, &ScopeSetup::name) == setups.end()) {
      row.enabled = false;
      TRY(store.put_scope(row));
    }
  }
  return {};
}

Result<void> forget_missing(Engine::State& state, Scope& scope) {
  auto is_gone = [](const std::string& path) {
    return ::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
  };
  for (Skill& skill : scope.skills) {
    std::vector<RootIndex> gone;
    bool left = false;
    for (const Replica& replica : skill.replicas) {
      const bool is_missing = replica.base && is_gone(scope.path_of(replica.root, skill.name));
      left = left || (replica.base && !is_missing);
      // A root that is not there tells nothing.
      if (is_missing && !is_gone(scope.setup.roots[replica.root].path)) {
        gone.push_back(replica.root);
      }
    }
    for (RootIndex root : left ? gone : std::vector<RootIndex>()) {
      scope.agree(skill, root, std::nullopt);
    }
    if (left && !gone.empty()) {
      TRY(state.record_replicas(scope, skill));
    }
  }
  return {};
}

} // namespace upskill::sync
