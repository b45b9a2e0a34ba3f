#include "skills/store/object_end.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace upskill::store {

std::string object_end(std::uint64_t object_size) {
  std::string end(k_tar_end, '\0');
  end += "upskill: a whole version is " + std::to_string(object_size) + " bytes\n";
  end.resize(k_object_end);
  return end;
}

std::optional<std::uint64_t> whole_object_size(int fd) {
  struct stat status {};

  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)
      || status.st_size < static_cast<off_t>(k_object_end)) {
    return std::nullopt;
  }
  char end[k_object_end];
  ssize_t got = 0;
  do {
    got = ::pread(fd, end, sizeof end, status.st_size - static_cast<off_t>(sizeof end));
  } while (got < 0 && errno == EINTR);
  auto size = static_cast<std::uint64_t>(status.st_size);
  bool whole = got == static_cast<ssize_t>(sizeof end)
               && std::string_view(end, sizeof end) == object_end(size);
  return whole ? std::optional(size) : std::nullopt;
}

} // namespace upskill::store
