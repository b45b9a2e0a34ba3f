#include "daemon/install/scan_folder.h"

#include "protocol/base/bounds.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/danger/scan.h"
#include "skills/library/folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <vector>

namespace upskill::daemon {
namespace {

constexpr std::array<std::string_view, 4> k_version_control{".git", ".hg", ".svn", ".jj"};

// Owner, thread and lifetime: a call of read_for_scan().
class Reading {
public:
  // One file more than a scan looks at, so that it says that there are more.
  bool has_room() const { return m_folder.files.size() <= danger::k_most_files; }

  void read(int at, const std::string& path, std::size_t depth) {
    std::vector<std::string> names;
    library::for_each_name(at, [&](const library::FolderEntry& entry) {
      names.emplace_back(entry.name);
      return names.size() < k_max_skill_entries;
    });
    std::ranges::sort(names);
    for (const std::string& name : names) {
      if (!has_room()) {
        return;
      }
      take(at, name, path.empty() ? name : path + "/" + name, depth);
    }
  }

  ScannedFolder take_folder() { return std::move(m_folder); }

private:
  void take(int at, const std::string& name, const std::string& path, std::size_t depth) {
    struct stat status {};

    if (::fstatat(at, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return;
    }
    if (S_ISDIR(status.st_mode)) {
      UniqueFd folder = library::open_folder(at, name.c_str());
      bool is_skipped = std::ranges::find(k_version_control, name) != k_version_control.end();
      if (folder && !is_skipped && depth < k_max_skill_depth) {
        read(folder.get(), path, depth + 1);
      }
      return;
    }
    danger::SkillFile& file = m_folder.files.emplace_back();
    file.path = path;
    file.is_program = (status.st_mode & S_IXUSR) != 0;
    file.is_set_id = (status.st_mode & (S_ISUID | S_ISGID)) != 0;
    if (S_ISLNK(status.st_mode)) {
      file.link_target = target_of(at, name);
    } else if (S_ISREG(status.st_mode)) {
      m_folder.texts.push_back(text_of(at, name));
      file.bytes = m_folder.texts.back();
    }
  }

  static std::string target_of(int at, const std::string& name) {
    char target[PATH_MAX];
    ssize_t size = ::readlinkat(at, name.c_str(), target, sizeof target);
    return size < 0 ? std::string() : std::string(target, static_cast<std::size_t>(size));
  }

  std::string text_of(int at, const std::string& name) {
    UniqueFd file(::openat(at, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    std::string text;
    std::size_t most = std::min(danger::k_most_looked_at + 1, danger::k_most_in_all - m_bytes);
    while (file && text.size() < most) {
      std::size_t size = text.size();
      text.resize(std::min(most, size + (64u << 10)));
      ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
      text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got <= 0) {
        break;
      }
    }
    m_bytes += text.size();
    return text;
  }

  ScannedFolder m_folder = {};
  std::size_t m_bytes = 0;
};

} // namespace

Result<ScannedFolder> read_for_scan(const std::string& folder) {
  UniqueFd open = library::open_folder(AT_FDCWD, folder.c_str());
  if (!open) {
    int failure = errno;
    return fail(system_error(failure, "cannot open " + in_backticks(folder)));
  }
  Reading reading;
  reading.read(open.get(), {}, 0);
  return reading.take_folder();
}

} // namespace upskill::daemon
