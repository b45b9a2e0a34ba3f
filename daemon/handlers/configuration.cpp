#include "daemon/handlers/configuration.h"

#include "protocol/base/atomic_file.h"

#include <climits>
#include <cstdlib>
#include <optional>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::string_view k_of_project = "upskill.config.yaml";
constexpr std::string_view k_of_user = "config.yaml";

// Where it really is, of what exists of it.
std::string real_path(std::string path) {
  char real[PATH_MAX];
  while (::realpath(path.c_str(), real) == nullptr) {
    if (path == "/" || path.empty()) {
      return path;
    }
    path = parent_path(path);
  }
  return real;
}

std::string absolute(const std::string& path, const CallContext& caller, const Places& places) {
  std::string expanded = expand_home(path, places.home);
  if (!expanded.starts_with('/') && caller.cwd.empty()) {
    return {};
  }
  return normalized_path(expanded, caller.cwd);
}

// A path that reads as one inside may be a link that came with the repository.
Result<void> check_inside(const std::string& path, const std::string& project) {
  if (!is_inside(real_path(path), real_path(project))) {
    return fail(ErrorCode::refused,
                "`" + path + "` is a link that leads out of the project",
                "the project's configuration may only name folders inside it");
  }
  return {};
}

// The file read and understood; nothing where it is not there.
Result<std::optional<FoundConfig>> read_at(const std::string& path,
                                           config::Trust trust,
                                           const CallContext& caller,
                                           const Places& places) {
  Result<std::string> text = read_file(path, config::k_max_config);
  if (!text) {
    if (text.error().code == ErrorCode::not_found) {
      return std::nullopt;
    }
    return fail(std::move(text).error());
  }
  Result<config::Config> config = config::read_config(*text, trust);
  if (!config) {
    Error error = std::move(config).error();
    error.message = "`" + path + "`: " + error.message;
    return fail(std::move(error));
  }
  FoundConfig found;
  found.config = std::move(*config);
  found.source = path;
  for (std::string& warning : found.config.warnings) {
    warning = "`" + path + "`: " + warning;
  }
  if (trust == config::Trust::project) {
    TRY(check_inside(absolute(found.config.runs_dir, caller, places), caller.cwd));
    TRY(check_inside(absolute(found.config.skills_dir, caller, places), caller.cwd));
  }
  return found;
}

Result<FoundConfig> find(const CallContext& caller, const Places& places) {
  if (!caller.config.empty()) {
    std::string path = absolute(caller.config, caller, places);
    TRY_ASSIGN(std::optional<FoundConfig> named,
               read_at(path, config::Trust::user, caller, places));
    if (!named) {
      return fail(ErrorCode::not_found,
                  "there is no configuration `" + caller.config + "`",
                  "it is named by `--config` or the variable UPSKILL_CONFIG");
    }
    return std::move(*named);
  }
  if (!caller.cwd.empty()) {
    std::string path = join_path(caller.cwd, k_of_project);
    TRY_ASSIGN(std::optional<FoundConfig> of_project,
               read_at(path, config::Trust::project, caller, places));
    if (of_project) {
      return std::move(*of_project);
    }
  }
  std::string path = join_path(places.config, k_of_user);
  TRY_ASSIGN(std::optional<FoundConfig> of_user,
             read_at(path, config::Trust::user, caller, places));
  return of_user ? std::move(*of_user) : FoundConfig{};
}

} // namespace

Result<FoundConfig> find_config(const CallContext& caller, const Places& places) {
  TRY_ASSIGN(FoundConfig found, find(caller, places));
  found.runs_dir = absolute(found.config.runs_dir, caller, places);
  found.skills_dir = absolute(found.config.skills_dir, caller, places);
  return found;
}

} // namespace upskill::daemon
