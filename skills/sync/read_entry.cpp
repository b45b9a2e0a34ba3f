#include "protocol/base/unique_fd.h"
#include "skills/sync/scan.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace upskill::sync {

Result<std::string> read_entry(int root_fd, std::string_view skill, const Entry& entry) {
  std::string path = std::string(skill) + "/" + entry.path;
  UniqueFd fd(::openat(root_fd, path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    return fail(system_error(errno, "cannot read `" + path + "`"));
  }
  std::string bytes(entry.size, '\0');
  std::size_t used = 0;
  while (used < bytes.size()) {
    ssize_t got = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      break;
    }
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  if (sha256(bytes) != entry.content) {
    return fail(ErrorCode::changed, "`" + path + "` changed while it was read");
  }
  return bytes;
}

} // namespace upskill::sync
