#include "skills/sync/copy_modes.h"

#include "protocol/base/unique_fd.h"
#include "skills/sync/walk.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace upskill::sync {
namespace {

constexpr mode_t k_owner = 0700;
constexpr mode_t k_readable = 0044;
constexpr mode_t k_read_to_run = 2; // bits from r down to x

mode_t most_of(const Entry& entry) {
  return entry.kind == EntryKind::folder || entry.kind == EntryKind::executable ? 0755 : 0644;
}

// What lies there in the entry's place, where it is of its kind.
mode_t granted_to(int copy, const Entry& entry, mode_t otherwise) {
  struct stat status {};

  bool is_there =
      ::fstatat(copy, entry.path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
      && (entry.kind == EntryKind::folder ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode));
  return is_there ? status.st_mode : otherwise;
}

} // namespace

CopyModes::CopyModes(const Tree& tree) {
  m_entries.reserve(tree.entries().size());
  for (const Entry& entry : tree.entries()) {
    m_entries.push_back(most_of(entry));
  }
}

CopyModes::CopyModes(const std::vector<std::string>& copies, const Tree& tree)
    : CopyModes(tree) {
  for (const std::string& copy : copies) {
    restrict_to(copy, tree, true);
  }
}

CopyModes CopyModes::of_root(const std::string& root, const Tree& tree) {
  CopyModes modes(tree);
  modes.restrict_to(root, tree, false); // what lies in it is not of this skill
  modes.m_has_copy = false;
  return modes;
}

void CopyModes::restrict_to(const std::string& copy, const Tree& tree, bool each_entry) {
  UniqueFd folder(open_folder_at(AT_FDCWD, copy.c_str()));

  struct stat status {};

  if (!folder || ::fstat(folder.get(), &status) != 0) {
    return;
  }
  m_has_copy = true;
  m_folder &= k_owner | status.st_mode;
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    const Entry& entry = tree.entries()[i];
    if (entry.kind == EntryKind::link) {
      continue; // has no mode of its own
    }
    mode_t granted = each_entry ? granted_to(folder.get(), entry, status.st_mode) : status.st_mode;
    // Whether it is a program is content: who may read it may then also run it.
    granted |= (granted & k_readable) >> k_read_to_run;
    m_entries[i] &= k_owner | granted;
  }
}

} // namespace upskill::sync
