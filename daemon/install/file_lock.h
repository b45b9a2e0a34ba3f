#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <string>

namespace upskill::daemon {

// Keeps other daemons of this user, of whatever version, out of a file that is read, changed and
// written again; until it goes. Owner: a call on the pool. Thread: one.
class FileLock {
public:
  // A file beside `path`, which stays there. Waits for whoever has it: they only read and write.
  // Errors: as of making the folder and the file.
  static Result<FileLock> take(const std::string& path);

private:
  explicit FileLock(UniqueFd fd)
      : m_fd(std::move(fd)) {}

  UniqueFd m_fd;
};

} // namespace upskill::daemon
