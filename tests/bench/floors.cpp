#include "tests/bench/floors.h"

#include "protocol/base/unique_fd.h"
#include "tests/bench/bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string_view>

namespace upskill::bench {
namespace {

// Its names but `.` and `..`; takes the descriptor.
void each_name(int folder, const std::function<void(const dirent&)>& visit) {
  DIR* listing = ::fdopendir(folder);
  require(listing != nullptr, "cannot list a folder");
  while (const dirent* entry = ::readdir(listing)) {
    std::string_view name(entry->d_name);
    if (name != "." && name != "..") {
      visit(*entry);
    }
  }
  ::closedir(listing);
}

int open_folder(int parent, const char* name) {
  int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  require(fd >= 0, "cannot open folder `" + std::string(name) + "`");
  return fd;
}

void copy_file(int from, int to, const char* name) {
  UniqueFd in(::openat(from, name, O_RDONLY | O_CLOEXEC));
  UniqueFd out(::openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  require(in && out, "cannot copy a file");
  char buffer[65536];
  for (;;) {
    ssize_t got = ::read(in.get(), buffer, sizeof buffer);
    if (got <= 0) {
      return;
    }
    require(::write(out.get(), buffer, static_cast<std::size_t>(got)) == got, "cannot copy");
  }
}

void copy_files(int source_parent, int target_parent, const char* name, const char* target_name) {
  require(::mkdirat(target_parent, target_name, 0755) == 0, "cannot make a folder");
  UniqueFd source(open_folder(source_parent, name));
  UniqueFd target(open_folder(target_parent, target_name));
  each_name(open_folder(source_parent, name),
            [&](const dirent& file) { copy_file(source.get(), target.get(), file.d_name); });
}

std::size_t stat_below(int folder) {
  std::size_t count = 0;
  each_name(folder, [&](const dirent& entry) {
    struct stat status {};

    if (::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      ++count;
      if (S_ISDIR(status.st_mode)) {
        count += stat_below(open_folder(folder, entry.d_name));
      }
    }
  });
  return count;
}

} // namespace

void copy_staged(const std::string& from, const std::string& to) {
  std::string stage = to + ".stage";
  require(::mkdir(stage.c_str(), 0700) == 0, "cannot make `" + stage + "`");
  UniqueFd stage_fd(open_folder(AT_FDCWD, stage.c_str()));
  UniqueFd to_fd(open_folder(AT_FDCWD, to.c_str()));
  UniqueFd from_fd(open_folder(AT_FDCWD, from.c_str()));
  each_name(open_folder(AT_FDCWD, from.c_str()), [&](const dirent& skill) {
    copy_files(from_fd.get(), stage_fd.get(), skill.d_name, skill.d_name);
    require(::renameat(stage_fd.get(), skill.d_name, to_fd.get(), skill.d_name) == 0,
            "cannot move a folder into place");
  });
  ::rmdir(stage.c_str());
}

void copy_folder(const std::string& from, const std::string& to) {
  copy_files(AT_FDCWD, AT_FDCWD, from.c_str(), to.c_str());
}

std::size_t stat_walk(const std::string& root) {
  return stat_below(open_folder(AT_FDCWD, root.c_str()));
}

std::size_t watch_walk(int inotify, const std::string& root) {
  constexpr std::uint32_t k_mask = IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB
                                   | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW;
  require(::inotify_add_watch(inotify, root.c_str(), k_mask) >= 0, "no watch left");
  std::size_t count = 1;
  each_name(open_folder(AT_FDCWD, root.c_str()), [&](const dirent& entry) {
    if (entry.d_type == DT_DIR) {
      count += watch_walk(inotify, root + "/" + entry.d_name);
    }
  });
  return count;
}

} // namespace upskill::bench
