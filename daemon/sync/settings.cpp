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
constexpr std::string_view k_none = "none";      // alone: an empty list
constexpr std::string_view k_all = "all";        // the same for who takes part

using Given = std::optional<std::vector<std::string>>;

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

// The list that was given takes the place of the one before.
Result<void> replace(std::vector<std::string>& list,
                     const Given& given,
                     std::string_view field,
                     std::string_view clears) {
  if (!given) {
    return {};
  }
  bool is_cleared = contains(*given, clears);
  if (is_cleared && given->size() > 1) {
    return fail(ErrorCode::invalid_argument,
                "params." + std::string(field) + ": `" + std::string(clears)
                    + "` goes with no other",
                "say it alone, or leave it out");
  }
  list = is_cleared ? std::vector<std::string>() : *given;
  return {};
}

Result<void> replace_agents(std::vector<std::string>& list,
                            const Given& given,
                            std::string_view field,
                            std::string_view clears,
                            const agents::AgentTable& table) {
  TRY(replace(list, given, field, clears));
  // What is not said anew may name an agent that only another version of ours knows.
  for (const std::string& id : given ? list : std::vector<std::string>()) {
    if (table.find(id) == nullptr) {
      return fail(ErrorCode::invalid_argument,
                  "params." + std::string(field) + ": `" + id + "` is no agent that we know",
                  "`upskill agents --all` lists them; `" + std::string(clears)
                      + "` empties what was said before");
    }
  }
  return {};
}

// Who is named takes part, or does not, whatever was said before: the newer word counts.
Result<void> choose_agents(SyncSettings& settings,
                           const agents::AgentTable& table,
                           const SyncEnableParams& params) {
  TRY(replace_agents(settings.agents, params.agents, "agent", k_all, table));
  TRY(replace_agents(settings.without, params.without, "without", k_none, table));
  auto other = std::ranges::find_if(settings.without, [&](const std::string& id) {
    return params.agents && params.without && contains(settings.agents, id);
  });
  if (other != settings.without.end()) {
    return fail(ErrorCode::invalid_argument,
                "params.without: `" + *other + "` is named by `agent` as well",
                "name it once");
  }
  if (params.agents) {
    std::erase_if(settings.without,
                  [&](const std::string& id) { return contains(settings.agents, id); });
  }
  bool is_choice = !settings.agents.empty();
  if (params.without) {
    std::erase_if(settings.agents,
                  [&](const std::string& id) { return contains(settings.without, id); });
  }
  if (is_choice && settings.agents.empty()) {
    // An empty list would mean every other agent, which nobody asked for.
    return fail(
        ErrorCode::invalid_argument,
        "params.without: no agent would be left of those that were named to take part",
        "`--agent` names others, or `--agent all` every agent found; `upskill sync disable` "
        "switches sync off");
  }
  return {};
}

// What is chosen holds for everything under sync, so a word about one project does not change it
// for the rest.
Result<void> check_unchanged(const SyncSettings& before,
                             const SyncSettings& after,
                             const SyncEnableParams& params) {
  auto refuse = [](std::string_view field) {
    return fail(
        ErrorCode::invalid_argument,
        "params." + std::string(field)
            + ": must be what is in force, since it holds for everything under sync and not "
              "for one project",
        "leave it out; without `--project` it is changed for the user's skills and every "
        "project");
  };
  auto same = [&](std::vector<std::string> SyncSettings::*list) {
    return std::ranges::is_permutation(before.*list, after.*list);
  };
  bool same_agents = same(&SyncSettings::agents) && same(&SyncSettings::without);
  if (params.policy && before.policy != after.policy) {
    return refuse("policy");
  }
  if (!same_agents) {
    return refuse(params.agents ? "agent" : "without");
  }
  if (!same(&SyncSettings::link)) {
    return refuse("link");
  }
  if (!same(&SyncSettings::exclude)) {
    return refuse("exclude");
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
  const SyncSettings before = settings;
  TRY(choose_agents(settings, table, params));
  TRY(replace_agents(settings.link, params.link, "link", k_none, table));
  TRY(replace(settings.exclude, params.exclude, "exclude", k_none));
  settings.policy = params.policy.value_or(settings.policy);
  if (params.project.empty()) {
    settings.enabled = true;
    return settings;
  }
  TRY_ASSIGN(std::string project, real_folder(params.project));
  auto is_this = [&](const ProjectSettings& known) { return is_same_project(known.path, project); };
  auto is_other = [&](const ProjectSettings& known) {
    return known.is_enabled() && !is_this(known);
  };
  if (before.enabled || std::ranges::any_of(before.projects, is_other)) {
    TRY(check_unchanged(before, settings, params));
  }
  if (std::ranges::none_of(settings.projects, is_this)) {
    settings.projects.push_back({std::move(project)});
  }
  for (ProjectSettings& known : settings.projects) {
    known.only_known = known.only_known && !is_this(known);
  }
  return settings;
}

SyncSettings with_disabled(SyncSettings settings, const SyncDisableParams& params) {
  if (params.project.empty()) {
    settings.enabled = false;
  } else {
    std::erase_if(settings.projects, [&](const ProjectSettings& known) {
      return known.is_enabled() && is_same_project(known.path, params.project);
    });
  }
  return settings;
}

std::vector<ProjectSettings> distinct_projects(const SyncSettings& settings) {
  std::vector<ProjectSettings> projects;
  for (const ProjectSettings& project : settings.projects) {
    auto same = std::ranges::find_if(projects, [&](const ProjectSettings& known) {
      return is_same_project(known.path, project.path);
    });
    if (same == projects.end()) {
      projects.push_back(project);
    } else {
      same->only_known = same->only_known && project.only_known;
    }
  }
  return projects;
}

Result<std::string> project_path(const SyncSettings& settings, const std::string& folder) {
  for (const ProjectSettings& known : settings.projects) {
    if (is_same_project(known.path, folder)) {
      return known.path;
    }
  }
  return real_folder(folder);
}

SyncSettings with_known(SyncSettings settings, const std::string& path) {
  if (std::ranges::none_of(settings.projects, [&](const ProjectSettings& known) {
        return is_same_project(known.path, path);
      })) {
    settings.projects.push_back({path, true});
  }
  return settings;
}

} // namespace upskill::daemon
