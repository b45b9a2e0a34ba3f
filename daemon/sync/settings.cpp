#include "daemon/sync/settings.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/codec/nlohmann_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_settings = 1u << 20; // bytes

} // namespace

Result<SyncSettings> load_settings(const std::string& path) {
  Result<std::string> text = read_file(path, k_max_settings);
  if (!text) {
    return text.error().code == ErrorCode::not_found ? Result<SyncSettings>(SyncSettings{})
                                                     : fail(text.error());
  }
  const std::string what = "`" + path + "`";
  TRY_ASSIGN(nlohmann::json document, parse_json(*text, what));
  Result<SyncSettings> settings = decode_document<SyncSettings>(document, "settings");
  if (!settings) {
    return fail(ErrorCode::corrupt,
                what + " is damaged: " + settings.error().message,
                "remove it and run `upskill sync enable` again");
  }
  return settings;
}

Result<void> save_settings(const std::string& path, const SyncSettings& settings) {
  TRY(make_directories(parent_path(path), 0700));
  return write_file_atomically(path, encode(settings) + "\n", 0600);
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
