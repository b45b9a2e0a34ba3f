#pragma once
#include "skills/sync/scan.h"
#include "skills/sync/tree.h"

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace upskill::sync {

// Who else may read a copy that is written. Modes are no content (but for what is a program), so a
// copy is given what the umask leaves of 0755 and 0644, and to group and others no more than they
// have of the copies it is made after: file by file, what is not there by the skill's folder.
class CopyModes {
public:
  // What the umask leaves.
  explicit CopyModes(const Tree& tree);

  // After a copy that was read.
  void follow(const ReadResult& copy, const Tree& tree);
  // After the copy that lies there: two calls, and one for each entry.
  void follow(int root_fd, const std::string& skill, const Tree& tree);
  // Where there is no copy, the root's folder counts for everything.
  void follow_root(const std::string& root);

  mode_t folder() const { return m_folder; } // of the skill itself

  mode_t of(std::size_t entry) const { return m_entries[entry]; } // by its index in the tree

private:
  void restrict(std::size_t entry, mode_t granted);

  mode_t m_folder = 0755;
  std::vector<mode_t> m_entries;
};

} // namespace upskill::sync
