#include "skills/library/listing.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
#include "skills/library/beneath.h"
#include "skills/library/document_file.h"
#include "skills/library/folder.h"
#include "skills/library/names.h"
#include "skills/library/nested.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace upskill::library {
namespace {

using State = DocumentFile::State;

void take_document(Entry& entry, const DocumentFile& document) {
  entry.lower_case_document = document.lower_case;
  entry.mtime_ns = document.mtime_ns;
  entry.size = document.size;
}

// The end of a sentence about a skill without a usable SKILL.md.
std::string_view why_incomplete(const DocumentFile& document) {
  switch (document.state) {
  case State::present:
  case State::unreadable:
    break;
  case State::missing:
    return "has no `SKILL.md`";
  case State::empty:
    return "has an empty `SKILL.md`";
  case State::not_a_file:
    return "has a `SKILL.md` that is not a file";
  case State::leaves:
    return "has a `SKILL.md` that is a link to what is no part of the skill";
  }
  return {};
}

class Lister {
public:
  Lister(const Root& root, std::span<const Root> roots, ListOptions options)
      : m_root(root)
      , m_roots(roots)
      , m_options(options)
      , m_names_left(options.nested_names + 1) {}

  Listing run() {
    if (!m_root.exists()) {
      return std::move(m_listing);
    }
    m_fd = open_folder(AT_FDCWD, m_root.real_path.c_str());
    if (!m_fd) {
      problem(in_backticks(m_root.path) + " cannot be read", errno);
      return std::move(m_listing);
    }
    int error = for_each_name(m_fd.get(), [this](const FolderEntry& entry) { return name(entry); });
    if (error != 0) {
      problem(in_backticks(m_root.path) + " cannot be read to its end", error);
    }
    std::ranges::sort(m_listing.entries, {}, &Entry::name);
    std::vector<bool> keep(m_listing.entries.size());
    for (std::size_t i = 0; i < keep.size(); ++i) {
      keep[i] = examine(m_listing.entries[i]);
    }
    std::size_t index = 0;
    std::erase_if(m_listing.entries, [&](const Entry&) { return !keep[index++]; });
    if (m_names_left == 0) {
      m_listing.problems.push_back(in_backticks(m_root.path) + " holds more than "
                                   + std::to_string(m_options.nested_names)
                                   + " names below its skills; not all were looked at");
    }
    return std::move(m_listing);
  }

private:
  void problem(std::string what, int error) {
    m_listing.problems.push_back(std::move(what) + ": " + std::strerror(error));
  }

  // Collects a name worth looking at. Nothing is asked of the system while the folder is read.
  bool name(const FolderEntry& entry) {
    std::string_view text = entry.name;
    if (text == "SKILL.md" || text == "skill.md") {
      m_listing.own_document = true;
    }
    bool may_be_skill = entry.type == DT_DIR || entry.type == DT_LNK || entry.type == DT_UNKNOWN;
    if (!may_be_skill || text.front() == '.' || ignored_name(text)
        || std::ranges::find(m_root.never_touch, text) != m_root.never_touch.end()) {
      return true;
    }
    if (m_listing.entries.size() == k_max_skills_per_root) {
      m_listing.problems.push_back(in_backticks(m_root.path)
                                   + " holds more than 100,000 folders; the rest is left out");
      return false;
    }
    m_listing.entries.emplace_back().name = text;
    return true;
  }

  void mark(Entry& entry, EntryKind kind, std::string_view rest) const {
    entry.kind = kind;
    entry.reason = in_backticks(join_path(m_root.path, entry.name)) + " " + std::string(rest);
  }

  bool has_sibling(std::string_view sibling) const {
    return std::ranges::binary_search(m_listing.entries, sibling, {}, [](const Entry& entry) {
      return std::string_view(entry.name);
    });
  }

  // False for what is nothing of ours, here and below.
  bool examine(Entry& entry) {
    struct stat status {};

    if (::fstatat(m_fd.get(), entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      int error = errno;
      mark(entry, EntryKind::problem, std::string("cannot be looked at: ") + std::strerror(error));
      return error != ENOENT;
    }
    if (S_ISLNK(status.st_mode)) {
      return examine_link(entry);
    }
    if (!S_ISDIR(status.st_mode)) {
      return false;
    }
    entry.device = status.st_dev;
    entry.inode = status.st_ino;
    return examine_folder(entry);
  }

  bool examine_folder(Entry& entry) {
    DocumentFile document = find_document(m_fd.get(), entry.name);
    std::string_view owner = workspace_owner(entry.name);
    if (!owner.empty()
        && is_workspace(entry.name, has_sibling(owner), document.state != State::missing)) {
      return false;
    }
    if (auto refused = refused_name(entry.name)) {
      mark(entry, EntryKind::problem, "is left alone: its name " + *refused);
      return true;
    }
    take_document(entry, document);
    bool missing = document.state == State::missing;
    if (document.state == State::unreadable || (missing && !is_readable(entry.name))) {
      int error = missing ? errno : document.error;
      mark(entry, EntryKind::problem, std::string("cannot be read: ") + std::strerror(error));
      return true;
    }
    if (m_names_left > 0 && (missing || m_options.nesting == Nesting::all)) {
      entry.nested = find_nested(m_fd.get(), entry.name, m_names_left);
    }
    if (missing && !entry.nested.empty()) {
      mark(entry, EntryKind::group, "is no skill and holds skills further down");
    } else if (document.state != State::present) {
      mark(entry, EntryKind::incomplete, why_incomplete(document));
    }
    return true;
  }

  bool is_readable(const std::string& name) const {
    return ::faccessat(m_fd.get(), name.c_str(), R_OK | X_OK, AT_EACCESS) == 0;
  }

  bool examine_link(Entry& entry) {
    struct stat status {};

    if (::fstatat(m_fd.get(), entry.name.c_str(), &status, 0) != 0) {
      bool broken = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
      mark(entry,
           broken ? EntryKind::broken_link : EntryKind::problem,
           errno == ELOOP ? std::string("is a link that leads in a circle")
           : broken       ? std::string("is a link that leads nowhere")
                    : std::string("is a link that cannot be followed: ") + std::strerror(errno));
      return true;
    }
    if (!S_ISDIR(status.st_mode)) {
      return false;
    }
    entry.device = status.st_dev;
    entry.inode = status.st_ino;
    char buffer[PATH_MAX];
    if (::realpath(join_path(m_root.real_path, entry.name).c_str(), buffer) == nullptr) {
      mark(entry, EntryKind::problem, "is a link that cannot be resolved");
      return true;
    }
    entry.target = buffer;
    if (auto refused = refused_name(entry.name)) {
      mark(entry, EntryKind::problem, "is left alone: its name " + *refused);
    } else if (is_inside(m_root.real_path, entry.target)) {
      mark(entry, EntryKind::broken_link, "is a link to what holds it");
    } else {
      place_link(entry);
    }
    return true;
  }

  // Whose skill the target is. Roots are told by device and inode, so that a bind mount counts.
  void place_link(Entry& entry) {
    struct stat parent {};

    std::string holder = parent_path(entry.target);
    const Root* owner = nullptr;
    if (::stat(holder.c_str(), &parent) == 0) {
      for (const Root& root : m_roots) {
        if (root.exists() && root.device == parent.st_dev && root.inode == parent.st_ino) {
          owner = owner == nullptr || root.state == RootState::ok ? &root : owner;
        }
      }
    }
    DocumentFile document = find_document(AT_FDCWD, entry.target);
    take_document(entry, document);
    bool here = parent.st_dev == m_root.device && parent.st_ino == m_root.inode;
    std::string target = in_backticks(entry.target);
    if (here) {
      mark(entry, EntryKind::alias, "is a link to " + target + " of the same root");
    } else if (owner == nullptr || owner->state == RootState::refused) {
      mark(entry,
           EntryKind::outside_link,
           "is a link to " + target + ", which is no skill of a known root");
    } else if (owner->scope != m_root.scope || owner->project != m_root.project) {
      mark(entry, EntryKind::outside_link, "is a link to " + target + " of another scope");
    } else {
      mark(entry, EntryKind::link, "is a link to " + target);
      if (std::string_view incomplete = why_incomplete(document); !incomplete.empty()) {
        entry.reason += ", which " + std::string(incomplete);
      }
    }
  }

  const Root& m_root;
  std::span<const Root> m_roots;
  ListOptions m_options;
  UniqueFd m_fd;
  Listing m_listing;
  std::size_t m_names_left; // one more than allowed, so that 0 says that there were more
};

} // namespace

Listing list_root(const Root& root, std::span<const Root> roots, ListOptions options) {
  return Lister(root, roots, options).run();
}

std::vector<std::string> troubles(const Listing& listing) {
  std::vector<std::string> sentences = listing.problems;
  for (const Entry& entry : listing.entries) {
    bool in_order = entry.kind == EntryKind::skill || entry.kind == EntryKind::group
                    || (entry.kind == EntryKind::link && entry.has_document());
    if (!in_order) {
      sentences.push_back(entry.reason);
    }
  }
  return sentences;
}

Result<std::string> read_document(const Root& root, const Entry& entry, std::size_t limit) {
  const char* file = entry.lower_case_document ? "skill.md" : "SKILL.md";
  std::string path = join_path(join_path(root.path, entry.name), file);
  if (entry.kind != EntryKind::skill) {
    return fail(ErrorCode::unsupported,
                in_backticks(path) + " is not read, it belongs to no complete skill");
  }
  UniqueFd folder = open_folder(AT_FDCWD, root.real_path.c_str());
  UniqueFd skill = folder ? open_folder(folder.get(), entry.name.c_str()) : UniqueFd();
  UniqueFd fd = skill ? open_beneath(skill.get(), file, O_RDONLY) : UniqueFd();
  if (!fd && (errno == EXDEV || errno == ELOOP)) {
    return fail(ErrorCode::refused,
                in_backticks(path) + " is a link to what is no part of the skill",
                "put the file itself there");
  }

  struct stat status {};

  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return fail(system_error(errno, "cannot read " + in_backticks(path)));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::refused, in_backticks(path) + " is not a file");
  }
  std::string bytes;
  // One byte more than the file had, so that its end is seen in one call.
  std::size_t room = std::min(limit, static_cast<std::size_t>(status.st_size)) + 1;
  for (;;) {
    std::size_t used = bytes.size();
    bytes.resize(used + room);
    ssize_t got = ::read(fd.get(), bytes.data() + used, room);
    bytes.resize(used + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno != EINTR) {
      return fail(system_error(errno, "cannot read " + in_backticks(path)));
    }
    if (bytes.size() > limit) {
      return fail(ErrorCode::too_large,
                  in_backticks(path) + " holds more than " + std::to_string(limit) + " bytes");
    }
    if (got == 0) {
      return bytes;
    }
  }
}

} // namespace upskill::library
