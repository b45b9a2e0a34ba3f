#pragma once
#include <string>
#include <string_view>

namespace upskill::install {

// What a SKILL.md says it is.
struct SkillFront {
  std::string name = {};        // empty where it says none
  std::string description = {}; // likewise
};

// Of the file SKILL.md (or skill.md) in an open folder, whose front is read and no more. Empty
// where it cannot be read.
SkillFront read_front(int folder);

// A text on one line: what is not shown, or turns text around, is a space; single spaces; at most
// `bytes` bytes.
std::string one_line(std::string_view text, std::size_t bytes);

} // namespace upskill::install
