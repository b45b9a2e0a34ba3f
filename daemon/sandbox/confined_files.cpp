#include "daemon/sandbox/confined_files.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

namespace upskill::sandbox {
namespace {

constexpr std::size_t k_max_path = 4096;

tl::unexpected<Error> outside(std::string_view path) {
  return fail(ErrorCode::invalid_argument,
              in_backticks(utf8_prefix(path, 256)) + " does not name a file below the folder",
              "give a relative path without `..`");
}

// The parts of a path; none for the folder itself.
Result<std::vector<std::string>> parts_of(std::string_view path) {
  if (path.starts_with('/') || path.size() > k_max_path
      || path.find('\0') != std::string_view::npos) {
    return outside(path);
  }
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < path.size();) {
    std::size_t end = std::min(path.find('/', begin), path.size());
    std::string_view part = path.substr(begin, end - begin);
    if (part == "..") {
      return outside(path);
    }
    if (!part.empty() && part != ".") {
      parts.emplace_back(part);
    }
    begin = end + 1;
  }
  return parts;
}

tl::unexpected<Error> explain(int errno_value, std::string_view path) {
  std::string name = in_backticks(utf8_prefix(path, 256));
  switch (errno_value) {
  case ELOOP:
    return fail(ErrorCode::refused, name + " is a link, or lies behind one");
  case ENXIO:
    return fail(ErrorCode::refused, name + " is no regular file");
  case EISDIR:
    return fail(ErrorCode::refused, name + " is a folder");
  case ENAMETOOLONG:
    return fail(ErrorCode::invalid_argument, name + " has a name that is too long");
  default:
    return fail(system_error(errno_value, name));
  }
}

enum class Missing { stays, is_made };

// ENOTDIR of what O_NOFOLLOW met says nothing of links: this does.
int told_apart(int folder, const char* name) {
  int errno_value = errno;

  struct stat about {};

  bool is_link =
      ::fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(about.st_mode);
  return is_link ? ELOOP : errno_value;
}

// The folder that parts [0, count) lead to.
Result<UniqueFd> walk(int folder,
                      const std::vector<std::string>& parts,
                      std::size_t count,
                      std::string_view path,
                      Missing missing) {
  UniqueFd here(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!here) {
    return explain(errno, path);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const char* name = parts[i].c_str();
    if (missing == Missing::is_made) {
      ::mkdirat(here.get(), name, 0755);
    }
    UniqueFd next(::openat(here.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) {
      return explain(told_apart(here.get(), name), path);
    }
    here = std::move(next);
  }
  return here;
}

// Opens a regular file, and nothing that could keep us waiting or that reading would change.
Result<UniqueFd> open_file(int folder, const std::string& name, int flags, std::string_view path) {
  constexpr int k_careful = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  UniqueFd file(::openat(folder, name.c_str(), flags | k_careful, 0644));
  if (!file) {
    return explain(told_apart(folder, name.c_str()), path);
  }

  struct stat about {};

  if (::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return explain(S_ISDIR(about.st_mode) ? EISDIR : ENXIO, path);
  }
  return file;
}

char kind_of(mode_t mode) {
  if (S_ISDIR(mode)) {
    return 'd';
  }
  return S_ISLNK(mode) ? 'l' : S_ISREG(mode) ? 'f' : '?';
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// The names in a folder, at most `most`, sorted. Adds what it leaves out to `complete`.
std::vector<std::string> names_in(int folder, std::size_t most, bool& complete) {
  std::vector<std::string> names;
  UniqueFd again(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::unique_ptr<DIR, CloseFolder> reader(again ? ::fdopendir(again.get()) : nullptr);
  if (reader) {
    again.release();
  }
  while (const dirent* entry = reader ? ::readdir(reader.get()) : nullptr) {
    std::string_view name = entry->d_name;
    if (name == "." || name == "..") {
      continue;
    }
    if (names.size() == most) {
      complete = false;
      break;
    }
    names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

void list_into(int folder,
               const std::string& prefix,
               std::size_t depth,
               std::size_t most,
               ConfinedList& list) {
  for (const std::string& name : names_in(folder, most - list.entries.size(), list.complete)) {
    if (list.entries.size() == most) {
      list.complete = false;
      return;
    }

    struct stat about {};

    if (::fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
      continue; // it has just gone
    }
    char kind = kind_of(about.st_mode);
    auto bytes = kind == 'f' ? static_cast<std::uint64_t>(about.st_size) : 0;
    list.entries.push_back({prefix + name, kind, bytes});
    if (kind != 'd') {
      continue;
    }
    UniqueFd inner(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner || depth == k_max_skill_depth) {
      list.complete = false;
      continue;
    }
    list_into(inner.get(), prefix + name + "/", depth + 1, most, list);
  }
}

} // namespace

Result<std::string> read_confined(int folder, std::string_view path, std::size_t limit) {
  TRY_ASSIGN(std::vector<std::string> parts, parts_of(path));
  if (parts.empty()) {
    return explain(EISDIR, path.empty() ? "." : path);
  }
  TRY_ASSIGN(UniqueFd parent, walk(folder, parts, parts.size() - 1, path, Missing::stays));
  TRY_ASSIGN(UniqueFd file, open_file(parent.get(), parts.back(), O_RDONLY, path));
  std::string bytes;
  for (;;) {
    constexpr std::size_t k_piece = 64u << 10;
    std::size_t had = bytes.size();
    bytes.resize(had + k_piece);
    ssize_t count = ::read(file.get(), bytes.data() + had, k_piece);
    if (count < 0 && errno != EINTR) {
      return explain(errno, path);
    }
    bytes.resize(had + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (bytes.size() > limit) {
      return fail(ErrorCode::too_large,
                  in_backticks(utf8_prefix(path, 256)) + " has more than " + std::to_string(limit)
                      + " bytes");
    }
    if (count == 0) {
      return bytes;
    }
  }
}

Result<void> write_confined(int folder, std::string_view path, std::string_view bytes) {
  TRY_ASSIGN(std::vector<std::string> parts, parts_of(path));
  if (parts.empty()) {
    return explain(EISDIR, path.empty() ? "." : path);
  }
  TRY_ASSIGN(UniqueFd parent, walk(folder, parts, parts.size() - 1, path, Missing::is_made));
  TRY_ASSIGN(UniqueFd file, open_file(parent.get(), parts.back(), O_WRONLY | O_CREAT, path));
  if (::ftruncate(file.get(), 0) != 0) {
    return explain(errno, path);
  }
  while (!bytes.empty()) {
    ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return explain(errno, path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return {};
}

Result<ConfinedList> list_confined(int folder, std::string_view path, std::size_t most) {
  TRY_ASSIGN(std::vector<std::string> parts, parts_of(path));
  TRY_ASSIGN(UniqueFd here, walk(folder, parts, parts.size(), path, Missing::stays));
  ConfinedList list;
  list_into(here.get(), "", 1, most, list);
  return list;
}

} // namespace upskill::sandbox
