#include "skills/library/beneath.h"

#include "skills/library/names.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::library {
namespace {

constexpr int k_attempts = 8; // against a rename that crossed our way

// A FIFO or a terminal in the place of the file must not hold us up.
int careful(int flags) {
  return flags | O_CLOEXEC | ((flags & O_PATH) == 0 ? O_NONBLOCK | O_NOCTTY : 0);
}

UniqueFd failed(int error) {
  errno = error;
  return {};
}

UniqueFd open_resolved(int folder, const char* path, int flags, unsigned resolve) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(careful(flags));
  how.resolve = RESOLVE_BENEATH | resolve;
  for (int attempt = 1;; ++attempt) {
    UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof how)));
    if (fd || errno != EAGAIN || attempt == k_attempts) {
      return fd;
    }
  }
}

// Where an open file lies, links resolved; empty where the system does not say.
std::string place_of(int fd) {
  std::string link = "/proc/self/fd/" + std::to_string(fd);
  char buffer[PATH_MAX];
  ssize_t size = ::readlink(link.c_str(), buffer, sizeof buffer);
  bool is_whole = size > 0 && size < static_cast<ssize_t>(sizeof buffer);
  return is_whole ? std::string(buffer, static_cast<std::size_t>(size)) : std::string();
}

bool has_ignored_part(std::string_view path) {
  for (std::size_t begin = 0; begin < path.size();) {
    std::size_t end = std::min(path.find('/', begin), path.size());
    if (ignored_in_skill(path.substr(begin, end - begin))) {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

enum class Verdict { of_the_skill, of_others, unknown };

// Whether what was opened lies in the folder, where skills have their content.
Verdict judge(int folder, int opened) {
  constexpr std::string_view k_deleted = " (deleted)"; // proc(5), behind a name that is gone
  std::string home = place_of(folder);
  for (int attempt = 1; attempt <= k_attempts; ++attempt) {
    std::string place = place_of(opened);
    std::string again = place_of(folder);
    if (home.empty() || place.empty() || again.empty()) {
      return Verdict::unknown;
    }
    if (home == again) { // else the skill was moved between the two looks
      if (place == home) {
        return Verdict::of_the_skill;
      }
      if (!place.starts_with(home + "/")) {
        return Verdict::of_others;
      }
      std::string_view below = std::string_view(place).substr(home.size() + 1);
      bool is_ignored = has_ignored_part(below);
      if (below.ends_with(k_deleted)) {
        below.remove_suffix(k_deleted.size());
        is_ignored = is_ignored || has_ignored_part(below);
      }
      return is_ignored ? Verdict::of_others : Verdict::of_the_skill;
    }
    home = std::move(again);
  }
  return Verdict::of_others;
}

bool is_link(int fd) {
  struct stat status {};

  return ::fstat(fd, &status) == 0 && S_ISLNK(status.st_mode);
}

} // namespace

UniqueFd open_beneath(int folder, const char* path, int flags) {
  // Without a link on the way, the path says where it leads.
  UniqueFd fd = open_resolved(folder, path, flags, RESOLVE_NO_SYMLINKS);
  if (!fd && (errno == ENOSYS || errno == EPERM)) { // an older kernel, or a filter of calls
    return open_beneath_by_parts(folder, path, flags);
  }
  if (fd || errno != ELOOP) {
    return fd;
  }
  fd = open_resolved(folder, path, flags, RESOLVE_NO_MAGICLINKS);
  if (!fd) {
    return fd;
  }
  switch (judge(folder, fd.get())) {
  case Verdict::of_the_skill:
    return fd;
  case Verdict::of_others:
    break;
  case Verdict::unknown:
    return open_beneath_by_parts(folder, path, flags);
  }
  return failed(EXDEV);
}

UniqueFd open_beneath_by_parts(int folder, const char* path, int flags) {
  std::string_view left = path;
  UniqueFd above;
  for (;;) {
    std::size_t slash = left.find('/');
    bool is_last = slash == std::string_view::npos;
    std::string part(left.substr(0, slash));
    if (part == "..") {
      return failed(EXDEV);
    }
    int at = above ? above.get() : folder;
    int how = is_last ? careful(flags) : O_PATH | O_CLOEXEC;
    UniqueFd next(::openat(at, part.c_str(), how | O_NOFOLLOW));
    if (next && is_link(next.get())) { // O_PATH opens the link itself
      return failed(ELOOP);
    }
    if (!next || is_last) {
      return next;
    }
    above = std::move(next);
    left.remove_prefix(slash + 1);
  }
}

} // namespace upskill::library
