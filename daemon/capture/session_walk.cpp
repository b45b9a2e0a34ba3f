#include "daemon/capture/session_walk.h"

#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <optional>

namespace upskill::capture {
namespace {

constexpr int k_named_depth = 16; // below a folder that a person named
constexpr std::size_t k_max_problems = 20;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

using Folder = std::unique_ptr<DIR, CloseFolder>;

std::int64_t ms_of(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000;
}

class Walk {
public:
  Walk(SessionWalk& walk, std::stop_token stop, VisitFolder visit)
      : m_walk(walk)
      , m_stop(std::move(stop))
      , m_visit(std::move(visit)) {}

  // `wanted` is told the way of a file from the folder where the walk began.
  template <class Wanted>
  void folder(const std::string& path, std::string_view way, int depth, const Wanted& wanted) {
    if (m_stop.stop_requested() || m_walk.is_partial) {
      return;
    }
    if (++m_folders > k_max_session_folders) {
      m_walk.is_partial = true;
      return;
    }
    if (m_visit) {
      m_visit(path);
    }
    int follow = way.empty() ? 0 : O_NOFOLLOW;
    int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow);
    Folder folder(fd < 0 ? nullptr : ::fdopendir(fd));
    if (!folder) {
      problem(path, errno);
      return;
    }
    std::vector<std::string> below;
    while (const dirent* entry = ::readdir(folder.get())) {
      std::string_view name = entry->d_name;
      if (name == "." || name == "..") {
        continue;
      }
      if (entries-- == 0) {
        entries = 0;
        m_walk.is_partial = true;
        return;
      }

      struct stat status {};

      if (::fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        continue; // it has gone meanwhile
      }
      std::string here = std::string(way) + std::string(name);
      if (S_ISDIR(status.st_mode)) {
        below.emplace_back(name);
      } else if (S_ISREG(status.st_mode) && wanted(here)) {
        add(join_path(path, name), status, changed_ms(fd, entry->d_name, status));
      }
    }
    folder.reset();
    if (depth <= 0) {
      return;
    }
    std::ranges::sort(below);
    for (const std::string& name : below) {
      this->folder(join_path(path, name), std::string(way) + name + "/", depth - 1, wanted);
    }
  }

  void add(std::string path, const struct stat& status, std::int64_t changed) {
    if (m_walk.files.size() >= k_max_session_files) {
      m_walk.is_partial = true;
      return;
    }
    m_walk.files.push_back({agent, std::move(path), status.st_size, changed});
  }

  // What is written to the journal is no change of the file itself.
  std::int64_t changed_ms(int folder, const char* name, const struct stat& status) const {
    struct stat beside {};

    bool has_journal =
        !journal.empty()
        && ::fstatat(folder, (name + journal).c_str(), &beside, AT_SYMLINK_NOFOLLOW) == 0;
    return std::max(ms_of(status.st_mtim), has_journal ? ms_of(beside.st_mtim) : 0);
  }

  void problem(const std::string& path, int errno_value) {
    if (errno_value != ENOENT && m_walk.problems.size() < k_max_problems) {
      m_walk.problems.push_back(
          system_error(errno_value, "cannot look into " + in_backticks(path)).message);
    }
  }

  std::string agent = {};
  std::string journal = {};
  std::size_t entries = std::numeric_limits<std::size_t>::max(); // that may still be met

private:
  SessionWalk& m_walk;
  std::stop_token m_stop;
  VisitFolder m_visit;
  std::size_t m_folders = 0;
};

} // namespace

void walk_sessions(const agents::SessionFolder& folder,
                   SessionWalk& found,
                   std::stop_token stop,
                   const VisitFolder& visit) {
  Walk walk(found, std::move(stop), visit);
  walk.agent = folder.agent;
  walk.journal = folder.place.journal;
  walk.folder(folder.folder, "", folder.place.depth, [&](const std::string& way) {
    return agents::is_session_file(folder.place, way);
  });
}

void walk_below(const agents::SessionFolder& folder,
                const std::string& path,
                SessionWalk& found,
                const VisitFolder& visit,
                std::size_t& entries) {
  Walk walk(found, {}, visit);
  walk.agent = folder.agent;
  walk.journal = folder.place.journal;
  walk.entries = entries;
  std::string way = relative_path(path, folder.folder) + "/";
  int depth = folder.place.depth - static_cast<int>(std::ranges::count(way, '/'));
  if (depth >= 0) {
    walk.folder(path, way, depth, [&](const std::string& here) {
      return agents::is_session_file(folder.place, here);
    });
  }
  entries = walk.entries;
}

void walk_files(const std::string& path, SessionWalk& found, std::stop_token stop) {
  Walk walk(found, std::move(stop), {});

  struct stat status {};

  if (::stat(path.c_str(), &status) != 0) {
    int failure = errno;
    found.problems.push_back(system_error(failure, in_backticks(path)).message);
    return;
  }
  if (!S_ISDIR(status.st_mode)) {
    walk.add(
        path, status, ms_of(status.st_mtim)); // what is no regular file says so when it is read
    return;
  }
  walk.folder(path, "", k_named_depth, [](const std::string& way) {
    return !way.starts_with('.') && way.find("/.") == std::string::npos;
  });
}

} // namespace upskill::capture
