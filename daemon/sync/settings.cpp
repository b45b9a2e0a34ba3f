#include "daemon/sync/settings.h"

#include "protocol/codec/nlohmann_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::daemon {

Result<SyncSettings> parse_settings(const std::string& text) {
  TRY_ASSIGN(nlohmann::json document, parse_json(text, "the stored sync settings"));
  return decode_document<SyncSettings>(document, "settings");
}

SyncSettings with_enabled(SyncSettings settings, const SyncEnableParams& params) {
  if (params.policy) {
    settings.policy = *params.policy;
  }
  auto replace = [](std::vector<std::string>& list, const std::vector<std::string>& given) {
    if (!given.empty()) {
      list = given;
    }
  };
  replace(settings.agents, params.agents);
  replace(settings.without, params.without);
  replace(settings.link, params.link);
  replace(settings.exclude, params.exclude);
  if (params.project.empty()) {
    settings.enabled = true;
  } else if (std::ranges::find(settings.projects, params.project, &ProjectSettings::path)
             == settings.projects.end()) {
    settings.projects.push_back({params.project});
  }
  return settings;
}

SyncSettings with_disabled(SyncSettings settings, const SyncDisableParams& params) {
  if (params.project.empty()) {
    settings.enabled = false;
  } else {
    std::erase(settings.projects, ProjectSettings{params.project});
  }
  return settings;
}

} // namespace upskill::daemon
