#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::sync {

// The names in an open folder with their d_type, `.` and `..` left out. Raw getdents: opendir's
// buffer alone costs more than a skill's folder holds. All names lie in one string.
class FolderNames {
public:
  struct Name {
    std::uint32_t offset;
    std::uint16_t length;
    std::uint8_t type; // DT_*
  };

  // Reads from where the descriptor stands, which is the start when it was just opened. Errors: the
  // system's, without a path.
  Result<void> read(int folder_fd);

  const std::vector<Name>& names() const { return m_names; }

  // Zero-terminated.
  const char* text(const Name& name) const { return m_text.data() + name.offset; }

  std::string_view view(const Name& name) const { return {text(name), name.length}; }

private:
  std::vector<Name> m_names;
  std::string m_text;
};

// Opens a folder below another without following a link at its last part; negative on failure.
int open_folder_at(int folder_fd, const char* name);

std::int64_t nanoseconds(const struct timespec& time);

} // namespace upskill::sync
