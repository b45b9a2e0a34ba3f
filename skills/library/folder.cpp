#include "skills/library/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace upskill::library {

UniqueFd open_folder(int at, const char* name) {
  return UniqueFd(::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int for_each_name(int folder, const std::function<bool(const FolderEntry&)>& visit) {
  alignas(dirent64) char buffer[16384];
  for (;;) {
    ssize_t got = ::getdents64(folder, buffer, sizeof buffer);
    if (got < 0) {
      return errno;
    }
    if (got == 0) {
      return 0;
    }
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      at += entry->d_reclen;
      bool dots = std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0;
      if (!dots && !visit({entry->d_name, entry->d_type})) {
        return 0;
      }
    }
  }
}

} // namespace upskill::library
