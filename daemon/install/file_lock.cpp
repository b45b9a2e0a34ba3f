#include "daemon/install/file_lock.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace upskill::daemon {

Result<FileLock> FileLock::take(const std::string& path) {
  TRY(make_directories(parent_path(path), 0755));
  std::string name = path + ".lock";
  UniqueFd fd(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) {
    int failure = errno;
    return fail(system_error(failure, "cannot open " + in_backticks(name)));
  }
  while (::flock(fd.get(), LOCK_EX) != 0) {
    int failure = errno;
    if (failure != EINTR) {
      return fail(system_error(failure, "cannot lock " + in_backticks(name)));
    }
  }
  return FileLock(std::move(fd));
}

} // namespace upskill::daemon
