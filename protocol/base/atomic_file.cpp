#include "protocol/base/atomic_file.h"

#include "protocol/base/unique_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace upskill {
namespace {

Result<void> write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail(system_error(errno, "cannot write `" + path + "`"));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> sync_parent(const std::string& path) {
  std::size_t slash = path.rfind('/');
  std::string parent = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  UniqueFd folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) {
    return fail(system_error(errno, "cannot sync folder `" + parent + "`"));
  }
  return {};
}

Result<void> write_new(
    const std::string& path, int fd, std::string_view bytes, mode_t mode, Durability durability) {
  TRY(write_all(fd, bytes, path));
  if (::fchmod(fd, mode) != 0) {
    return fail(system_error(errno, "cannot set the mode of `" + path + "`"));
  }
  if (durability == Durability::power_loss && ::fsync(fd) != 0) {
    return fail(system_error(errno, "cannot sync `" + path + "`"));
  }
  return {};
}

} // namespace

Result<void> write_file_atomically(const std::string& path,
                                   std::string_view bytes,
                                   mode_t mode,
                                   Durability durability) {
  std::string temporary = path + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) {
    return fail(system_error(errno, "cannot create a file beside `" + path + "`"));
  }
  Result<void> written = write_new(temporary, fd.get(), bytes, mode, durability);
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  fd.reset();
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    Error error = system_error(errno, "cannot replace `" + path + "`");
    ::unlink(temporary.c_str());
    return fail(std::move(error));
  }
  return durability == Durability::power_loss ? sync_parent(path) : Result<void>{};
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) {
    return fail(system_error(errno, "cannot read `" + path + "`"));
  }

  struct stat status {};

  if (::fstat(fd.get(), &status) != 0) {
    return fail(system_error(errno, "cannot read `" + path + "`"));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid_argument, "`" + path + "` is not a regular file");
  }
  std::string bytes;
  bytes.resize(static_cast<std::size_t>(status.st_size) < limit
                   ? static_cast<std::size_t>(status.st_size) + 1
                   : limit + 1);
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) {
      if (used > limit) {
        return fail(ErrorCode::too_large,
                    "`" + path + "` holds more than " + std::to_string(limit) + " bytes");
      }
      bytes.resize(used * 2 < limit + 1 ? used * 2 : limit + 1);
    }
    ssize_t got = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail(system_error(errno, "cannot read `" + path + "`"));
    }
    if (got == 0) {
      break;
    }
    used += static_cast<std::size_t>(got);
  }
  if (used > limit) {
    return fail(ErrorCode::too_large,
                "`" + path + "` holds more than " + std::to_string(limit) + " bytes");
  }
  bytes.resize(used);
  return bytes;
}

Result<void> make_directories(const std::string& path, mode_t mode) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    std::string part = end == std::string::npos ? path : path.substr(0, end);
    if (!part.empty() && ::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) {
      int reason = errno;

      struct stat status {};

      // A folder that exists on a read-only file system answers EROFS.
      if (::stat(part.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
        return fail(system_error(reason, "cannot make folder `" + part + "`"));
      }
    }
    if (end == std::string::npos) {
      return {};
    }
  }
}

} // namespace upskill
