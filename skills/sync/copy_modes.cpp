#include "skills/sync/copy_modes.h"

#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "skills/sync/walk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

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

const std::vector<std::string>* CopyModesLookup::scope_of(const std::string& root) const {
  auto found = std::ranges::find_if(m_scopes, [&](const std::vector<std::string>& roots) {
    return std::ranges::find(roots, root) != roots.end();
  });
  return found == m_scopes.end() ? nullptr : &*found;
}

// After the copy that is replaced, or, for a new one, those in the other roots of its scope.
const CopyModes&
CopyModesLookup::of(const std::string& root, const std::string& skill, const Tree& tree) {
  std::string target = join_path(root, skill);

  struct stat status {};

  if (::lstat(target.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    m_last = Last{nullptr, skill, tree.hash(), CopyModes({target}, tree)};
    return m_last->modes;
  }
  const std::vector<std::string>* scope = scope_of(root);
  if (scope != nullptr && m_last && m_last->scope == scope && m_last->skill == skill
      && m_last->tree == tree.hash()) {
    return m_last->modes;
  }
  std::vector<std::string> copies;
  if (scope != nullptr) {
    for (const std::string& other : *scope) {
      copies.push_back(join_path(other, skill));
    }
  }
  CopyModes modes(copies, tree);
  if (!modes.has_copy()) {
    modes = CopyModes::of_root(root, tree);
    scope = nullptr; // another root may be another
  }
  m_last = Last{scope, skill, tree.hash(), std::move(modes)};
  return m_last->modes;
}

} // namespace upskill::sync
