#pragma once
#include "protocol/base/unique_fd.h"
#include "skills/sync/tree.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace upskill::sync {

// Who else may read a copy that is written. Modes are no content (but for what is a program), so a
// copy is given what the umask leaves of 0755 and 0644, and to group and others no more than they
// have of the copies it is made after: file by file, what is not there by the skill's folder.
class CopyModes {
public:
  // `copies` are folders of the skill; those that are none are passed over. Where none is left,
  // the root's folder is what counts.
  CopyModes(const std::vector<std::string>& copies, const std::string& root);

  mode_t folder() const; // of the skill itself
  mode_t of(const Entry& entry) const;

private:
  struct Copy {
    UniqueFd folder;
    mode_t mode;
  };

  std::vector<Copy> m_copies;
};

} // namespace upskill::sync
