#pragma once
#include "protocol/types/sync.h"
#include "skills/sync/reconcile.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::sync {

struct RootSetup {
  std::string path;                      // where it really is
  std::vector<std::string> agents = {};  // that read it
  std::vector<std::string> aliases = {}; // other paths that lead here
  bool refused = false;                  // never read and never written; `reason` says why
  std::string reason = {};
  bool by_link = false;     // who has this as its preferred root asked for links and follows them
  bool last_resort = false; // read by somebody, but no place that anybody's documentation names
  std::vector<std::string> never_touch = {}; // names in it that are an agent's own business

  friend bool operator==(const RootSetup&, const RootSetup&) = default;
};

struct AgentSetup {
  std::string id;
  std::vector<RootIndex> reads = {};
  std::optional<RootIndex> preferred = {}; // where a copy for it goes
  bool follows_links = false;

  friend bool operator==(const AgentSetup&, const AgentSetup&) = default;
};

// Everything about one scope that does not come from looking at skills: who takes part, and where.
// Roots are in priority order (decisions: `.agents`, `.claude`, then by path).
struct ScopeSetup {
  std::string project = {}; // path; empty for the user's own skills
  bool enabled = false;
  SyncPolicy policy = SyncPolicy::cover;
  std::vector<RootSetup> roots = {};
  std::vector<AgentSetup> agents = {};
  // `skill` or `agent:skill`, `*` matches any text.
  std::vector<std::string> exclude = {};

  // `user`, or the project's path: how the scope is called in results and in the store.
  std::string name() const { return project.empty() ? "user" : project; }

  friend bool operator==(const ScopeSetup&, const ScopeSetup&) = default;
};

// `*` matches any text, everything else itself.
bool matches_pattern(std::string_view text, std::string_view pattern);
// Names that nobody syncs, whatever lies there: hidden ones, what agents keep there themselves.
bool is_no_skill(const ScopeSetup& setup, std::string_view name);
// Whether the skill is out of sync altogether, or for this agent.
bool is_excluded(const ScopeSetup& setup, std::string_view skill);
// Whether nobody who reads this root wants the skill: what lies there is the agents' own business.
bool is_left_alone(const ScopeSetup& setup, RootIndex root, std::string_view skill);
bool is_excluded_for(const ScopeSetup& setup, std::string_view agent, std::string_view skill);

} // namespace upskill::sync
