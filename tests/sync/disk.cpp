#include "tests/sync/disk.h"

#include "protocol/base/unique_fd.h"
#include "skills/sync/walk.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace upskill::sync_test {
namespace {

[[noreturn]] void broken(const std::string& what) {
  throw NotDone("the test's own world: " + what + ": " + std::strerror(errno));
}

void write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written <= 0) {
      broken("cannot write " + path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

} // namespace

std::string fast_folder() {
  static const std::string folder = [] {
    struct statfs status {};

    bool memory = ::statfs("/dev/shm", &status) == 0
                  && static_cast<unsigned long>(status.f_type) == TMPFS_MAGIC
                  && ::access("/dev/shm", W_OK) == 0;
    const char* temporary = std::getenv("TMPDIR");
    std::string chosen = memory ? "/dev/shm" : temporary != nullptr ? temporary : "/tmp";
    std::printf("the worlds lie in %s%s\n",
                chosen.c_str(),
                memory ? "" : ", because /dev/shm is no tmpfs of ours: this will take longer");
    std::fflush(stdout);
    return chosen;
  }();
  return folder;
}

std::string make_world_folder(const std::string& parent) {
  std::string name = parent + "/upskill-sync-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    broken("cannot make a folder in " + parent);
  }
  return std::filesystem::canonical(name).string();
}

bool exists(const std::string& path) {
  struct stat status {};

  return ::lstat(path.c_str(), &status) == 0;
}

bool is_folder(const std::string& path) {
  struct stat status {};

  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

void make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    errno = error.value();
    broken("cannot make " + path);
  }
}

void replace_file(const std::string& path, std::string_view bytes, mode_t mode) {
  make_folders(std::filesystem::path(path).parent_path().string());
  std::string fresh = path + "~"; // an ignored name, as an editor's
  {
    UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (!fd) {
      broken("cannot create " + fresh);
    }
    ::fchmod(fd.get(), mode);
    write_all(fd.get(), bytes, fresh);
  }
  rename_path(fresh, path);
}

void rewrite_file(const std::string& path, std::string_view bytes) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!fd) {
    broken("cannot open " + path);
  }
  write_all(fd.get(), bytes, path);
}

void remove_all(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
}

void copy_all(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::copy(from,
                        to,
                        std::filesystem::copy_options::recursive
                            | std::filesystem::copy_options::copy_symlinks,
                        error);
  if (error) {
    errno = error.value();
    broken("cannot copy " + from);
  }
}

void rename_path(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    broken("cannot rename " + from + " to " + to);
  }
}

std::vector<std::string> names_in(const std::string& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  sync::FolderNames listed;
  std::vector<std::string> names;
  if (fd && listed.read(fd.get())) {
    for (const sync::FolderNames::Name& name : listed.names()) {
      names.emplace_back(listed.view(name));
    }
  }
  std::ranges::sort(names);
  return names;
}

sync::ReadResult look(const std::string& root, std::string_view name) {
  UniqueFd fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return {};
  }
  return sync::read_skill(fd.get(), name, {});
}

void add_trees_below(const std::string& folder, int depth, std::set<Digest>& out) {
  for (const std::string& name : names_in(folder)) {
    std::string path = folder + "/" + name;
    if (!is_folder(path)) {
      continue;
    }
    sync::ReadResult read = look(folder, name);
    if (read.stat.presence == sync::Presence::copy) {
      out.insert(read.tree.hash());
    } else if (depth > 0) {
      add_trees_below(path, depth - 1, out);
    }
  }
}

std::string picture_of(const std::string& folder) {
  std::string picture;
  for (const std::string& name : names_in(folder)) {
    std::string path = folder + "/" + name;

    struct stat status {};

    ::lstat(path.c_str(), &status);
    picture += path + " " + std::to_string(status.st_mode) + " " + std::to_string(status.st_ino)
               + " " + std::to_string(status.st_mtim.tv_nsec) + "\n";
    if (S_ISDIR(status.st_mode)) {
      picture += picture_of(path);
    } else if (S_ISREG(status.st_mode)) {
      picture += read(path) + "\n";
    } else if (S_ISLNK(status.st_mode)) {
      picture += std::filesystem::read_symlink(path).string() + "\n";
    }
  }
  return picture;
}

} // namespace upskill::sync_test
