#pragma once
#include "tests/sync/daemon_world.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace upskill::sync_test {

// A skill's folder as a program has it open: sync may put another in its place at any moment, and
// what is written then goes to the one that was there.
class DaemonWorld::Handle {
public:
  explicit Handle(const std::string& folder)
      : m_fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {}

  explicit operator bool() const { return static_cast<bool>(m_fd); }

  // Leads there wherever it lies now.
  std::string path() const { return "/proc/self/fd/" + std::to_string(m_fd.get()) + "/."; }

  std::string operator/(const char* name) const { return path() + "/" + name; }

  ino_t inode() const {
    struct stat status {};

    ::fstat(m_fd.get(), &status);
    return status.st_ino;
  }

  sync::ReadResult look() const { return sync_test::look(path(), "."); }

private:
  UniqueFd m_fd;
};

} // namespace upskill::sync_test
