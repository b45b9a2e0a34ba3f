#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <string>

namespace upskill::store {

// A folder of one process's own in `tmp`, where objects are written before they get their names.
// Locked as long as it lives, so that one lock serves all puts, and nobody's sweep takes it for
// left over. Removed when its owner goes; a killed one leaves it to the next sweep.
class PutFolder {
public:
  PutFolder() = default; // none yet
  PutFolder(PutFolder&& other) noexcept;
  PutFolder& operator=(PutFolder&& other) noexcept;
  ~PutFolder();

  // In the `tmp` of this folder of objects.
  static Result<PutFolder> make(const std::string& objects);
  // Removes the folders of those that were killed.
  static Result<void> sweep(int objects);

  explicit operator bool() const { return static_cast<bool>(m_fd); }

  int fd() const { return m_fd.get(); }

  // A new one each time.
  std::string next_name() { return std::to_string(++m_count); }

private:
  PutFolder(std::string path, UniqueFd fd)
      : m_path(std::move(path))
      , m_fd(std::move(fd)) {}

  void remove();

  std::string m_path;
  UniqueFd m_fd;
  std::uint64_t m_count = 0;
};

} // namespace upskill::store
