#include "daemon/handlers/touched_skills.h"

#include "protocol/base/paths.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace upskill::daemon {
namespace {

using Folders = std::set<std::string, std::less<>>;

// Empty for a file of the repository's own folder.
std::string folder_of(std::string_view path) {
  std::size_t end = path.rfind('/');
  return end == std::string_view::npos ? std::string() : std::string(path.substr(0, end));
}

bool is_document(std::string_view path) {
  std::string_view name = base_name(path);
  return name == "SKILL.md" || name == "skill.md";
}

class Finder {
public:
  Finder(const std::vector<git::TreeFile>& base,
         const std::function<bool(const std::string& folder)>& is_skill)
      : m_is_skill(is_skill) {
    for (const git::TreeFile& file : base) {
      if (is_document(file.path)) {
        m_base.insert(folder_of(file.path));
      }
    }
  }

  void take(const git::FileChange& change) {
    touch(change.path);
    if (!change.from.empty()) {
      touch(change.from);
      if (is_document(change.path) && is_document(change.from)) {
        m_renamed.emplace(folder_of(change.path), folder_of(change.from));
      }
    }
  }

  std::vector<TouchedSkill> found() {
    Folders moved; // away
    std::vector<TouchedSkill> skills;
    for (const std::string& folder : m_touched) {
      TouchedSkill skill{SkillFate::changed, folder, folder};
      if (!is_skill(folder)) {
        skill.fate = SkillFate::removed;
      } else if (!m_base.contains(folder)) {
        auto renamed = m_renamed.find(folder);
        const bool has_moved = renamed != m_renamed.end() && m_base.contains(renamed->second)
                               && !is_skill(renamed->second)
                               && moved.insert(renamed->second).second;
        skill.fate = has_moved ? SkillFate::renamed : SkillFate::added;
        skill.from = has_moved ? renamed->second : std::string();
      }
      skills.push_back(std::move(skill));
    }
    std::erase_if(skills, [&](const TouchedSkill& skill) {
      return skill.fate == SkillFate::removed && moved.contains(skill.folder);
    });
    return skills;
  }

private:
  bool is_skill(const std::string& folder) {
    auto [known, is_new] = m_known.try_emplace(folder, false);
    if (is_new) {
      known->second = m_is_skill(folder);
    }
    return known->second;
  }

  void touch(std::string_view path) {
    std::string folder = folder_of(path);
    while (!is_skill(folder) && !m_base.contains(folder)) {
      if (folder.empty()) {
        return;
      }
      folder = folder_of(folder);
    }
    m_touched.insert(std::move(folder));
  }

  const std::function<bool(const std::string& folder)>& m_is_skill;
  Folders m_base = {};
  Folders m_touched = {};
  std::map<std::string, bool, std::less<>> m_known = {};
  std::map<std::string, std::string, std::less<>> m_renamed = {}; // to, from
};

} // namespace

std::vector<TouchedSkill>
touched_skills(const std::vector<git::FileChange>& changes,
               const std::vector<git::TreeFile>& base,
               const std::function<bool(const std::string& folder)>& is_skill) {
  Finder finder(base, is_skill);
  for (const git::FileChange& change : changes) {
    finder.take(change);
  }
  return finder.found();
}

std::vector<git::TreeFile> files_in(const std::vector<git::TreeFile>& base,
                                    std::string_view folder) {
  const std::string below = folder.empty() ? std::string() : std::string(folder) + "/";
  std::vector<git::TreeFile> files;
  for (const git::TreeFile& file : base) {
    if (file.path.starts_with(below)) {
      files.push_back(file);
    }
  }
  return files;
}

} // namespace upskill::daemon
