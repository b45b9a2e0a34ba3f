#pragma once
#include "daemon/watch/walk.h"
#include "daemon/watch/watch_types.h"
#include "protocol/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upskill::watch {

// Watches a folder and all folders below it that are not ignored, at most k_max_skill_depth deep.
// Follows no link. Beyond k_max_skills_per_root and k_max_skill_entries it leaves the rest and says
// so. It can be run in pieces, and on another thread between two pieces, because it touches nothing
// but its own data and the inotify instance.
class Walker {
public:
  // `depth`: 0 for a root, 1 for a skill, and so on.
  Walker(int inotify, IgnoreRules ignored, const std::string& path, int depth);

  // Goes on for at most that many folders; true when there is nothing left.
  bool run(std::size_t folders);

  Walk take() { return std::move(m_walk); }

private:
  struct Level {
    UniqueFd folder;
    std::size_t path_bytes = 0; // of m_path, that name it
    std::uint32_t next = 0;     // in m_walk.folders
    std::uint32_t end = 0;
  };

  void open(int above, const char* name, std::uint32_t place);
  void list(int folder, std::uint32_t place);
  void note(int folder, std::uint32_t place, const char* name, unsigned char type);

  int m_inotify;
  IgnoreRules m_ignored;
  int m_depth;
  std::string m_path;              // of the folder that was opened last
  std::size_t m_skill_folders = 0; // of the skill that is being walked
  std::vector<Level> m_levels;
  Walk m_walk;
};

// Watches what exists on the way from `/` to the root, up to `root.boundary` only for its own loss.
// The root itself and what lies below it are the caller's to walk. Some ten system calls.
Location locate(int inotify, const WatchRoot& root);

} // namespace upskill::watch
