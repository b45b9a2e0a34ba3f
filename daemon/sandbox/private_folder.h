#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <string>

namespace upskill::sandbox {

// Where private folders are made: $TMPDIR, or /tmp, so that what a killed daemon leaves goes with
// the next start of the machine.
std::string temporary_parent();

// A folder that nobody else may enter (0700), removed with everything in it when this goes,
// whatever was put there. Blocks; on the disk's time. Owner: one. Thread: any, one at a time.
class PrivateFolder {
public:
  // In `parent`, which must be absolute and exist.
  static Result<PrivateFolder> make(const std::string& parent = temporary_parent());

  PrivateFolder(PrivateFolder&&) = default;
  PrivateFolder& operator=(PrivateFolder&& other) noexcept;
  ~PrivateFolder();

  const std::string& path() const { return m_path; } // absolute, no links

  int fd() const { return m_fd.get(); } // of the folder itself

private:
  PrivateFolder(std::string path, UniqueFd fd)
      : m_path(std::move(path))
      , m_fd(std::move(fd)) {}

  void remove();

  std::string m_path;
  UniqueFd m_fd; // none once it was moved from
};

// Empties an open folder: links are removed and never followed, folders that may not be entered are
// opened up first, and neither depth nor number costs memory or descriptors. What is made meanwhile
// goes, too, unless it is made faster than it is removed.
Result<void> remove_contents(int folder);

} // namespace upskill::sandbox
