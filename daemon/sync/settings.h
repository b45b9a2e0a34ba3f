#pragma once
#include "protocol/base/result.h"
#include "protocol/types/sync.h"
#include "skills/agents/table.h"

#include <string>
#include <vector>

namespace upskill::daemon {

// A project whose skills are synchronised, or only known, because something was installed there;
// the user's other choices hold for it too.
struct ProjectSettings {
  std::string path;
  bool only_known = false; // what is false is not written, so older files mean the same

  bool is_enabled() const { return !only_known; }

  static void describe(auto& f) {
    f.required(&ProjectSettings::path, "path", "The project's folder.");
    f.optional(&ProjectSettings::only_known, "only_known", "Whether its skills are left alone.");
  }

  friend bool operator==(const ProjectSettings&, const ProjectSettings&) = default;
};

// What the person decided about sync: `sync.json` among what is the user's, because losing sync.db
// must cost history and caches only.
struct SyncSettings {
  static constexpr bool k_lenient = true; // a newer version of ours may have added fields
  bool enabled = false;
  SyncPolicy policy = SyncPolicy::cover;
  std::vector<std::string> agents = {}; // empty: every agent found
  std::vector<std::string> without = {};
  std::vector<std::string> link = {};
  std::vector<std::string> exclude = {};
  std::vector<ProjectSettings> projects = {};

  static void describe(auto& f) {
    f.required(&SyncSettings::enabled, "enabled", "Whether the user's skills are synchronised.");
    f.required(&SyncSettings::policy, "policy", "Where new copies go.");
    f.optional(&SyncSettings::agents, "agents", "Who takes part.");
    f.optional(&SyncSettings::without, "without", "Who does not.");
    f.optional(&SyncSettings::link, "link", "Who gets links.");
    f.optional(&SyncSettings::exclude, "exclude", "What stays out.");
    f.optional(&SyncSettings::projects, "projects", "Projects that are known.");
  }

  friend bool operator==(const SyncSettings&, const SyncSettings&) = default;
};

// The settings in that file; the defaults (sync is off) where there is none. corrupt when it is not
// what save_settings writes.
Result<SyncSettings> load_settings(const std::string& path);
Result<void> save_settings(const std::string& path, const SyncSettings& settings);

// The settings after `sync enable` with these parameters. Lists that are given replace the ones
// before; an empty one, or the one word `none` (`all` for `agents`), empties them. Who is named to
// take part is not left out any more, and the other way round. `params.project` is absolute or
// empty; it is kept by its real path, and only where it is none of those that are known already,
// whatever they are called. Looks at the disk.
// Errors: invalid_argument for an agent that is not in the table, for words that leave nobody of
// those that were named, for a project that is no folder, or for a choice that would change with
// this project what holds for others.
Result<SyncSettings> with_enabled(SyncSettings settings,
                                  const agents::AgentTable& table,
                                  const SyncEnableParams& params);
// The same after `sync disable`. A project that is not there any more is found by its path.
SyncSettings with_disabled(SyncSettings settings, const SyncDisableParams& params);

// Where each project is one folder: of several paths to one folder the first, which is enabled
// where one of them is.
std::vector<ProjectSettings> distinct_projects(const SyncSettings& settings);

// By which path this folder is known, or would be. invalid_argument where it is no folder.
Result<std::string> project_path(const SyncSettings& settings, const std::string& folder);
// With this project among those that are known, as one that is not synchronised if it is new.
SyncSettings with_known(SyncSettings settings, const std::string& path);

} // namespace upskill::daemon
