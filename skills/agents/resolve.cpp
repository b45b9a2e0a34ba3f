#include "skills/agents/resolve.h"

#include "protocol/base/atomic_file.h"

#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace upskill::agents {
namespace {

constexpr std::size_t k_max_manifest = 1u << 20;  // bytes of a package.json
constexpr std::size_t k_max_path_entries = 1'000; // folders of PATH

std::vector<std::string> resolve_all(const std::vector<PlacePattern>& places,
                                     const Setting& setting) {
  std::vector<std::string> paths;
  for (const PlacePattern& place : places) {
    auto path = resolve_place(
        place, setting.places, setting.environment, setting.project, setting.probe.exists);
    if (path && std::ranges::find(paths, *path) == paths.end()) {
      paths.push_back(std::move(*path));
    }
  }
  return paths;
}

bool has_dependency(const Setting& setting, const std::string& dependency) {
  auto text = setting.probe.read(join_path(setting.project, "package.json"));
  if (!text) {
    return false;
  }
  // Another's file: what is not JSON or not of that shape has no dependencies.
  auto manifest = nlohmann::json::parse(*text, nullptr, false);
  if (!manifest.is_object()) {
    return false;
  }
  auto dependencies = manifest.find("dependencies");
  return dependencies != manifest.end() && dependencies->is_object()
         && dependencies->contains(dependency);
}

std::vector<std::string> path_folders(const Environment& environment) {
  std::vector<std::string> folders;
  std::string path = environment("PATH").value_or("");
  for (std::size_t at = 0; at < path.size() && folders.size() < k_max_path_entries;) {
    std::size_t end = std::min(path.find(':', at), path.size());
    if (path[at] == '/') {
      folders.push_back(path.substr(at, end - at));
    }
    at = end + 1;
  }
  return folders;
}

std::string
evidence_of(const Agent& agent, const Setting& setting, const std::vector<std::string>& path) {
  for (const Sign& sign : agent.signs) {
    auto place =
        resolve_pattern(sign.pattern, setting.places, setting.environment, setting.project);
    if (!place || !setting.probe.exists(*place)) {
      continue;
    }
    std::string shown = "`" + shorten_home(*place, setting.places.home) + "`";
    if (sign.dependency.empty()) {
      return shown + " exists";
    }
    if (has_dependency(setting, sign.dependency)) {
      return shown + " exists and `package.json` depends on `" + sign.dependency + "`";
    }
  }
  for (const std::string& program : agent.programs) {
    for (const std::string& folder : path) {
      std::string file = join_path(folder, program);
      if (setting.probe.is_program(file)) {
        return "`" + shorten_home(file, setting.places.home) + "` is on PATH";
      }
    }
  }
  return {};
}

} // namespace

Probe real_probe() {
  return {[](const std::string& path) {
            struct stat status {};
            return ::stat(path.c_str(), &status) == 0;
          },
          [](const std::string& path) {
            struct stat status {};
            return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)
                   && ::access(path.c_str(), X_OK) == 0;
          },
          [](const std::string& path) -> std::optional<std::string> {
            auto text = read_file(path, k_max_manifest);
            return text ? std::optional(std::move(*text)) : std::nullopt;
          }};
}

AgentRoots resolve(const Agent& agent, Scope scope, const Setting& setting) {
  const ScopeFolders& folders = scope == Scope::user ? agent.user : agent.project;
  AgentRoots roots;
  roots.reads = resolve_all(folders.reads, setting);
  auto writes = resolve_all({folders.writes}, setting);
  roots.writes = writes.empty() ? std::string() : std::move(writes.front());
  roots.legacy = resolve_all(folders.legacy, setting);
  std::erase_if(roots.legacy, [&](const std::string& path) {
    return std::ranges::find(roots.reads, path) != roots.reads.end();
  });
  roots.administered = resolve_all(folders.administered, setting);
  return roots;
}

std::vector<SessionFolder> session_folders(const AgentTable& table, const Setting& setting) {
  std::vector<SessionFolder> folders;
  for (const Agent& agent : table.agents()) {
    for (const SessionPlace& place : agent.sessions) {
      if (auto path = resolve_pattern(place.folder, setting.places, setting.environment, {})) {
        folders.push_back({agent.id, std::move(*path), place});
      }
    }
  }
  return folders;
}

bool is_session_file(const SessionPlace& place, std::string_view path) {
  std::size_t slash = path.rfind('/');
  std::string_view name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  std::string_view way = slash == std::string_view::npos ? "" : path.substr(0, slash + 1);
  bool is_named = std::ranges::any_of(place.names, [&](const std::string& pattern) {
    std::size_t star = pattern.find('*');
    if (star == std::string::npos) {
      return name == pattern;
    }
    std::string_view begin = std::string_view(pattern).substr(0, star);
    std::string_view end = std::string_view(pattern).substr(star + 1);
    return name.size() >= begin.size() + end.size() && name.starts_with(begin)
           && name.ends_with(end);
  });
  if (!is_named || std::ranges::count(way, '/') > place.depth) {
    return false;
  }
  return place.below.empty()
         || ("/" + std::string(way)).find("/" + place.below + "/") != std::string::npos;
}

std::string_view changed_session(const SessionPlace& place, std::string_view path) {
  if (is_session_file(place, path)) {
    return path;
  }
  if (!place.journal.empty() && path.ends_with(place.journal)) {
    path.remove_suffix(place.journal.size());
    return is_session_file(place, path) ? path : std::string_view();
  }
  return {};
}

std::vector<Detected> detect(const AgentTable& table, const Setting& setting) {
  std::vector<std::string> path = path_folders(setting.environment);
  std::vector<Detected> found;
  for (const Agent& agent : table.agents()) {
    std::string evidence = evidence_of(agent, setting, path);
    if (!evidence.empty()) {
      found.push_back({agent.id, std::move(evidence)});
    }
  }
  return found;
}

std::vector<std::string> signs_of(const AgentTable& table, const Setting& setting) {
  std::vector<std::string> places;
  for (const Agent& agent : table.agents()) {
    for (const Sign& sign : agent.signs) {
      auto place =
          resolve_pattern(sign.pattern, setting.places, setting.environment, setting.project);
      if (place) {
        places.push_back(std::move(*place));
      }
    }
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

} // namespace upskill::agents
