#include "skills/library/nested.h"

#include "skills/library/folder.h"
#include "skills/library/names.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace upskill::library {
namespace {

class NestedSearch {
public:
  NestedSearch(std::size_t& names_left, std::vector<NestedSkill>& found)
      : m_names_left(names_left)
      , m_found(found) {}

  // `path` is relative to the root and has `depth` parts.
  void search(int parent, const char* name, const std::string& path, int depth) {
    UniqueFd folder = open_folder(parent, name);

    struct stat status {};

    if (!folder || ::fstat(folder.get(), &status) != 0) {
      return;
    }
    std::pair here(status.st_dev, status.st_ino);
    if (std::ranges::find(m_open, here) != m_open.end()) {
      return;
    }
    bool document = false;
    std::vector<std::string> folders;
    for_each_name(folder.get(), [&](const FolderEntry& entry) {
      if (m_names_left == 0) {
        return false;
      }
      --m_names_left;
      std::string_view child = entry.name;
      document = document || child == "SKILL.md" || child == "skill.md";
      bool maybe_folder = entry.type == DT_DIR || entry.type == DT_UNKNOWN;
      if (maybe_folder && child.front() != '.' && !ignored_in_skill(child)
          && workspace_owner(child).empty()) {
        folders.emplace_back(child);
      }
      return true;
    });
    if (document && depth > 1) {
      m_found.push_back({path, depth});
    }
    if (depth == k_max_nested_depth) {
      return;
    }
    m_open.push_back(here);
    for (const std::string& child : folders) {
      search(folder.get(), child.c_str(), path + "/" + child, depth + 1);
    }
    m_open.pop_back();
  }

private:
  std::size_t& m_names_left;
  std::vector<NestedSkill>& m_found;
  std::vector<std::pair<dev_t, ino_t>> m_open;
};

} // namespace

std::vector<NestedSkill> find_nested(int root, const std::string& child, std::size_t& names_left) {
  std::vector<NestedSkill> found;
  NestedSearch(names_left, found).search(root, child.c_str(), child, 1);
  std::ranges::sort(found, {}, &NestedSkill::path);
  return found;
}

} // namespace upskill::library
