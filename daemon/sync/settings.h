#pragma once
#include "protocol/base/result.h"
#include "protocol/types/sync.h"

#include <string>
#include <vector>

namespace upskill::daemon {

// A project whose skills are synchronised; the user's other choices hold for it too.
struct ProjectSettings {
  std::string path;

  static void describe(auto& f) {
    f.required(&ProjectSettings::path, "path", "The project's folder.");
  }

  friend bool operator==(const ProjectSettings&, const ProjectSettings&) = default;
};

// What the person decided about sync; one JSON document in sync.db.
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
    f.optional(&SyncSettings::projects, "projects", "Projects under sync.");
  }

  friend bool operator==(const SyncSettings&, const SyncSettings&) = default;
};

Result<SyncSettings> parse_settings(const std::string& text);

// The settings after `sync enable` with these parameters. Lists that are given replace the ones
// before; `params.project` is absolute or empty.
SyncSettings with_enabled(SyncSettings settings, const SyncEnableParams& params);
SyncSettings with_disabled(SyncSettings settings, const SyncDisableParams& params);

} // namespace upskill::daemon
