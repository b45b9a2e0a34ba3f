#include "skills/sync/copy_modes.h"

#include "skills/sync/walk.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace upskill::sync {
namespace {

constexpr mode_t k_owner = 0700;
constexpr mode_t k_readable = 0044;
constexpr mode_t k_read_to_run = 2; // bits from r down to x

} // namespace

CopyModes::CopyModes(const std::vector<std::string>& copies, const std::string& root) {
  auto add = [this](const std::string& path) {
    UniqueFd folder(open_folder_at(AT_FDCWD, path.c_str()));

    struct stat status {};

    if (folder && ::fstat(folder.get(), &status) == 0) {
      m_copies.push_back({std::move(folder), status.st_mode});
    }
  };
  for (const std::string& copy : copies) {
    add(copy);
  }
  if (m_copies.empty()) {
    add(root);
    if (!m_copies.empty()) {
      m_copies.front().folder.reset(); // what lies in it is not of this skill
    }
  }
}

mode_t CopyModes::folder() const {
  mode_t mode = 0755;
  for (const Copy& copy : m_copies) {
    mode &= k_owner | copy.mode;
  }
  return mode;
}

mode_t CopyModes::of(const Entry& entry) const {
  bool is_folder = entry.kind == EntryKind::folder;
  mode_t mode = is_folder || entry.kind == EntryKind::executable ? 0755 : 0644;
  for (const Copy& copy : m_copies) {
    struct stat status {};

    mode_t granted = copy.mode;
    if (copy.folder
        && ::fstatat(copy.folder.get(), entry.path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
        && (is_folder ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode))) {
      granted = status.st_mode;
    }
    // Whether it is a program is content: who may read it may then also run it.
    granted |= (granted & k_readable) >> k_read_to_run;
    mode &= k_owner | granted;
  }
  return mode;
}

} // namespace upskill::sync
