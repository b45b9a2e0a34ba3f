#include "daemon/watch/inotify.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace upskill::watch {

Result<UniqueFd> open_inotify() {
  UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd) {
    int failure = errno;
    Error error = system_error(failure, "cannot start watching folders");
    if (failure == EMFILE) {
      error.hint = "raise `fs.inotify.max_user_instances` or end programs that watch files";
    }
    return fail(std::move(error));
  }
  return fd;
}

int add_watch(int inotify, const char* path, std::uint32_t mask) {
  return ::inotify_add_watch(inotify, path, mask | IN_MASK_ADD | IN_ONLYDIR | IN_DONT_FOLLOW);
}

int add_watch(int inotify, int file, std::uint32_t mask) {
  std::string path = "/proc/self/fd/" + std::to_string(file);
  return ::inotify_add_watch(inotify, path.c_str(), mask | IN_MASK_ADD);
}

bool is_watch_limit(int errno_value) {
  return errno_value == ENOSPC || errno_value == ENOMEM;
}

std::optional<RawEvent> EventReader::next() {
  inotify_event event;
  if (m_bytes.size() < sizeof event) {
    return std::nullopt;
  }
  std::memcpy(&event, m_bytes.data(), sizeof event);
  if (m_bytes.size() - sizeof event < event.len) {
    return std::nullopt; // the kernel hands out whole events only
  }
  const char* name = m_bytes.data() + sizeof event;
  m_bytes = m_bytes.subspan(sizeof event + event.len);
  // The name is padded with zeros.
  return RawEvent{event.wd, event.mask, event.cookie, {name, ::strnlen(name, event.len)}};
}

} // namespace upskill::watch
