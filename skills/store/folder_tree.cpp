#include "skills/store/folder_tree.h"

#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <vector>

namespace upskill::store {
namespace {

constexpr std::size_t k_piece = 64u << 10;

tl::unexpected<Error> failed(std::string_view what, const std::string& path) {
  return fail(system_error(errno, "cannot " + std::string(what) + " `" + path + "`"));
}

tl::unexpected<Error> too_deep(const std::string& path) {
  return fail(ErrorCode::too_large,
              "`" + path + "` lies more than " + std::to_string(k_max_tree_depth) + " folders deep",
              "move its inner folders up by hand");
}

// A name in an open folder; `path` is for messages.
struct Place {
  int folder;
  std::string name;
  std::string path;
  int depth = 0;

  Place below(int open_folder, const std::string& child) const {
    return {open_folder, child, join_path(path, child), depth + 1};
  }
};

Place top(const std::string& path) {
  return {AT_FDCWD, path, path};
}

Result<struct stat> status_of(const Place& place) {
  struct stat status {};

  if (::fstatat(place.folder, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return failed("look at", place.path);
  }
  return status;
}

Result<UniqueFd> open_folder(const Place& place) {
  if (place.depth > k_max_tree_depth) {
    return too_deep(place.path);
  }
  UniqueFd fd(
      ::openat(place.folder, place.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return fd ? Result<UniqueFd>(std::move(fd)) : failed("open folder", place.path);
}

Result<UniqueFd> open_file(const Place& place) {
  UniqueFd fd(
      ::openat(place.folder, place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return fd ? Result<UniqueFd>(std::move(fd)) : failed("read", place.path);
}

Result<std::string> target_of(const Place& place) {
  char target[PATH_MAX];
  ssize_t size = ::readlinkat(place.folder, place.name.c_str(), target, sizeof target);
  if (size < 0) {
    return failed("read link", place.path);
  }
  return std::string(target, static_cast<std::size_t>(size));
}

// Up to k_piece bytes; fewer only at the end.
Result<std::size_t> read_piece(int fd, char* out, const std::string& path) {
  std::size_t used = 0;
  while (used < k_piece) {
    ssize_t got = ::read(fd, out + used, k_piece - used);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return failed("read", path);
    }
    if (got == 0) {
      break;
    }
    used += static_cast<std::size_t>(got);
  }
  return used;
}

Result<void> remove_at(const Place& place) {
  struct stat status {};

  if (::fstatat(place.folder, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? Result<void>{} : failed("look at", place.path);
  }
  if (!S_ISDIR(status.st_mode)) {
    return ::unlinkat(place.folder, place.name.c_str(), 0) == 0 || errno == ENOENT
               ? Result<void>{}
               : failed("remove", place.path);
  }
  if ((status.st_mode & 0700) != 0700) {
    // A failure shows when the folder is opened or emptied.
    (void)::fchmodat(place.folder, place.name.c_str(), 0700, AT_SYMLINK_NOFOLLOW);
  }
  {
    TRY_ASSIGN(UniqueFd folder, open_folder(place));
    TRY(each_name(folder.get(), [&](const std::string& name) {
      return remove_at(place.below(folder.get(), name));
    }));
  }
  return ::unlinkat(place.folder, place.name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT
             ? Result<void>{}
             : failed("remove folder", place.path);
}

Result<void> copy_file(const Place& from, const Place& to, mode_t mode) {
  TRY_ASSIGN(UniqueFd source, open_file(from));
  UniqueFd copy(::openat(
      to.folder, to.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!copy) {
    return failed("make", to.path);
  }
  std::vector<char> piece(k_piece);
  for (;;) {
    TRY_ASSIGN(std::size_t size, read_piece(source.get(), piece.data(), from.path));
    for (std::size_t at = 0; at < size;) {
      ssize_t written = ::write(copy.get(), piece.data() + at, size - at);
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written < 0) {
        return failed("write", to.path);
      }
      at += static_cast<std::size_t>(written);
    }
    if (size < k_piece) {
      break;
    }
  }
  return ::fchmod(copy.get(), mode) == 0 ? Result<void>{} : failed("set the mode of", to.path);
}

Result<void> copy_at(const Place& from, const Place& to) {
  TRY_ASSIGN(struct stat status, status_of(from));
  mode_t mode = status.st_mode & 0777;
  if (S_ISREG(status.st_mode)) {
    return copy_file(from, to, mode);
  }
  if (S_ISLNK(status.st_mode)) {
    TRY_ASSIGN(std::string target, target_of(from));
    return ::symlinkat(target.c_str(), to.folder, to.name.c_str()) == 0 ? Result<void>{}
                                                                        : failed("make", to.path);
  }
  if (!S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::unsupported,
                "`" + from.path + "` is neither a file, a folder nor a link",
                "remove it, then try again");
  }
  if (::mkdirat(to.folder, to.name.c_str(), 0700) != 0) {
    return failed("make folder", to.path);
  }
  TRY_ASSIGN(UniqueFd source, open_folder(from));
  TRY_ASSIGN(UniqueFd copy, open_folder(to));
  TRY(each_name(source.get(), [&](const std::string& name) {
    return copy_at(from.below(source.get(), name), to.below(copy.get(), name));
  }));
  return ::fchmod(copy.get(), mode) == 0 ? Result<void>{} : failed("set the mode of", to.path);
}

tl::unexpected<Error> differs(const Place& place) {
  return fail(ErrorCode::changed, "`" + place.path + "` was changed while it was copied");
}

Result<void> compare_files(const Place& a, const Place& b) {
  TRY_ASSIGN(UniqueFd left, open_file(a));
  TRY_ASSIGN(UniqueFd right, open_file(b));
  std::vector<char> one(k_piece);
  std::vector<char> other(k_piece);
  for (;;) {
    TRY_ASSIGN(std::size_t size, read_piece(left.get(), one.data(), a.path));
    TRY_ASSIGN(std::size_t other_size, read_piece(right.get(), other.data(), b.path));
    if (size != other_size || std::memcmp(one.data(), other.data(), size) != 0) {
      return differs(a);
    }
    if (size < k_piece) {
      return {};
    }
  }
}

Result<void> compare_at(const Place& a, const Place& b) {
  TRY_ASSIGN(struct stat left, status_of(a));
  TRY_ASSIGN(struct stat right, status_of(b));
  if ((left.st_mode & (S_IFMT | 0100)) != (right.st_mode & (S_IFMT | 0100))) {
    return differs(a);
  }
  if (S_ISREG(left.st_mode)) {
    return compare_files(a, b);
  }
  if (S_ISLNK(left.st_mode)) {
    TRY_ASSIGN(std::string target, target_of(a));
    TRY_ASSIGN(std::string other, target_of(b));
    return target == other ? Result<void>{} : differs(a);
  }
  if (!S_ISDIR(left.st_mode)) {
    return differs(a);
  }
  TRY_ASSIGN(UniqueFd one, open_folder(a));
  TRY_ASSIGN(UniqueFd other, open_folder(b));
  std::size_t names = 0;
  TRY(each_name(one.get(), [&](const std::string& name) {
    ++names;
    return compare_at(a.below(one.get(), name), b.below(other.get(), name));
  }));
  std::size_t other_names = 0;
  TRY(each_name(other.get(), [&](const std::string&) {
    ++other_names;
    return Result<void>{};
  }));
  return names == other_names ? Result<void>{} : differs(a);
}

Result<std::uint64_t> bytes_at(const Place& place) {
  TRY_ASSIGN(struct stat status, status_of(place));
  std::uint64_t sum = 0;
  if (S_ISREG(status.st_mode)) {
    sum = static_cast<std::uint64_t>(status.st_size);
  } else if (S_ISDIR(status.st_mode)) {
    TRY_ASSIGN(UniqueFd folder, open_folder(place));
    TRY(each_name(folder.get(), [&](const std::string& name) -> Result<void> {
      TRY_ASSIGN(std::uint64_t bytes, bytes_at(place.below(folder.get(), name)));
      sum += bytes;
      return {};
    }));
  }
  return sum;
}

} // namespace

Result<void> each_name(int folder, const std::function<Result<void>(const std::string&)>& visit) {
  std::vector<std::string> names;
  {
    // fdopendir takes its descriptor over, and a duplicate would share the position.
    int fd = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* stream = fd < 0 ? nullptr : ::fdopendir(fd);
    if (stream == nullptr) {
      Error error = system_error(errno, "cannot list a folder");
      if (fd >= 0) {
        ::close(fd);
      }
      return fail(std::move(error));
    }
    errno = 0;
    while (const dirent* entry = ::readdir(stream)) { // NOLINT(concurrency-mt-unsafe)
      std::string_view name = entry->d_name;
      if (name != "." && name != "..") {
        names.emplace_back(name);
      }
      errno = 0;
    }
    int failure = errno;
    ::closedir(stream);
    if (failure != 0) {
      return fail(system_error(failure, "cannot list a folder"));
    }
  }
  for (const std::string& name : names) {
    TRY(visit(name));
  }
  return {};
}

Result<void> remove_tree(const std::string& path) {
  return remove_at(top(path));
}

Result<void> copy_tree(const std::string& from, const std::string& to) {
  return copy_at(top(from), top(to));
}

Result<void> compare_trees(const std::string& a, const std::string& b) {
  return compare_at(top(a), top(b));
}

Result<std::uint64_t> tree_bytes(const std::string& path) {
  return bytes_at(top(path));
}

} // namespace upskill::store
