#include "daemon/handlers/skill_files.h"

#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/library/beneath.h"
#include "skills/library/folder.h"
#include "skills/library/names.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_path = 4096; // bytes, as PATH_MAX

tl::unexpected<Error> no_such_file(const std::string& path) {
  return fail(ErrorCode::not_found, in_backticks(path) + " is no file of the skill");
}

tl::unexpected<Error> leaves(const std::string& path) {
  return fail(ErrorCode::refused,
              in_backticks(path) + " is a link to what is no part of the skill");
}

Result<UniqueFd> opened(UniqueFd fd, const std::string& path) {
  if (fd) {
    return fd;
  }
  int error = errno;
  if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG) {
    return no_such_file(path);
  }
  if (error == EXDEV || error == ELOOP) {
    return leaves(path);
  }
  return fail(system_error(error, "cannot open " + in_backticks(path)));
}

// The status of what belongs to the skill under that name: a folder or a file, links followed.
std::optional<struct stat>
look_at(int skill, int folder, const std::string& path, const std::string& name) {
  struct stat status {};

  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt; // gone since it was listed
  }
  if (S_ISDIR(status.st_mode)) {
    return status;
  }
  if (S_ISLNK(status.st_mode)) {
    Result<UniqueFd> target = open_inside(skill, path, O_PATH);
    if (!target || ::fstat(target->get(), &status) != 0) {
      return std::nullopt;
    }
  }
  return S_ISREG(status.st_mode) ? std::optional(status) : std::nullopt;
}

class FileWalk {
public:
  FileWalk(int skill, const VisitFile& visit)
      : m_skill(skill)
      , m_visit(visit) {}

  bool is_complete() const { return m_is_complete; }

  // False where the visitor has seen enough.
  bool walk(int folder, const std::string& prefix, std::size_t depth) {
    std::vector<std::string> names;
    int error = library::for_each_name(folder, [&](const library::FolderEntry& entry) {
      if (!library::ignored_in_skill(entry.name)) {
        if (++m_entries > k_max_skill_entries) {
          return false;
        }
        names.emplace_back(entry.name);
      }
      return true;
    });
    m_is_complete = m_is_complete && error == 0 && m_entries <= k_max_skill_entries;
    return std::ranges::all_of(
        names, [&](const std::string& name) { return visit(folder, prefix, name, depth); });
  }

private:
  bool visit(int folder, const std::string& prefix, const std::string& name, std::size_t depth) {
    std::string path = prefix + name;
    std::optional<struct stat> status = look_at(m_skill, folder, path, name);
    if (!status) {
      return true;
    }
    if (S_ISREG(status->st_mode)) {
      bool goes_on = m_visit(std::move(path), *status);
      m_is_complete = m_is_complete && goes_on;
      return goes_on;
    }
    UniqueFd child = library::open_folder(folder, name.c_str());
    if (!child || depth == k_max_skill_depth) {
      m_is_complete = false;
      return true;
    }
    return walk(child.get(), path + "/", depth + 1);
  }

  int m_skill;
  const VisitFile& m_visit;
  std::size_t m_entries = 0;
  bool m_is_complete = true;
};

} // namespace

bool is_inside_path(std::string_view path) {
  if (path.empty() || path.size() > k_max_path || path.find('\0') != std::string_view::npos) {
    return false;
  }
  for (;;) {
    std::size_t slash = path.find('/');
    std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || library::ignored_in_skill(part)) {
      return false;
    }
    if (slash == std::string_view::npos) {
      return true;
    }
    path.remove_prefix(slash + 1);
  }
}

Result<UniqueFd> open_inside(int skill, const std::string& path, int flags) {
  if (!is_inside_path(path)) {
    return no_such_file(path);
  }
  return opened(library::open_beneath(skill, path.c_str(), flags), path);
}

bool visit_files(int skill, const VisitFile& visit) {
  FileWalk walk(skill, visit);
  walk.walk(skill, {}, 0);
  return walk.is_complete();
}

Result<std::vector<FolderChild>> list_folder(int skill, const std::string& folder) {
  if (!folder.empty() && !is_inside_path(folder)) {
    return fail(ErrorCode::not_found, in_backticks(folder) + " is no folder of the skill");
  }
  // Part by part, because a link is no folder here, wherever in the path it stands.
  UniqueFd fd = library::open_folder(skill, ".");
  for (std::size_t at = 0; fd && at < folder.size();) {
    std::size_t end = std::min(folder.find('/', at), folder.size());
    fd = library::open_folder(fd.get(), folder.substr(at, end - at).c_str());
    at = end + 1;
  }
  int error = errno;
  if (!fd && (error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG)) {
    return fail(ErrorCode::not_found, in_backticks(folder) + " is no folder of the skill");
  }
  std::vector<FolderChild> children;
  bool is_whole = true;
  if (fd) {
    error = library::for_each_name(fd.get(), [&](const library::FolderEntry& entry) {
      if (!library::ignored_in_skill(entry.name)) {
        is_whole = children.size() < k_max_skill_entries;
        if (is_whole) {
          children.push_back({entry.name});
        }
      }
      return is_whole;
    });
  }
  if (!fd || error != 0) {
    return fail(system_error(error, "cannot read the folder " + in_backticks(folder)));
  }
  if (!is_whole) {
    return fail(ErrorCode::too_large,
                "more than " + std::to_string(k_max_skill_entries) + " things lie in the folder "
                    + in_backticks(folder));
  }
  std::string prefix = folder.empty() ? folder : folder + "/";
  std::erase_if(children, [&](FolderChild& child) {
    std::optional<struct stat> status = look_at(skill, fd.get(), prefix + child.name, child.name);
    child.status = status.value_or(child.status);
    return !status;
  });
  return children;
}

FileList list_files(int skill) {
  FileList list;
  list.complete = visit_files(skill, [&](const std::string& path, const struct stat& status) {
    list.files.push_back({to_valid_utf8(path), status.st_size, (status.st_mode & S_IXUSR) != 0});
    list.bytes += static_cast<std::uint64_t>(status.st_size);
    return true;
  });
  std::ranges::sort(list.files, {}, &SkillFile::path);
  return list;
}

Result<FilePart>
read_part(int skill, const std::string& path, std::int64_t offset, std::size_t limit) {
  TRY_ASSIGN(UniqueFd fd, open_inside(skill, path, O_RDONLY));

  struct stat status {};

  if (::fstat(fd.get(), &status) != 0) {
    return fail(system_error(errno, "cannot look at " + in_backticks(path)));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::refused, in_backticks(path) + " is not a file");
  }
  FilePart part;
  part.offset = offset;
  part.size = status.st_size;
  auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(status.st_size - offset, 0));
  part.bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, limit)));
  std::size_t used = 0;
  while (used < part.bytes.size()) {
    ssize_t got = ::pread(fd.get(),
                          part.bytes.data() + used,
                          part.bytes.size() - used,
                          offset + static_cast<std::int64_t>(used));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail(system_error(errno, "cannot read " + in_backticks(path)));
    }
    if (got == 0) {
      break; // it was cut short since
    }
    used += static_cast<std::size_t>(got);
  }
  part.bytes.resize(used);
  return part;
}

std::string document_name(int skill) {
  for (const char* name : {"SKILL.md", "skill.md"}) {
    struct stat status {};

    if (::fstatat(skill, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      return name;
    }
  }
  return {};
}

} // namespace upskill::daemon
