#include "daemon/watch/walker.h"

#include "daemon/watch/inotify.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <optional>
#include <utility>

namespace upskill::watch {
namespace {

constexpr int k_open_folder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// What getdents64(2) writes; glibc has no declaration.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  unsigned char type;
  char name[1];
};

bool is_dot(const char* name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

} // namespace

Walker::Walker(int inotify, IgnoreRules ignored, const std::string& path, int depth)
    : m_inotify(inotify)
    , m_ignored(ignored)
    , m_depth(depth)
    , m_path(path) {
  std::string_view name = base_name(path).substr(0, k_max_file_name);
  m_walk.names = name;
  m_walk.folders.push_back({0, 0, static_cast<std::uint8_t>(name.size()), -1});
  open(AT_FDCWD, path.c_str(), 0);
}

bool Walker::run(std::size_t folders) {
  for (; folders > 0 && !m_levels.empty(); --folders) {
    Level& level = m_levels.back();
    if (level.next == level.end) {
      m_levels.pop_back();
      continue;
    }
    std::uint32_t place = level.next++;
    char name[k_max_file_name + 1] = {};
    m_walk.name(m_walk.folders[place]).copy(name, k_max_file_name);
    m_path.resize(level.path_bytes);
    m_path += '/';
    m_path += name;
    open(level.folder.get(), name, place);
  }
  return m_levels.empty();
}

void Walker::open(int above, const char* name, std::uint32_t place) {
  UniqueFd folder(::openat(above, name, k_open_folder));
  if (!folder) {
    if (place == 0 && (errno == ENOTDIR || errno == ELOOP)) {
      m_walk.outcome = Walk::Outcome::not_a_folder;
    } else if (errno == EMFILE || errno == ENFILE) {
      m_walk.limit_reached = true;
    }
    return;
  }
  // By path, which costs less than by /proc/self/fd. Should another folder stand there by now, its
  // coming makes an event of its parent, which is watched already, and the walk is done again.
  int wd = add_watch(m_inotify, m_path.c_str(), k_folder_mask);
  if (wd < 0) {
    m_walk.limit_reached |= is_watch_limit(errno);
    return;
  }
  if (place == 0) {
    m_walk.outcome = Walk::Outcome::found;
  }
  m_walk.folders[place].wd = wd;
  std::size_t depth = static_cast<std::size_t>(m_depth) + m_levels.size();
  if (depth >= k_max_skill_depth) {
    return;
  }
  if (depth == 1) {
    m_skill_folders = 0;
  }
  auto first = static_cast<std::uint32_t>(m_walk.folders.size());
  list(folder.get(), place);
  auto end = static_cast<std::uint32_t>(m_walk.folders.size());
  if (end > first) {
    m_levels.push_back({std::move(folder), m_path.size(), first, end});
  }
}

void Walker::list(int folder, std::uint32_t place) {
  alignas(Entry) char buffer[32 * 1024];
  for (;;) {
    long bytes = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer);
    if (bytes <= 0) {
      return; // the end, or a folder that was removed meanwhile
    }
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
      at += entry->length;
      note(folder, place, entry->name, entry->type);
    }
  }
}

void Walker::note(int folder, std::uint32_t place, const char* name, unsigned char type) {
  if ((type != DT_DIR && type != DT_UNKNOWN) || is_dot(name)) {
    return;
  }
  bool in_root = m_depth == 0 && place == 0;
  if (in_root ? m_ignored.in_root(name) : m_ignored.in_skill(name)) {
    return;
  }
  struct stat status = {};
  if (type == DT_UNKNOWN
      && (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode))) {
    return;
  }
  std::string_view text(name);
  if (text.size() > k_max_file_name) {
    return;
  }
  std::size_t most = in_root ? k_max_skills_per_root : k_max_skill_entries;
  if ((in_root ? m_walk.folders.size() : ++m_skill_folders) > most) {
    m_walk.limit_reached = true;
    return;
  }
  m_walk.folders.push_back({place,
                            static_cast<std::uint32_t>(m_walk.names.size()),
                            static_cast<std::uint8_t>(text.size()),
                            -1});
  m_walk.names += text;
}

namespace {

// What stands there; nothing where nothing does.
std::optional<mode_t> mode_of(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 ? std::optional(status.st_mode) : std::nullopt;
}

// What stands at `path` once `folder`, which it is to show in, tells of its coming.
std::optional<mode_t> awaited(int inotify, const std::string& folder, const std::string& path) {
  add_watch(inotify, folder.c_str(), k_anchor_mask);
  return mode_of(path);
}

} // namespace

Location locate(int inotify, const WatchRoot& root) {
  Location location;
  std::string above;
  std::string folder = "/";
  while (folder != root.path) {
    bool outside = folder.size() < root.boundary.size();
    int wd = add_watch(inotify, folder.c_str(), outside ? k_outside_mask : k_guard_mask);
    if (wd < 0 && is_watch_limit(errno)) {
      location.limit_reached = true;
      return location;
    }
    // One that may be passed but not read is left out; any other has gone since it was looked at.
    if (wd < 0 && errno != EACCES) {
      if (above.empty() || !awaited(inotify, above, folder)) {
        return location;
      }
      above.clear(); // once: from here on its folder tells of it
      continue;
    }
    std::size_t start = folder == "/" ? 1 : folder.size() + 1;
    std::size_t end = std::min(root.path.find('/', start), root.path.size());
    if (wd >= 0) {
      location.ancestors.push_back({wd, root.path.substr(start, end - start)});
    }
    // Looked at before and after its parent is watched for it, so that none appears unseen.
    std::string below = root.path.substr(0, end);
    std::optional<mode_t> mode = mode_of(below);
    if (!mode) {
      mode = awaited(inotify, folder, below);
    }
    if (!mode) {
      return location;
    }
    if (!S_ISDIR(*mode)) {
      location.root.outcome = Walk::Outcome::not_a_folder;
      return location;
    }
    above = std::exchange(folder, std::move(below));
  }
  location.root.outcome = Walk::Outcome::found;
  return location;
}

} // namespace upskill::watch
