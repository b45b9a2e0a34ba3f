#include "daemon/sandbox/private_folder.h"

#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace upskill::sandbox {
namespace {

constexpr int k_passes = 1000; // without getting anywhere, because somebody goes on writing

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

using FolderReader = std::unique_ptr<DIR, CloseFolder>;

FolderReader read_folder(int folder) {
  UniqueFd again(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  FolderReader reader(again ? ::fdopendir(again.get()) : nullptr);
  if (reader) {
    again.release();
  }
  return reader;
}

bool is_dots(std::string_view name) {
  return name == "." || name == "..";
}

// Opens a folder that lies in an open one, also one whose owner shut it. Never a link.
UniqueFd enter(int folder, const char* name) {
  UniqueFd place(::openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!place) {
    return {};
  }
  // By the open folder: its name may be another's by now.
  std::string itself = "/proc/self/fd/" + std::to_string(place.get());
  ::chmod(itself.c_str(), 0700);
  return UniqueFd(::openat(place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Empties one open folder, `top`.
class Emptying {
public:
  explicit Emptying(int top)
      : m_top(top) {}

  // One walk. How many entries it saw and could not remove.
  std::size_t pass() {
    std::size_t left = 0;
    FolderReader reader = read_folder(m_top);
    while (const dirent* entry = reader ? ::readdir(reader.get()) : nullptr) {
      if (is_dots(entry->d_name) || is_removed(m_top, entry->d_name)) {
        continue;
      }
      if (UniqueFd folder = enter(m_top, entry->d_name)) {
        clear(folder.get());
      }
      if (::unlinkat(m_top, entry->d_name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
        ++left;
      }
    }
    return left;
  }

private:
  static bool is_removed(int folder, const char* name) {
    return ::unlinkat(folder, name, 0) == 0 || ::unlinkat(folder, name, AT_REMOVEDIR) == 0;
  }

  // Removes what lies in a folder that itself lies in `top`; its folders go up.
  void clear(int folder) {
    FolderReader reader = read_folder(folder);
    while (const dirent* entry = reader ? ::readdir(reader.get()) : nullptr) {
      if (!is_dots(entry->d_name) && !is_removed(folder, entry->d_name)) {
        lift(folder, entry->d_name);
      }
    }
  }

  // Moves a folder up into `top`, so that there never are more than two levels to walk. What it
  // could replace there is an empty folder.
  void lift(int from, const char* name) {
    static_cast<void>(enter(from, name)); // to move a folder, one must be able to write to it
    for (int taken = 0; taken < k_passes; ++taken) {
      std::string free = ".lifted-" + std::to_string(m_lifted++);
      if (::renameat(from, name, m_top, free.c_str()) == 0
          || (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)) {
        return;
      }
    }
  }

  int m_top;
  std::uint64_t m_lifted = 0;
};

bool is_empty(int folder) {
  FolderReader reader = read_folder(folder);
  while (const dirent* entry = reader ? ::readdir(reader.get()) : nullptr) {
    if (!is_dots(entry->d_name)) {
      return false;
    }
  }
  return reader != nullptr;
}

} // namespace

Result<void> remove_contents(int folder) {
  ::fchmod(folder, 0700);
  Emptying emptying(folder);
  for (int stuck = 0; !is_empty(folder) && stuck < k_passes;) {
    // A walk whose entries are all gone found folders that were lifted meanwhile.
    stuck = emptying.pass() == 0 ? stuck : stuck + 1;
  }
  if (!is_empty(folder)) {
    return fail(ErrorCode::io, "a temporary folder could not be emptied");
  }
  return {};
}

std::string temporary_parent() {
  std::string named = process_environment()("TMPDIR").value_or("");
  return named.starts_with('/') ? named : "/tmp";
}

Result<PrivateFolder> PrivateFolder::make(const std::string& parent) {
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(parent.c_str(), nullptr), &std::free);
  if (!real) {
    return fail(system_error(errno, "the folder " + in_backticks(parent)));
  }
  std::string path = join_path(real.get(), "upskill-XXXXXX");
  if (!::mkdtemp(path.data())) {
    return fail(system_error(errno, "a temporary folder in " + in_backticks(parent)));
  }
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) {
    return fail(system_error(errno, in_backticks(path)));
  }
  return PrivateFolder(std::move(path), std::move(fd));
}

PrivateFolder& PrivateFolder::operator=(PrivateFolder&& other) noexcept {
  if (this != &other) {
    remove();
    m_path = std::move(other.m_path);
    m_fd = std::move(other.m_fd);
  }
  return *this;
}

PrivateFolder::~PrivateFolder() {
  remove();
}

void PrivateFolder::remove() {
  if (m_fd) {
    static_cast<void>(remove_contents(m_fd.get())); // nobody is left who could be told
    ::rmdir(m_path.c_str());
    m_fd.reset();
  }
}

} // namespace upskill::sandbox
