#include "daemon/sync/settings.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/codec/nlohmann_reader.h"

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_settings = 1u << 20; // bytes

Result<void> check_agents(const agents::AgentTable& table,
                          const std::vector<std::string>& ids,
                          std::string_view field) {
  for (const std::string& id : ids) {
    if (table.find(id) == nullptr) {
      return fail(ErrorCode::invalid_argument,
                  "params." + std::string(field) + ": `" + id + "` is no agent that we know",
                  "`upskill agents --all` lists them");
    }
  }
  return {};
}

// Nothing where there is no folder.
std::optional<std::pair<dev_t, ino_t>> identity_of(const std::string& path) {
  struct stat status {};

  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return std::nullopt;
  }
  return std::pair(status.st_dev, status.st_ino);
}

// A path can be spelled in many ways, through links and mounts: the folder counts.
bool is_same_project(const std::string& a, const std::string& b) {
  auto identity = identity_of(a);
  return a == b || (identity && identity == identity_of(b));
}

Result<std::string> real_folder(const std::string& path) {
  char real[PATH_MAX];
  if (::realpath(path.c_str(), real) == nullptr) {
    return fail(ErrorCode::invalid_argument,
                "params.project: `" + path + "` cannot be found: " + std::strerror(errno),
                "name the project's folder");
  }
  if (!identity_of(real)) {
    return fail(ErrorCode::invalid_argument,
                "params.project: `" + path + "` is no folder",
                "name the project's folder");
  }
  return std::string(real);
}

} // namespace

Result<SyncSettings> load_settings(const std::string& path) {
  Result<std::string> text = read_file(path, k_max_settings);
  if (!text) {
    return text.error().code == ErrorCode::not_found ? Result<SyncSettings>(SyncSettings{})
                                                     : fail(text.error());
  }
  const std::string what = "`" + path + "`";
  // Not as a hint: the log and the warnings of `status` show the message alone.
  const std::string cure = "; mend it, or remove it and run `upskill sync enable` again";
  Result<nlohmann::json> document = parse_json(*text, what);
  if (!document) {
    return fail(ErrorCode::corrupt, document.error().message + cure);
  }
  Result<SyncSettings> settings = decode_document<SyncSettings>(*document, "settings");
  if (!settings) {
    return fail(ErrorCode::corrupt, what + " is damaged: " + settings.error().message + cure);
  }
  return settings;
}

Result<void> save_settings(const std::string& path, const SyncSettings& settings) {
  TRY(make_directories(parent_path(path), 0700));
  return write_file_atomically(path, encode(settings) + "\n", 0600);
}

Result<SyncSettings> with_enabled(SyncSettings settings,
                                  const agents::AgentTable& table,
                                  const SyncEnableParams& params) {
  TRY(check_agents(table, params.agents, "agents"));
  TRY(check_agents(table, params.without, "without"));
  TRY(check_agents(table, params.link, "link"));
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
    return settings;
  }
  TRY_ASSIGN(std::string project, real_folder(params.project));
  if (std::ranges::none_of(settings.projects, [&](const ProjectSettings& known) {
        return is_same_project(known.path, project);
      })) {
    settings.projects.push_back({std::move(project)});
  }
  return settings;
}

SyncSettings with_disabled(SyncSettings settings, const SyncDisableParams& params) {
  if (params.project.empty()) {
    settings.enabled = false;
  } else {
    std::erase_if(settings.projects, [&](const ProjectSettings& known) {
      return is_same_project(known.path, params.project);
    });
  }
  return settings;
}

std::vector<std::string> distinct_projects(const SyncSettings& settings) {
  std::vector<std::string> projects;
  for (const ProjectSettings& project : settings.projects) {
    if (std::ranges::none_of(projects, [&](const std::string& known) {
          return is_same_project(known, project.path);
        })) {
      projects.push_back(project.path);
    }
  }
  return projects;
}

} // namespace upskill::daemon
