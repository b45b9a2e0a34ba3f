#include "skills/sync/engine_state.h"

#include <utility>

namespace upskill::sync {
namespace {

// Puts what the engine has in memory aside, and back when it goes.
class Aside {
public:
  explicit Aside(Engine::State& state)
      : m_state(state)
      , m_scopes(std::exchange(state.scopes, {}))
      , m_setup(std::exchange(state.setup, {})) {}

  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  ~Aside() {
    m_state.scopes = std::move(m_scopes);
    m_state.setup = std::move(m_setup);
  }

private:
  Engine::State& m_state;
  std::vector<Scope> m_scopes;
  std::vector<ScopeSetup> m_setup;
};

// A round that is no rehearsal forgets what was agreed in a folder that is another one now. A dry
// one leaves that to it, and would show a root that waits.
void forget_replaced(Engine::State& state) {
  for (Scope& scope : state.scopes) {
    for (RootIndex i = 0; i < scope.roots.size(); ++i) {
      Root& root = scope.roots[i];
      const std::string& path = scope.setup.roots[i].path;
      RootProbe probe = probe_root(path);
      if (scope.setup.roots[i].refused
          || judge_root(path, root.record, probe).health != RootHealth::replaced) {
        continue;
      }
      for (Skill& skill : scope.skills) {
        if (Replica* replica = skill.find(i); replica != nullptr && replica->base) {
          scope.agree(skill, i, std::nullopt);
        }
      }
      root.record.device = probe.device;
      root.record.inode = probe.inode;
      root.record.emptied = false;
    }
  }
}

} // namespace

Result<Rehearsal> Engine::rehearse(std::vector<ScopeSetup> scopes, HaltedRoots halted, Moment now) {
  State& state = *m_state;
  TRY_ASSIGN(store::Transaction never_committed, state.store.begin());
  Aside aside(state);
  TRY(load_setup(state, std::move(scopes)));
  if (halted == HaltedRoots::accept) {
    TRY(sync::accept_roots(state));
  }
  forget_replaced(state);
  Work work;
  work.everything = true;
  work.dry_run = true;
  work.now = now;
  TRY_ASSIGN(Round round, run(work));
  return Rehearsal{status(), std::move(round)};
}

} // namespace upskill::sync
