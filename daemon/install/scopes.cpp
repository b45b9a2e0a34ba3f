#include "daemon/install/scopes.h"

#include "daemon/sync/settings.h"
#include "protocol/base/utf8.h"

#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace upskill::daemon {
namespace {

std::string real_path(const std::string& path) {
  char real[PATH_MAX];
  return ::realpath(path.c_str(), real) == nullptr ? path : std::string(real);
}

// The checkout that the folder lies in, else the folder.
std::string project_round(const std::string& cwd, const std::string& home) {
  struct stat status {};

  for (std::string at = cwd; at != "/" && at != home; at = parent_path(at)) {
    if (::lstat(join_path(at, ".git").c_str(), &status) == 0) {
      return at;
    }
  }
  return cwd;
}

Result<std::string> project_named(const ScopeWords& words, const std::string& home) {
  if (words.project.empty()) {
    if (words.cwd.empty()) {
      return fail(ErrorCode::invalid_argument,
                  "params.project: no folder is named",
                  "name the project's folder, as an absolute path");
    }
    return project_round(words.cwd, home);
  }
  std::string project = expand_home(words.project, home);
  if (project.front() != '/' && words.cwd.empty()) {
    return fail(ErrorCode::invalid_argument, "params.project: must be an absolute path");
  }
  return normalized_path(project, words.cwd);
}

Result<std::string>
known_project(const ScopeWords& words, const SyncSettings& settings, const std::string& home) {
  TRY_ASSIGN(std::string project, project_named(words, home));
  if (real_path(project) == real_path(home)) {
    return std::string();
  }
  return project_path(settings, project);
}

Result<void> check_words(const ScopeWords& words) {
  if (!words.scope.empty() && words.scope != "user" && words.scope != "project") {
    return fail(ErrorCode::invalid_argument, "params.scope: must be `user` or `project`");
  }
  if (words.scope == "user" && !words.project.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params.project: the scope is the user's",
                "leave one of the two out");
  }
  return {};
}

} // namespace

Result<std::string>
scope_of(const ScopeWords& words, const SyncSettings& settings, const std::string& home) {
  TRY(check_words(words));
  if (words.scope == "user" || (words.scope.empty() && words.project.empty())) {
    return std::string();
  }
  return known_project(words, settings, home);
}

Result<std::vector<std::string>>
scopes_of(const ScopeWords& words, const SyncSettings& settings, const std::string& home) {
  bool means_both = words.scope.empty() && words.project.empty();
  TRY_ASSIGN(std::string one, scope_of(words, settings, home));
  std::vector<std::string> scopes{one};
  if (means_both && !words.cwd.empty()) {
    Result<std::string> project = known_project(words, settings, home);
    if (project && !project->empty()) {
      scopes.push_back(std::move(*project));
    }
  }
  return scopes;
}

std::string scope_name(const std::string& project) {
  return project.empty() ? "user" : project;
}

Result<void> check_agents(const Scene& scene, const std::vector<std::string>& agents) {
  for (const std::string& agent : agents) {
    if (std::ranges::find(scene.enabled, agent) != scene.enabled.end()) {
      continue;
    }
    bool is_known = scene.table.find(agent) != nullptr;
    return fail(ErrorCode::invalid_argument,
                "params.agent: " + in_backticks(agent) + " "
                    + (is_known ? "was not found on this machine, or takes no part"
                                : "is no agent that we know"),
                is_known ? "`upskill agents` lists those that take part"
                         : "`upskill agents --all` lists them");
  }
  if (scene.enabled.empty()) {
    return fail(ErrorCode::not_found,
                "no coding agent was found on this machine",
                "`upskill agents --all` lists those that we look for");
  }
  return {};
}

} // namespace upskill::daemon
