#include "daemon/single_instance.h"

#include "protocol/base/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace upskill::daemon {

Result<void> make_private_folder(const std::string& path) {
  TRY(make_directories(parent_path(path), 0755));
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(system_error(errno, "the folder `" + path + "` cannot be made"));
  }
  // What is looked at is what was opened, so that nobody can swap it in between.
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder && (errno == ELOOP || errno == ENOTDIR)) {
    return fail(ErrorCode::refused,
                "`" + path + "` is a link or no folder",
                "remove it; the daemon makes a folder of its own");
  }

  struct stat status {};

  if (!folder || ::fstat(folder.get(), &status) != 0) {
    return fail(system_error(errno, "the folder `" + path + "` cannot be opened"));
  }
  if (status.st_uid != ::geteuid()) {
    return fail(ErrorCode::refused,
                "the folder `" + path + "` belongs to another user",
                "remove it, or set XDG_STATE_HOME to a folder of your own");
  }
  if ((status.st_mode & 0777) != 0700) {
    return fail(ErrorCode::refused,
                "the folder `" + path + "` can be entered by other users, or not by its owner",
                "run `chmod 700 " + path + "` if nobody else has written to it");
  }
  return {};
}

SingleInstance::SingleInstance(UniqueFd lock)
    : m_lock(std::move(lock)) {}

Result<std::optional<SingleInstance>> SingleInstance::acquire(const Places& places) {
  TRY(make_private_folder(places.run()));
  std::string path = places.lock();
  UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock) {
    return fail(system_error(errno, "the lock `" + path + "` cannot be opened"));
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return std::optional<SingleInstance>();
    }
    return fail(system_error(errno, "the lock `" + path + "` cannot be taken"));
  }
  std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock.get(), 0) != 0
      || ::pwrite(lock.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return fail(system_error(errno, "the lock `" + path + "` cannot be written"));
  }
  return std::optional(SingleInstance(std::move(lock)));
}

} // namespace upskill::daemon
