#include "daemon/sync/scene.h"

#include "protocol/base/atomic_file.h"
#include "skills/library/listing.h"
#include "skills/library/way.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_user_table = 1u << 20; // as AgentTable::merge_user takes it

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

void warn_of_strangers(Scene& scene, const std::vector<std::string>& ids, std::string_view field) {
  for (const std::string& id : ids) {
    if (scene.table.find(id) == nullptr) {
      scene.warnings.push_back("`" + id + "`, which sync.json names in `" + std::string(field)
                               + "`, is no agent that we know (`upskill agents --all` lists them)");
    }
  }
}

// Agents' folders in the user's scope, and below each project that is synchronised.
std::vector<library::AgentFolders> folders_of_all(const Scene& scene, agents::Setting setting) {
  std::vector<library::AgentFolders> all;
  std::vector<std::string> projects = {std::string()};
  projects.insert(projects.end(), scene.projects.begin(), scene.projects.end());
  for (const std::string& project : projects) {
    setting.project = project;
    for (const std::string& id : scene.enabled) {
      for (library::AgentFolders& folders : library::folders_of(*scene.table.find(id), setting)) {
        if (folders.project == project) {
          all.push_back(std::move(folders));
        }
      }
    }
  }
  return all;
}

sync::RootSetup setup_of(const library::Root& root, const SyncSettings& settings) {
  sync::RootSetup setup;
  setup.path = root.real_path;
  setup.agents = root.readers;
  setup.aliases = root.aliases;
  if (root.path != root.real_path) {
    setup.aliases.insert(setup.aliases.begin(), root.path);
  }
  setup.refused = root.state == RootState::refused;
  setup.reason = root.reason;
  setup.last_resort = root.writers.empty();
  setup.never_touch = root.never_touch;
  setup.by_link =
      !root.writers.empty() && std::ranges::all_of(root.writers, [&](const std::string& agent) {
        return contains(settings.link, agent) && contains(root.link_readers, agent);
      });
  return setup;
}

sync::ScopeSetup scope_of(const Scene& scene, const std::string& project, bool enabled) {
  sync::ScopeSetup scope;
  scope.project = project;
  scope.enabled = enabled;
  scope.policy = scene.settings.policy;
  scope.exclude = scene.settings.exclude;
  std::vector<const library::Root*> roots;
  for (const library::Root& root : scene.roots) {
    if (root.project == project) {
      roots.push_back(&root);
      scope.roots.push_back(setup_of(root, scene.settings));
    }
  }
  auto index_of = [&](const std::string& path) -> std::optional<sync::RootIndex> {
    const library::Root* root = library::find_root(scene.roots, path);
    auto at = std::ranges::find(roots, root);
    return at == roots.end() ? std::nullopt
                             : std::optional(static_cast<sync::RootIndex>(at - roots.begin()));
  };
  for (const library::AgentFolders& folders : scene.folders) {
    if (folders.project != project) {
      continue;
    }
    sync::AgentSetup& agent = scope.agents.emplace_back();
    agent.id = folders.agent;
    agent.follows_links = folders.follows_links;
    for (const std::string& path : folders.roots.reads) {
      auto index = index_of(path);
      if (index && std::ranges::find(agent.reads, *index) == agent.reads.end()) {
        agent.reads.push_back(*index);
      }
    }
    if (!folders.roots.writes.empty()) {
      agent.preferred = index_of(folders.roots.writes);
    }
  }
  return scope;
}

std::vector<std::string> signs_of(const Scene& scene, const agents::Setting& setting) {
  std::set<std::string> signs;
  for (const std::string& sign : agents::signs_of(scene.table, setting)) {
    library::Way way = library::way_to(sign);
    signs.insert(way.links.begin(), way.links.end());
    signs.insert(way.end);
  }
  for (const library::Root& root : scene.roots) {
    if (root.is_administered) {
      continue;
    }
    std::vector<std::string> paths = root.aliases;
    paths.push_back(root.path);
    for (const std::string& path : paths) {
      library::Way way = library::way_to(path);
      signs.insert(way.links.begin(), way.links.end());
      // What is refused may be another tomorrow. The others are watched as roots.
      if (root.state == RootState::refused && !is_inside(setting.places.home, way.end)) {
        signs.insert(way.end);
      }
    }
  }
  return {signs.begin(), signs.end()};
}

} // namespace

bool Scene::sync_is_on() const {
  return settings.enabled || std::ranges::any_of(settings.projects, &ProjectSettings::is_enabled);
}

bool Scene::is_detected(std::string_view agent) const {
  return std::ranges::find(detected, agent, &agents::Detected::id) != detected.end();
}

Result<Scene>
look_around(const SyncSettings& settings, const Places& places, const Environment& environment) {
  const std::string user_file = places.config + "/agents.json";
  std::optional<std::string> user_text;
  std::optional<Error> problem;
  if (Result<std::string> text = read_file(user_file, k_max_user_table)) {
    user_text = std::move(*text);
  } else if (text.error().code != ErrorCode::not_found) {
    problem = text.error();
  }
  TRY_ASSIGN(agents::LoadedTable loaded, agents::load_table(user_text, "`" + user_file + "`"));
  Scene scene{settings, std::move(loaded.table), problem ? problem : loaded.problem};
  const std::vector<ProjectSettings> projects = distinct_projects(settings);
  std::ranges::transform(projects, std::back_inserter(scene.projects), &ProjectSettings::path);
  warn_of_strangers(scene, settings.agents, "agents");
  warn_of_strangers(scene, settings.without, "without");
  warn_of_strangers(scene, settings.link, "link");
  agents::Setting setting{places, environment, agents::real_probe(), {}};
  scene.detected = agents::detect(scene.table, setting);
  for (const agents::Agent& agent : scene.table.agents()) {
    bool wanted =
        settings.agents.empty() ? scene.is_detected(agent.id) : contains(settings.agents, agent.id);
    if (wanted && !contains(settings.without, agent.id)) {
      scene.enabled.push_back(agent.id);
    }
  }
  if (scene.enabled.empty() && scene.sync_is_on()) {
    scene.warnings.push_back(
        "no coding agent takes part, so nothing is synchronised (`upskill sync "
        "enable --agent all --without none` takes every agent found)");
  }
  scene.folders = folders_of_all(scene, setting);
  scene.roots = library::discover_roots(scene.folders, places.home);
  scene.signs = signs_of(scene, setting);
  scene.scopes.push_back(scope_of(scene, {}, settings.enabled));
  for (const ProjectSettings& project : projects) {
    scene.scopes.push_back(scope_of(scene, project.path, project.is_enabled()));
  }
  return scene;
}

std::int64_t count_skills(const Scene& scene) {
  std::set<std::pair<std::string, std::string>> names;
  for (const library::Root& root : scene.roots) {
    for (library::Entry& entry : library::list_root(root, scene.roots).entries) {
      if (entry.has_document()) {
        names.emplace(root.project, std::move(entry.name));
      }
    }
  }
  return static_cast<std::int64_t>(names.size());
}

} // namespace upskill::daemon
