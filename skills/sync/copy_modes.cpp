#include "skills/sync/copy_modes.h"

#include "protocol/base/unique_fd.h"
#include "skills/sync/walk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <optional>

namespace upskill::sync {
namespace {

constexpr mode_t k_owner = 0700;
constexpr mode_t k_readable = 0044;
constexpr mode_t k_read_to_run = 2; // bits from r down to x

mode_t most_of(const Entry& entry) {
  return entry.kind == EntryKind::folder || entry.kind == EntryKind::executable ? 0755 : 0644;
}

bool is_folder(const Entry& entry) {
  return entry.kind == EntryKind::folder;
}

} // namespace

CopyModes::CopyModes(const Tree& tree) {
  m_entries.reserve(tree.entries().size());
  for (const Entry& entry : tree.entries()) {
    m_entries.push_back(most_of(entry));
  }
}

void CopyModes::restrict(std::size_t entry, mode_t granted) {
  // Whether it is a program is content: who may read it may then also run it.
  granted |= (granted & k_readable) >> k_read_to_run;
  m_entries[entry] &= k_owner | granted;
}

void CopyModes::follow(const ReadResult& copy, const Tree& tree) {
  m_folder &= k_owner | copy.folder_mode;
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    const Entry& entry = tree.entries()[i];
    const Entry* there = copy.tree.find(entry.path);
    bool is_alike =
        there != nullptr && there->kind != EntryKind::link && is_folder(*there) == is_folder(entry);
    restrict(i,
             is_alike ? copy.modes[static_cast<std::size_t>(there - copy.tree.entries().data())]
                      : copy.folder_mode);
  }
}

void CopyModes::follow(int root_fd, const std::string& skill, const Tree& tree) {
  UniqueFd folder(open_folder_at(root_fd, skill.c_str()));

  struct stat own {};

  if (!folder || ::fstat(folder.get(), &own) != 0) {
    return; // gone since it was looked at
  }
  m_folder &= k_owner | own.st_mode;
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    const Entry& entry = tree.entries()[i];

    struct stat status {};

    bool is_alike = ::fstatat(folder.get(), entry.path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
                    && (is_folder(entry) ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode));
    restrict(i, is_alike ? status.st_mode : own.st_mode);
  }
}

void CopyModes::follow_root(const std::string& root) {
  struct stat status {};

  if (::stat(root.c_str(), &status) != 0) {
    return;
  }
  m_folder &= k_owner | status.st_mode;
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    restrict(i, status.st_mode);
  }
}

} // namespace upskill::sync
