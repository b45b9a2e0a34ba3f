#pragma once
#include "daemon/sync/settings.h"
#include "protocol/base/paths.h"
#include "skills/agents/resolve.h"
#include "skills/library/roots.h"
#include "skills/sync/setup.h"

#include <optional>
#include <string>
#include <vector>

namespace upskill::daemon {

// The machine as it was found: which agents there are, where their skills lie, and who takes part
// in sync. Made on the pool, then never changed, so that handlers share it.
struct Scene {
  SyncSettings settings = {};
  agents::AgentTable table;
  std::optional<Error> table_problem = {};
  std::vector<std::string> warnings = {}; // about the settings
  std::vector<std::string> projects = {}; // of the settings, each folder once
  std::vector<agents::Detected> detected = {};
  // Where something that comes, goes or is replaced makes this another machine: what agents are
  // found by, and every link on the way to that or to a root. Each once.
  std::vector<std::string> signs = {};
  std::vector<std::string> enabled = {};           // ids of the agents that take part
  std::vector<library::AgentFolders> folders = {}; // of those
  std::vector<library::Root> roots = {};
  std::vector<sync::ScopeSetup> scopes = {};

  bool sync_is_on() const;
  bool is_detected(std::string_view agent) const;
};

// Looks at the machine. What in `settings` has no meaning here, such as an agent that a newer
// version of ours knew, is a warning: nobody is to be locked out by it. Errors: the built-in table
// is damaged (a bug).
Result<Scene>
look_around(const SyncSettings& settings, const Places& places, const Environment& environment);

// Skills in all roots, each name once for each scope.
std::int64_t count_skills(const Scene& scene);

} // namespace upskill::daemon
