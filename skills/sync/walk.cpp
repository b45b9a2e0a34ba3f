#include "skills/sync/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace upskill::sync {
namespace {

// As the kernel writes it (getdents64(2)).
struct KernelEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

constexpr std::size_t k_name_at = offsetof(KernelEntry, name);

} // namespace

Result<void> FolderNames::read(int folder_fd) {
  m_names.clear();
  m_text.clear();
  alignas(8) char buffer[16384];
  for (;;) {
    long got = ::syscall(SYS_getdents64, folder_fd, buffer, sizeof buffer);
    if (got < 0) {
      return fail(system_error(errno, "cannot list the folder"));
    }
    if (got == 0) {
      return {};
    }
    for (long at = 0; at < got;) {
      std::uint16_t length = 0;
      std::memcpy(&length, buffer + at + offsetof(KernelEntry, length), sizeof length);
      auto type = static_cast<std::uint8_t>(buffer[at + offsetof(KernelEntry, type)]);
      const char* name = buffer + at + k_name_at;
      if (std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0) {
        std::size_t size = std::strlen(name);
        m_names.push_back(
            {static_cast<std::uint32_t>(m_text.size()), static_cast<std::uint16_t>(size), type});
        m_text.append(name, size + 1);
      }
      at += length;
    }
  }
}

int open_folder_at(int folder_fd, const char* name) {
  return ::openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

std::int64_t nanoseconds(const struct timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

} // namespace upskill::sync
