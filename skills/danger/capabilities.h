#pragma once
#include "skills/danger/file_view.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace upskill::danger {

// Something that a skill may do or reach, and where it says so.
struct Capability {
  std::string what;   // as it is written, cleaned
  std::size_t at = 0; // bytes in its file
};

// The entries of `allowed-tools`, a list or a text with commas or spaces: `Bash(git:*)`.
std::vector<Capability> allowed_tools(const FileView& document);
// The commands of `hooks`.
std::vector<Capability> hook_commands(const FileView& document);
// The commands of !`command`.
std::vector<Capability> load_commands(const FileView& document);
// The programs that lines of shell begin with: in fences of markdown and in scripts.
std::vector<Capability> shell_commands(const FileView& view);

// Whether a tool may do everything that one can do with a computer: `*`, `Bash`, `Bash(*)`.
bool is_unlimited(std::string_view tool);
// Whether whoever has `wide` has `narrow` already: `Bash(git:*)` and `Bash(git:log)`.
bool covers(std::string_view wide, std::string_view narrow);

} // namespace upskill::danger
