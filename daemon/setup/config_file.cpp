#include "daemon/setup/config_file.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace upskill::setup {
namespace {

constexpr std::size_t k_max_file = 4u << 20; // bytes
constexpr int k_most_links = 40;             // as the kernel has it (path_resolution(7))

std::string target_of(const std::string& path) {
  std::string target(4096, '\0');
  ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  target.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return target;
}

// Where the file really is, whether it exists or not. A link must lead to something.
Result<std::string> resolve(const std::string& path) {
  std::string here = path;
  for (int links = 0; links < k_most_links; ++links) {
    struct stat status {};

    if (::lstat(here.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) {
      // The deepest folder that exists is resolved; the rest is to be made.
      std::string rest;
      std::string folder = here;
      while (folder != "/" && ::access(folder.c_str(), F_OK) != 0) {
        rest = rest.empty() ? std::string(base_name(folder)) : join_path(base_name(folder), rest);
        folder = parent_path(folder);
      }
      std::string real = real_path(folder);
      return rest.empty() ? real : join_path(real, rest);
    }
    here = normalized_path(target_of(here), real_path(parent_path(here)));
    if (::lstat(here.c_str(), &status) != 0) {
      return fail(ErrorCode::refused,
                  in_backticks(path) + " is a link to " + in_backticks(here)
                      + ", and nothing is there",
                  "make that file, or remove the link");
    }
  }
  return fail(ErrorCode::refused, in_backticks(path) + " is a link that leads to itself");
}

} // namespace

std::string real_path(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  std::string out = real == nullptr ? path : std::string(real);
  std::free(real); // NOLINT
  return out;
}

Result<ConfigFile> look_at_file(const std::string& path, const std::string& boundary) {
  ConfigFile file;
  TRY_ASSIGN(file.path, resolve(path));
  if (file.path != path && !is_inside(file.path, boundary)) {
    return fail(ErrorCode::refused,
                in_backticks(path) + " is a link to " + in_backticks(file.path) + ", outside of "
                    + in_backticks(boundary),
                "put a file of its own there, or edit that one yourself");
  }

  struct stat status {};

  if (::stat(file.path.c_str(), &status) != 0) {
    if (errno == ENOENT) {
      return file;
    }
    return fail(system_error(errno, in_backticks(file.path)));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::unsupported,
                in_backticks(file.path) + " is no regular file",
                "put a file in its place");
  }
  if (status.st_uid != ::geteuid()) {
    return fail(ErrorCode::refused,
                in_backticks(file.path) + " belongs to another user",
                "`chown` it, or edit it yourself");
  }
  if ((status.st_mode & S_IWUSR) == 0) {
    return fail(ErrorCode::permission,
                in_backticks(file.path) + " is read-only",
                "`chmod u+w` it, or edit it yourself");
  }
  if (status.st_size > static_cast<off_t>(k_max_file)) {
    return fail(ErrorCode::too_large,
                in_backticks(file.path) + " is larger than 4 MiB",
                "such a file is edited by hand");
  }
  file.mode = status.st_mode & 07777;
  TRY_ASSIGN(file.bytes, read_file(file.path, k_max_file));
  return file;
}

namespace {

Result<void> check_unchanged(const ConfigFile& file, const std::string& boundary) {
  TRY_ASSIGN(ConfigFile now, look_at_file(file.path, boundary));
  if (now.path != file.path || now.bytes != file.bytes) {
    return fail(ErrorCode::changed,
                in_backticks(file.path) + " was changed meanwhile",
                "run the same command again");
  }
  return {};
}

} // namespace

Result<void>
write_over(const ConfigFile& file, std::string_view bytes, const std::string& boundary) {
  TRY(check_unchanged(file, boundary));
  TRY(make_directories(parent_path(file.path), 0755));
  return write_file_atomically(file.path, bytes, file.mode);
}

std::vector<std::string> folders_to_make(const std::string& path) {
  std::vector<std::string> missing;
  for (std::string folder = parent_path(path); ::access(folder.c_str(), F_OK) != 0;
       folder = parent_path(folder)) {
    missing.insert(missing.begin(), folder);
  }
  return missing;
}

void remove_folders(const std::vector<std::string>& folders) {
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    ::rmdir(folder->c_str());
  }
}

Result<void> take_away(const ConfigFile& file,
                       const std::string& boundary,
                       const std::vector<std::string>& folders) {
  TRY(check_unchanged(file, boundary));
  if (::unlink(file.path.c_str()) != 0 && errno != ENOENT) {
    return fail(system_error(errno, in_backticks(file.path)));
  }
  remove_folders(folders);
  return {};
}

} // namespace upskill::setup
