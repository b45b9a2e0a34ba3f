#include "skills/sync/filesystem.h"

#include "protocol/base/unique_fd.h"
#include "skills/sync/walk.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace upskill::sync {
namespace {

Result<void> outcome(int result, const char* what, const std::string& path) {
  if (result == 0) {
    return {};
  }
  return fail(system_error(errno, std::string(what) + " `" + path + "`"));
}

// Whether the open file is a program exactly if it is to be one.
bool has_mode(int fd, mode_t mode) {
  struct stat status {};

  return ::fstat(fd, &status) == 0 && (status.st_mode & S_IXUSR) == (mode & S_IXUSR);
}

// Whether the open file holds exactly these bytes.
bool holds(int fd, std::string_view bytes) {
  char buffer[16384];
  for (off_t at = 0;;) {
    ssize_t got = ::pread(fd, buffer, sizeof buffer, at);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    auto size = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    if (got < 0 || size > bytes.size() || std::memcmp(buffer, bytes.data(), size) != 0) {
      return false;
    }
    bytes.remove_prefix(size);
    if (got < static_cast<ssize_t>(sizeof buffer)) {
      return bytes.empty();
    }
    at += got;
  }
}

int rename_with(const std::string& from, const std::string& to, unsigned flags) {
  // The system call itself: glibc's wrapper is newer than some C libraries we are linked against.
  return static_cast<int>(
      ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags));
}

} // namespace

bool keeps_modes(int folder) {
  constexpr std::array<long, 7> k_kept = {TMPFS_MAGIC,
                                          EXT4_SUPER_MAGIC,
                                          BTRFS_SUPER_MAGIC,
                                          XFS_SUPER_MAGIC,
                                          OVERLAYFS_SUPER_MAGIC,
                                          F2FS_SUPER_MAGIC,
                                          0x2FC12FC1}; // ZFS

  struct statfs status {};

  return ::fstatfs(folder, &status) == 0
         && std::ranges::find(k_kept, static_cast<long>(status.f_type)) != k_kept.end();
}

Result<void> Filesystem::make_folder(const std::string& path, mode_t mode) {
  return outcome(::mkdir(path.c_str(), mode), "cannot make folder", path);
}

Result<void> Filesystem::write_file(const FilePlace& place, std::string_view bytes, mode_t mode) {
  constexpr int k_flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd fd(::openat(place.folder, place.name(), k_flags, mode));
  if (!fd) {
    return outcome(-1, "cannot create", place.path);
  }
  for (std::string_view left = bytes; !left.empty();) {
    ssize_t written = ::write(fd.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return outcome(-1, "cannot write", place.path);
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  // A umask or an inherited access list may take a bit away on every file system.
  const bool is_sure = place.keeps_modes && (mode & S_IXUSR) == 0;
  if ((!is_sure && !has_mode(fd.get(), mode)) || !holds(fd.get(), bytes)) {
    return fail(ErrorCode::io,
                "what was written to `" + place.path + "` does not read back the same",
                "check the disk");
  }
  return {};
}

Result<void> Filesystem::make_link(const std::string& target, const std::string& path) {
  return outcome(::symlink(target.c_str(), path.c_str()), "cannot make link", path);
}

Result<void> Filesystem::exchange(const std::string& a, const std::string& b) {
  if (rename_with(a, b, RENAME_EXCHANGE) == 0) {
    return {};
  }
  if (errno == EINVAL || errno == ENOSYS) {
    return fail(ErrorCode::unsupported, "the file system of `" + b + "` cannot swap folders");
  }
  return outcome(-1, "cannot swap", b);
}

Result<void> Filesystem::move(const std::string& from, const std::string& to) {
  if (rename_with(from, to, RENAME_NOREPLACE) == 0) {
    return {};
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return outcome(-1, "cannot move to", to);
  }

  // No flag support: look first. The gap is as small as it can be made there.
  struct stat status {};

  if (::lstat(to.c_str(), &status) == 0) {
    errno = EEXIST;
    return outcome(-1, "cannot move to", to);
  }
  return outcome(::rename(from.c_str(), to.c_str()), "cannot move to", to);
}

Result<void> Filesystem::remove_file(const std::string& path) {
  return outcome(::unlink(path.c_str()), "cannot remove", path);
}

Result<void> Filesystem::remove_folder(const std::string& path) {
  return outcome(::rmdir(path.c_str()), "cannot remove folder", path);
}

Result<void> Filesystem::sync_all(const std::string& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return outcome(fd ? ::syncfs(fd.get()) : -1, "cannot sync the file system of", folder);
}

Result<void> Filesystem::remove_tree(const std::string& path) {
  struct stat status {};

  if (::lstat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? Result<void>{} : outcome(-1, "cannot remove", path);
  }
  if (!S_ISDIR(status.st_mode)) {
    return remove_file(path);
  }
  FolderNames names;
  {
    UniqueFd folder(open_folder_at(AT_FDCWD, path.c_str()));
    if (!folder) {
      return outcome(-1, "cannot open", path);
    }
    TRY(names.read(folder.get()));
  }
  for (const FolderNames::Name& name : names.names()) {
    TRY(remove_tree(path + "/" + names.text(name)));
  }
  return remove_folder(path);
}

} // namespace upskill::sync
