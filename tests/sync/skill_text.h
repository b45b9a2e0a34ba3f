#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace upskill::sync_test {

inline constexpr std::array<const char*, 6> k_names = {
    "alpha", "beta", "gamma", "delta", "echo", "fox"};

inline std::string skill_text(const std::string& name, std::uint32_t value) {
  std::string text = "---\nname: " + name + "\ndescription: d\n---\n";
  for (int line = 0; line < 3; ++line) {
    text += "line " + std::to_string(line) + " is " + std::to_string(value % 4) + "\n";
    text += "\nbetween\n\nthe lines\n\n";
  }
  return text;
}

// The same with one of its lines changed; far enough from the others that edits of two can be
// joined.
inline std::string edited_text(std::string text, std::uint32_t value) {
  std::string start = "line " + std::to_string(value % 3) + " is ";
  std::size_t from = text.find(start);
  std::string line = start + std::to_string(value / 3 % 40);
  if (from == std::string::npos) {
    return text + line + "\n";
  }
  return text.replace(from, text.find('\n', from) - from, line);
}

} // namespace upskill::sync_test
