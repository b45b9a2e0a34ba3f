#include "protocol/base/paths.h"
#include "skills/sync/round.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

// Which roots take part in a round.
namespace upskill::sync {
namespace {

constexpr std::int64_t k_held_ms = 500; // when to look again at a root that somebody else holds
constexpr std::int64_t k_held_long_ms = 10'000;
constexpr std::int64_t k_held_most_ms = 60'000;

} // namespace

void RoundRun::open_roots(Scope& scope) {
  m_state.stager.begin_round();
  if (!m_work.dry_run) {
    m_state.stager.put_back();
  }
  for (std::size_t i = 0; i < scope.roots.size(); ++i) {
    const RootSetup& setup = scope.setup.roots[i];
    Root& root = scope.roots[i];
    root.held.clear();
    root.emptied_checked = false;
    root.names.reset();
    if (setup.refused) {
      root.judgement = {RootHealth::halted, setup.reason, {}};
      continue;
    }
    RootProbe probe = probe_root(setup.path);
    root.judgement = judge_root(setup.path, root.record, probe);
    if (!scope.setup.enabled && root.judgement.health != RootHealth::ok) {
      judge_alone(scope, static_cast<RootIndex>(i), probe);
    }
    if (root.judgement.health == RootHealth::replaced) {
      warn({ErrorCode::changed, root.judgement.reason, {}});
      if (m_work.dry_run) {
        root.held = root.judgement.reason;
        continue;
      }
      forget_root(scope, static_cast<RootIndex>(i));
      root.judgement = {};
    }
    if (root.judgement.health == RootHealth::halted) {
      warn({ErrorCode::refused, root.judgement.reason, root.judgement.hint});
    }
    if (root.judgement.health != RootHealth::ok
        || (scope.setup.enabled && root.record.emptied
            && is_still_emptied(scope, static_cast<RootIndex>(i)))) {
      continue;
    }
    if (m_state.stager.is_missing_some(setup.path)) {
      root.held = "a copy that was moved aside cannot be put back into `" + setup.path + "`";
    }
    bool known = root.record.device == probe.device && root.record.inode == probe.inode;
    if (!known && !m_work.dry_run) {
      root.record.device = probe.device;
      root.record.inode = probe.inode;
      warn_if(m_state.record_root(scope, static_cast<RootIndex>(i)));
    }
    root.fd.reset(::open(setup.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!root.fd) {
      Error error = system_error(errno, "`" + setup.path + "` cannot be read");
      root.judgement = {RootHealth::halted, error.message, "make it readable for you"};
      warn({error.code, error.message, root.judgement.hint});
      retry_at(m_work.now.steady_ms + k_held_most_ms);
      continue;
    }
    // Before anything is written there: one new copy in an emptied root would make it look as if
    // the others had been deleted one by one.
    if (scope.setup.enabled && is_root_emptied(scope, static_cast<RootIndex>(i))) {
      root.fd.reset();
      continue;
    }
    root.emptied_checked = false; // it may still happen during the round
    if (m_work.everything || root.git_folder.empty()) {
      root.git_folder = enclosing_git_folder(setup.path);
    }
    if (!root.git_folder.empty()) {
      std::string operation = git_operation(root.git_folder);
      if (!operation.empty()) {
        root.held = operation + " is under way in `" + parent_path(root.git_folder) + "`";
      }
    }
    wait_for_root(scope, static_cast<RootIndex>(i));
  }
}

// Where nothing is synchronised nothing is concluded from what is missing in a root, so that it
// stands in nobody's way that all of it is.
void RoundRun::judge_alone(Scope& scope, RootIndex index, const RootProbe& probe) {
  Root& root = scope.roots[index];
  RootRecord nothing_agreed = root.record;
  nothing_agreed.agreed = 0;
  root.judgement = judge_root(scope.setup.roots[index].path, nothing_agreed, probe);
  if (root.judgement.health != RootHealth::halted && !m_work.dry_run) {
    forget_root(scope, index);
  }
}

// Soon, at first; then less and less often, since a lock may have been left behind, and a rebase
// may wait for days.
void RoundRun::wait_for_root(Scope& scope, RootIndex index) {
  Root& root = scope.roots[index];
  if (root.held.empty()) {
    root.held_since_ms.reset();
    return;
  }
  if (!root.held_since_ms) {
    root.held_since_ms = m_work.now.steady_ms;
  }
  std::int64_t held_ms = m_work.now.steady_ms - *root.held_since_ms;
  if (held_ms < k_held_long_ms) {
    again(scope, {}, m_work.now.steady_ms + k_held_ms);
    return;
  }
  retry_at(m_work.now.steady_ms + std::min(held_ms / 4, k_held_most_ms));
}

void RoundRun::retry_at(std::int64_t at_ms) {
  m_round.retry_at_ms = std::min(m_round.retry_at_ms.value_or(at_ms), at_ms);
}

// Another folder lies at the path: what was agreed there says nothing about it, so that nothing
// missing in it counts as deleted. The rows go before the new inode is recorded.
void RoundRun::forget_root(Scope& scope, RootIndex root) {
  scope.roots[root].record.emptied = false;
  for (Skill& skill : scope.skills) {
    if (Replica* replica = skill.find(root); replica != nullptr && replica->base) {
      scope.agree(skill, root, std::nullopt);
      warn_if(m_state.record_replicas(scope, skill));
    }
  }
}

void RoundRun::close_roots(Scope& scope) {
  for (Root& root : scope.roots) {
    root.missed = root.missed || (!root.usable() && root.judgement.health != RootHealth::absent);
    root.fd.reset();
    root.names.reset();
  }
}

// Whether a root can be read that could not be before: what was touched in it meanwhile was told to
// rounds that did not look.
bool RoundRun::catches_up(const Scope& scope) const {
  return std::ranges::any_of(scope.roots,
                             [](const Root& root) { return root.missed && root.usable(); });
}

} // namespace upskill::sync
