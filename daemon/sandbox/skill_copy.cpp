#include "daemon/sandbox/skill_copy.h"

#include "daemon/sandbox/confined_files.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/library/beneath.h"
#include "skills/library/names.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <string_view>

namespace upskill::sandbox {
namespace {

// Files of test cases, wherever they lie in the skill (skills/eval, README.md).
constexpr std::array<std::string_view, 8> k_graded_by = {"skill_meta.json",
                                                         "evals.json",
                                                         "eval_metadata.json",
                                                         "grading.json",
                                                         "trigger_evals.json",
                                                         "trigger_eval.json",
                                                         "triggers.json",
                                                         "benchmark.json"};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Where an open file lies, links resolved; empty where the system does not say.
std::string place_of(int fd) {
  std::string link = "/proc/self/fd/" + std::to_string(fd);
  char place[PATH_MAX];
  ssize_t size = ::readlink(link.c_str(), place, sizeof place);
  bool is_whole = size > 0 && size < static_cast<ssize_t>(sizeof place);
  return is_whole ? std::string(place, static_cast<std::size_t>(size)) : std::string();
}

class Copying {
public:
  Copying(int skill, int into, const std::vector<std::string>& left_out)
      : m_skill(skill)
      , m_into(into) {
    for (const std::string& path : left_out) {
      m_left_out.push_back(normalized_path(path, "/"));
    }
  }

  // `path` is empty, or ends with a slash.
  Result<void> copy_folder(const std::string& path, std::size_t depth) {
    if (depth > k_max_skill_depth) {
      return too_large("has folders that lie too deep");
    }
    UniqueFd folder = library::open_beneath(
        m_skill, path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    std::unique_ptr<DIR, CloseFolder> reader(folder ? ::fdopendir(folder.get()) : nullptr);
    if (!reader) {
      return fail(system_error(errno, "the skill's folder " + in_backticks(path)));
    }
    folder.release();
    while (const dirent* entry = ::readdir(reader.get())) {
      std::string name = entry->d_name;
      if (name != "." && name != ".." && !is_left_out(path, name)) {
        TRY(copy_entry(path, name, depth));
      }
    }
    return {};
  }

private:
  bool is_left_out(const std::string& path, const std::string& name) const {
    return library::ignored_in_skill(name) || (path.empty() && name == "evals")
           || std::ranges::find(k_graded_by, name) != k_graded_by.end()
           || std::ranges::find(m_left_out, "/" + path + name) != m_left_out.end();
  }

  // A link of the skill's may lead to what it is graded by.
  bool leads_to_left_out(int file) const {
    std::string base = place_of(m_skill);
    std::string place = place_of(file);
    if (base.empty() || !is_inside(place, base)) {
      return true; // renamed meanwhile, or the system does not say
    }
    std::string_view rest = std::string_view(place).substr(std::min(base.size() + 1, place.size()));
    std::string path;
    while (!rest.empty()) {
      std::string part(rest.substr(0, rest.find('/')));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      if (is_left_out(path, part)) {
        return true;
      }
      path += part + "/";
    }
    return false;
  }

  Result<void> copy_entry(const std::string& path, const std::string& name, std::size_t depth) {
    if (++m_entries > k_max_skill_entries) {
      return too_large("has too many files");
    }
    std::string from = path + name;
    UniqueFd folder =
        library::open_beneath(m_skill, from.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (folder) {
      return copy_folder(from + "/", depth + 1);
    }
    UniqueFd file = library::open_beneath(m_skill, from.c_str(), O_RDONLY);

    struct stat about {};

    if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
      return {}; // a link to elsewhere, a socket, what may not be read: none of the skill's
    }
    if (leads_to_left_out(file.get())) {
      return {};
    }
    m_bytes += static_cast<std::size_t>(about.st_size);
    if (m_bytes > k_max_skill_bytes) {
      return too_large("is too large");
    }
    TRY_ASSIGN(std::string bytes, read_all(file.get(), from));
    return put(path.empty() && name == "skill.md" ? "SKILL.md" : from, bytes, about.st_mode);
  }

  Result<std::string> read_all(int file, const std::string& name) {
    std::string bytes;
    for (;;) {
      constexpr std::size_t k_piece = 64u << 10;
      std::size_t had = bytes.size();
      bytes.resize(had + k_piece);
      ssize_t count = ::read(file, bytes.data() + had, k_piece);
      if (count < 0) {
        return fail(system_error(errno, in_backticks(name)));
      }
      bytes.resize(had + static_cast<std::size_t>(count));
      if (bytes.size() > k_max_skill_file) {
        return too_large("has a file that is too large");
      }
      if (count == 0) {
        return bytes;
      }
    }
  }

  Result<void> put(const std::string& path, const std::string& bytes, mode_t mode) {
    TRY(write_confined(m_into, path, bytes));
    ::fchmodat(
        m_into, path.c_str(), (mode & S_IXUSR) != 0 ? 0555 : 0444, 0); // ours alone: no links
    return {};
  }

  static tl::unexpected<Error> too_large(std::string_view why) {
    return fail(ErrorCode::too_large, "the skill " + std::string(why));
  }

  int m_skill;
  int m_into;
  std::vector<std::string> m_left_out = {};
  std::size_t m_entries = 0;
  std::size_t m_bytes = 0;
};

} // namespace

Result<std::string> copy_skill(int skill,
                               const PrivateFolder& into,
                               const std::string& name,
                               const std::vector<std::string>& left_out) {
  if (library::refused_name(name)) {
    return fail(ErrorCode::invalid_argument, in_backticks(name) + " is no name for a folder");
  }
  if (::mkdirat(into.fd(), name.c_str(), 0755) != 0) {
    return fail(system_error(errno, "the copy of " + in_backticks(name)));
  }
  UniqueFd copy(::openat(into.fd(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!copy) {
    return fail(system_error(errno, "the copy of " + in_backticks(name)));
  }
  TRY(Copying(skill, copy.get(), left_out).copy_folder("", 1));
  return join_path(into.path(), name);
}

} // namespace upskill::sandbox
