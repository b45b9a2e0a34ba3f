#pragma once
#include <cstdint>
#include <string>

namespace upskill::library {

// SKILL.md of one skill, as the file system shows it.
struct DocumentFile {
  enum class State {
    present,
    missing,
    empty,
    not_a_file,
    leaves,
    unreadable
  } state = State::missing;
  bool lower_case = false;
  std::int64_t mtime_ns = 0;
  std::int64_t size = 0;
  int error = 0; // errno of `unreadable`
};

// Looks for SKILL.md, then skill.md, in the folder `name` below the open folder `at`. A link is
// followed as long as it leads to what belongs to the skill.
DocumentFile find_document(int at, const std::string& name);

} // namespace upskill::library
