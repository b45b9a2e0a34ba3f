#include "skills/install/discover.h"

#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/agents/table.h"
#include "skills/install/plugin_manifest.h"
#include "skills/install/skill_front.h"
#include "skills/install/source_parts.h"
#include "skills/library/document_file.h"
#include "skills/library/folder.h"
#include "skills/library/names.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

namespace upskill::install {
namespace {

constexpr std::size_t k_most_folders = 20'000; // that are opened
constexpr std::size_t k_most_warnings = 20;
constexpr int k_walk_depth = 6;
constexpr int k_container_depth = 3;

// What builds leave behind is no source of anything.
constexpr std::array<std::string_view, 2> k_built{"dist", "build"};

bool has_document(int at, const std::string& name) {
  return library::find_document(at, name).state == library::DocumentFile::State::present;
}

// Where skills lie in a repository, as a project's agents have them and as collections do.
const std::vector<std::string>& containers() {
  static const std::vector<std::string> all = [] {
    std::set<std::string> folders{"skills", ".agent/skills"};
    if (auto table = agents::AgentTable::built_in()) {
      for (const agents::Agent& agent : table->agents()) {
        for (const agents::PlacePattern& place : agent.project.reads) {
          for (const std::string& pattern : place.first_of) {
            if (pattern.find_first_of("~$/") != 0) {
              folders.insert(join_path(pattern, place.then));
            }
          }
        }
      }
    }
    return std::vector<std::string>(folders.begin(), folders.end());
  }();
  return all;
}

// Owner, thread and lifetime: a call of discover().
class Search {
public:
  // `within` is where the open folder lies in the source, `name` what it is called.
  Search(int folder, std::string within, std::string name, Depth depth)
      : m_folder(folder)
      , m_within(std::move(within))
      , m_name(std::move(name))
      , m_depth(depth) {}

  Discovery run() {
    if (m_depth == Depth::full) {
      m_skips_built = true;
      walk_from({}, k_walk_depth);
    } else if (has_document(m_folder, ".")) {
      add(m_folder, {});
    } else {
      walk_from({}, 1);
      for (const std::string& container : containers()) {
        walk_from(container, k_container_depth);
      }
      std::vector<std::string> unread;
      for (const std::string& folder : plugin_folders(m_folder, unread)) {
        walk_from(folder, k_container_depth);
      }
      for (std::string& warning : unread) {
        warn(std::move(warning));
      }
      if (m_found.empty()) {
        m_skips_built = true;
        walk_from({}, k_walk_depth);
      }
    }
    take_found();
    return std::move(m_result);
  }

private:
  // A folder below the one that is searched, `levels` deep.
  void walk_from(const std::string& path, int levels) {
    if (m_found.contains(path)) {
      return;
    }
    UniqueFd folder = library::open_folder(m_folder, ".");
    for (std::string_view part : path_parts(path)) {
      if (!folder) {
        return;
      }
      folder = library::open_folder(folder.get(), std::string(part).c_str());
    }
    if (folder) {
      walk(folder.get(), path, levels);
    }
  }

  void walk(int folder, const std::string& path, int levels) {
    if (++m_folders > k_most_folders) {
      warn("the source has more than 20,000 folders to look into; name the folder that is meant");
      return;
    }
    if (has_document(folder, ".")) {
      add(folder, path);
      if (m_depth == Depth::shadowed) {
        return;
      }
    }
    if (levels == 0) {
      return;
    }
    for (const std::string& name : folders_in(folder)) {
      UniqueFd child = library::open_folder(folder, name.c_str());
      if (child) {
        walk(child.get(), path.empty() ? name : path + "/" + name, levels - 1);
      }
    }
  }

  // Names of the folders to look into, sorted.
  std::vector<std::string> folders_in(int folder) {
    std::vector<std::string> names;
    std::size_t most = k_most_folders - std::min(m_folders, k_most_folders) + 1;
    library::for_each_name(folder, [&](const library::FolderEntry& entry) {
      std::string_view name = entry.name;
      bool is_folder = entry.type == DT_DIR || entry.type == DT_UNKNOWN;
      bool is_built = m_skips_built && std::ranges::find(k_built, name) != k_built.end();
      if (is_folder && !is_built && !library::ignored_in_skill(name)) {
        names.emplace_back(name);
      }
      return names.size() < most;
    });
    std::ranges::sort(names);
    std::vector<std::string> kept;
    for (const std::string& name : names) {
      std::string owner(library::workspace_owner(name));
      bool is_workspace = !owner.empty()
                          && library::is_workspace(name,
                                                   std::ranges::binary_search(names, owner),
                                                   has_document(folder, name));
      if (!is_utf8(name)) {
        warn("the folder " + in_backticks(name) + " has a name that is no UTF-8");
      } else if (!is_workspace) {
        kept.push_back(name);
      }
    }
    return kept;
  }

  void add(int folder, const std::string& path) {
    if (m_found.contains(path)) {
      return;
    }
    if (m_found.size() >= k_most_found) {
      warn("the source has more than 10,000 skills; name the folder that is meant");
      return;
    }
    SkillFront front = read_front(folder);
    FoundSkill skill{path, std::move(front.name), std::move(front.description)};
    if (skill.name.empty()) {
      skill.name = one_line(path.empty() ? std::string_view(m_name) : base_name(path), 256);
    }
    m_found.emplace(path, std::move(skill));
  }

  // Several ways may have led to a skill within another.
  bool is_shadowed(std::string path) const {
    while (m_depth == Depth::shadowed && path.find('/') != std::string::npos) {
      path = parent_path(path);
      if (m_found.contains(path)) {
        return true;
      }
    }
    return false;
  }

  void take_found() {
    for (auto& [path, skill] : m_found) {
      if (!is_shadowed(path)) {
        FoundSkill taken = std::move(skill);
        taken.folder = m_within.empty() ? path : join_path(m_within, path);
        m_result.skills.push_back(std::move(taken));
      }
    }
  }

  void warn(std::string text) {
    std::vector<std::string>& warnings = m_result.warnings;
    if (warnings.size() < k_most_warnings && std::ranges::find(warnings, text) == warnings.end()) {
      warnings.push_back(std::move(text));
    }
  }

  int m_folder;
  std::string m_within;
  std::string m_name;
  Depth m_depth;
  bool m_skips_built = false;
  std::size_t m_folders = 0;
  std::map<std::string, FoundSkill> m_found = {}; // by folder
  Discovery m_result = {};
};

// Links resolved; nothing with errno where it is not there.
std::string real_path(const std::string& path) {
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : std::string();
}

} // namespace

Result<Discovery>
discover(const std::string& folder, const std::string& within, std::string_view name, Depth depth) {
  TRY_ASSIGN(std::string inner, inner_folder(within));
  std::string source = real_path(folder);
  if (source.empty()) {
    return fail(system_error(errno, "cannot look for skills in " + in_backticks(folder)));
  }
  std::string place = inner.empty() ? source : real_path(join_path(source, inner));
  UniqueFd opened = place.empty() ? UniqueFd() : library::open_folder(AT_FDCWD, place.c_str());
  if (!opened) {
    return fail(ErrorCode::not_found,
                "the source has no folder " + in_backticks(inner),
                "leave the folder out to see which skills there are");
  }
  if (!is_inside(place, source)) {
    return fail(ErrorCode::not_found,
                "the folder " + in_backticks(inner) + " is a link that leads out of the source");
  }
  std::string real_inner = relative_path(place, source);
  std::string called(real_inner.empty() ? name : base_name(real_inner));
  return Search(opened.get(), std::move(real_inner), std::move(called), depth).run();
}

} // namespace upskill::install
