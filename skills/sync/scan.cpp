#include "skills/sync/scan.h"

#include "protocol/base/bounds.h"
#include "skills/library/names.h"
#include "skills/sync/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <map>

namespace upskill::sync {
namespace {

// splitmix64's finaliser: cheap, and every input bit reaches every output bit.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9U;
  value = (value ^ value >> 27) * 0x94D049BB133111EBU;
  return value ^ value >> 31;
}

std::uint64_t text_hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t value = seed ^ 0xCBF29CE484222325U;
  for (char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  }
  return mixed(value);
}

// Adds one entry; the sum does not depend on the order in which a folder lists its names.
void add_to(Fingerprint& sum, std::uint64_t name, const struct stat& status) {
  std::uint64_t value = name;
  value = mixed(value ^ static_cast<std::uint64_t>(status.st_ino));
  value = mixed(value ^ static_cast<std::uint64_t>(status.st_size));
  value = mixed(value ^ static_cast<std::uint64_t>(nanoseconds(status.st_mtim)));
  value = mixed(value ^ static_cast<std::uint64_t>(nanoseconds(status.st_ctim)));
  value = mixed(value ^ static_cast<std::uint64_t>(status.st_mode));
  sum.low += value;
  sum.high += mixed(value ^ 0x9E3779B97F4A7C15U);
}

bool is_skill_file(std::string_view name) {
  return name == "SKILL.md" || name == "skill.md";
}

enum class Thoroughness { stat, read, read_skills };

// One walk serves both purposes; reading does what a look does, and more.
class SkillWalk {
public:
  SkillWalk(ReadResult& out, Thoroughness thoroughness, std::uint64_t keep_limit)
      : m_out(out)
      , m_reads(thoroughness != Thoroughness::stat)
      , m_only_skills(thoroughness == Thoroughness::read_skills)
      , m_keep_left(keep_limit) {}

  void walk(int folder_fd, const std::string& prefix, std::uint64_t name_seed, std::size_t depth) {
    if (depth > k_max_skill_depth) {
      return problem(prefix, "lies deeper than " + std::to_string(k_max_skill_depth) + " folders");
    }
    FolderNames names;
    if (auto listed = names.read(folder_fd); !listed) {
      return problem(prefix, "cannot be listed");
    }
    if (depth == 0 && m_only_skills) {
      m_reads = std::ranges::any_of(names.names(), [&](const FolderNames::Name& name) {
        return is_skill_file(names.view(name));
      });
    }
    for (const FolderNames::Name& name : names.names()) {
      if (library::ignored_in_skill(names.view(name))) {
        if (m_reads) {
          m_out.ignored.push_back(prefix + names.text(name));
        }
        continue;
      }
      if (++m_entries > k_max_skill_entries) {
        return problem(prefix, "is more than " + std::to_string(k_max_skill_entries) + " entries");
      }
      visit(folder_fd, names, name, prefix, name_seed, depth);
      if (!m_out.stat.problem.empty()) {
        return;
      }
    }
  }

  bool has_skill_file() const { return m_has_skill_file; }

private:
  void visit(int folder_fd,
             const FolderNames& names,
             const FolderNames::Name& name,
             const std::string& prefix,
             std::uint64_t name_seed,
             std::size_t depth) {
    const char* text = names.text(name);
    std::uint64_t name_hash = text_hash(names.view(name), name_seed);

    struct stat status {};

    if (::fstatat(folder_fd, text, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) {
        problem(prefix + text, "cannot be looked at");
      }
      return; // gone since it was listed: the next event tells
    }
    if (S_ISDIR(status.st_mode)) {
      // A folder's times change with every ignored file; its children are counted one by one.
      m_out.stat.fingerprint.low += mixed(name_hash ^ status.st_ino);
      m_out.stat.fingerprint.high += mixed(name_hash + status.st_ino);
      return visit_folder(folder_fd, text, prefix, name_hash, depth, status.st_mode);
    }
    add_to(m_out.stat.fingerprint, name_hash, status);
    note_times(status);
    if (S_ISREG(status.st_mode)) {
      if (depth == 0 && is_skill_file(names.view(name)) && status.st_size > 0) {
        m_has_skill_file = true;
      }
      visit_file(folder_fd, text, prefix, status);
    } else if (S_ISLNK(status.st_mode)) {
      visit_link(folder_fd, text, prefix);
    } else {
      problem(prefix + text, "is neither a file, a folder nor a link");
    }
  }

  void visit_folder(int folder_fd,
                    const char* name,
                    const std::string& prefix,
                    std::uint64_t name_hash,
                    std::size_t depth,
                    mode_t mode) {
    UniqueFd child(open_folder_at(folder_fd, name));
    if (!child) {
      return problem(prefix + name, "cannot be opened");
    }
    if (m_reads) {
      add_entry(prefix + name, EntryKind::folder, mode);
    }
    walk(child.get(), prefix + name + "/", name_hash, depth + 1);
  }

  void visit_file(int folder_fd,
                  const char* name,
                  const std::string& prefix,
                  const struct stat& status) {
    auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > k_max_skill_file) {
      return problem(prefix + name,
                     "is larger than " + std::to_string(k_max_skill_file >> 20) + " MiB");
    }
    m_bytes += size;
    if (m_bytes > k_max_skill_bytes) {
      return problem(prefix + name,
                     "makes the skill larger than " + std::to_string(k_max_skill_bytes >> 20)
                         + " MiB");
    }
    if (!m_reads) {
      return;
    }
    EntryKind kind = (status.st_mode & S_IXUSR) != 0 ? EntryKind::executable : EntryKind::file;
    UniqueFd fd(::openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!fd) {
      return problem(prefix + name, errno == EACCES ? "may not be read" : "cannot be opened");
    }
    std::string bytes;
    if (!read_all(fd.get(), size, bytes)) {
      return problem(prefix + name, "cannot be read");
    }
    Entry& entry = add_entry(prefix + name, kind, status.st_mode);
    entry.size = bytes.size();
    entry.content = sha256(bytes);
    keep(std::move(bytes));
  }

  void visit_link(int folder_fd, const char* name, const std::string& prefix) {
    char target[PATH_MAX];
    ssize_t length = ::readlinkat(folder_fd, name, target, sizeof target);
    if (length < 0) {
      return problem(prefix + name, "cannot be read as a link");
    }
    std::string_view text(target, static_cast<std::size_t>(length));
    if (!link_stays_inside(prefix + name, text)) {
      return problem(prefix + name, "is a link that leaves the skill");
    }
    if (m_reads) {
      Entry& entry = add_entry(prefix + name, EntryKind::link, 0);
      entry.target = text;
      entry.content = sha256(text);
    }
  }

  // Reads to the end: the file may have grown since it was looked at, up to the bound.
  static bool read_all(int fd, std::uint64_t expected, std::string& bytes) {
    bytes.resize(expected + 1);
    std::size_t used = 0;
    for (;;) {
      if (used == bytes.size()) {
        if (used > k_max_skill_file) {
          return false;
        }
        bytes.resize(used * 2);
      }
      ssize_t got = ::read(fd, bytes.data() + used, bytes.size() - used);
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        return false;
      }
      used += static_cast<std::size_t>(got);
      // Less than asked for is the end; should it have grown since, its times will show it.
      if (got == 0 || used == expected) {
        bytes.resize(used);
        return true;
      }
    }
  }

  Entry& add_entry(std::string path, EntryKind kind, mode_t mode) {
    m_raw.emplace_back();
    m_raw.back().path = std::move(path);
    m_raw.back().kind = kind;
    m_raw_contents.emplace_back();
    m_raw_modes.push_back(mode);
    return m_raw.back();
  }

  void keep(std::string bytes) {
    if (bytes.size() <= m_keep_left) {
      m_keep_left -= bytes.size();
      m_raw_contents.back() = std::move(bytes);
    } else {
      m_keep_left = 0;
      m_kept_all = false;
    }
  }

  void note_times(const struct stat& status) {
    std::int64_t modified = nanoseconds(status.st_mtim);
    m_out.stat.newest_mtime_ns = std::max(m_out.stat.newest_mtime_ns, modified);
    m_out.stat.newest_change_ns =
        std::max({m_out.stat.newest_change_ns, modified, nanoseconds(status.st_ctim)});
  }

  void problem(const std::string& path, const std::string& what) {
    if (m_out.stat.problem.empty()) {
      m_out.stat.problem = "`" + path + "` " + what;
    }
  }

public:
  // Moves what was read into the result, sorted, and looks for names that collide.
  void finish() {
    std::vector<std::size_t> order(m_raw.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::string_view(m_raw[i].path); });
    std::vector<Entry> entries;
    entries.reserve(order.size());
    for (std::size_t i : order) {
      entries.push_back(std::move(m_raw[i]));
      m_out.modes.push_back(m_raw_modes[i]);
      if (m_kept_all) {
        m_out.contents.push_back(std::move(m_raw_contents[i]));
      }
    }
    std::map<std::string, std::string_view> folded;
    for (const Entry& entry : entries) {
      auto [at, fresh] = folded.emplace(library::folded_key(entry.path), entry.path);
      if (!fresh) {
        problem(entry.path,
                "and `" + std::string(at->second) + "` are one name on some file systems");
        break;
      }
    }
    m_out.tree = Tree(std::move(entries));
  }

private:
  ReadResult& m_out;
  bool m_reads;
  bool m_only_skills;
  std::uint64_t m_keep_left;
  bool m_kept_all = true;
  bool m_has_skill_file = false;
  std::size_t m_entries = 0;
  std::uint64_t m_bytes = 0;
  std::vector<Entry> m_raw;
  std::vector<std::string> m_raw_contents;
  std::vector<mode_t> m_raw_modes;
};

// What lies at the skill's own place; opens it when it is a folder.
StatResult look_at(int root_fd, const std::string& name, UniqueFd& folder, mode_t& mode) {
  StatResult result;

  struct stat status {};

  if (::fstatat(root_fd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) {
      result.presence = Presence::problem;
      result.problem = system_error(errno, "`" + name + "` cannot be looked at").message;
    }
    return result;
  }
  if (S_ISLNK(status.st_mode)) {
    char target[PATH_MAX];
    ssize_t length = ::readlinkat(root_fd, name.c_str(), target, sizeof target);
    result.presence = Presence::link;
    result.link_target.assign(target, length > 0 ? static_cast<std::size_t>(length) : 0);
    result.newest_change_ns = nanoseconds(status.st_ctim);
    return result;
  }
  if (!S_ISDIR(status.st_mode)) {
    result.presence = Presence::problem;
    result.problem = "`" + name + "` is not a folder";
    result.is_no_folder = true;
    return result;
  }
  folder.reset(open_folder_at(root_fd, name.c_str()));
  if (!folder) {
    result.presence = errno == ENOENT ? Presence::absent : Presence::problem;
    result.problem = system_error(errno, "`" + name + "` cannot be opened").message;
    return result;
  }
  mode = status.st_mode;
  // The folder's inode: replacing the whole folder by an equal one must show.
  result.fingerprint.low = mixed(status.st_ino);
  result.fingerprint.high = mixed(~static_cast<std::uint64_t>(status.st_ino));
  result.presence = Presence::copy;
  return result;
}

void judge(StatResult& stat, bool has_skill_file) {
  if (!stat.problem.empty()) {
    stat.presence = Presence::problem;
    stat.fingerprint = {};
  } else if (!has_skill_file) {
    stat.presence = Presence::incomplete;
  }
}

} // namespace

StatResult stat_skill(int root_fd, std::string_view name) {
  UniqueFd folder;
  ReadResult result;
  result.stat = look_at(root_fd, std::string(name), folder, result.folder_mode);
  if (folder) {
    SkillWalk walk(result, Thoroughness::stat, 0);
    walk.walk(folder.get(), {}, 0, 0);
    judge(result.stat, walk.has_skill_file());
  }
  return std::move(result.stat);
}

ReadResult read_skill(int root_fd, std::string_view name, ReadOptions options) {
  UniqueFd folder;
  ReadResult result;
  result.stat = look_at(root_fd, std::string(name), folder, result.folder_mode);
  if (folder) {
    SkillWalk walk(result,
                   options.only_skills ? Thoroughness::read_skills : Thoroughness::read,
                   options.keep_contents ? options.keep_limit : 0);
    walk.walk(folder.get(), {}, 0, 0);
    walk.finish();
    judge(result.stat, walk.has_skill_file());
    if (!options.keep_contents) {
      result.contents.clear();
    }
  }
  return result;
}

} // namespace upskill::sync
