#include "skills/document/yaml_text.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace upskill::document {
namespace {

bool is_plain_ascii(char c) {
  return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t' || c == '\r';
}

// Of well-formed UTF-8 only C1 controls (but U+0085) and the last two of the plane are forbidden.
bool is_forbidden(std::string_view sequence) {
  auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(sequence[i]); };
  if (byte(0) == 0xC2) {
    return byte(1) < 0xA0 && byte(1) != 0x85;
  }
  return byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE;
}

} // namespace

std::size_t find_unprintable(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (static_cast<std::int8_t>(text[at]) >= 0) {
      if (!is_plain_ascii(text[at])) {
        return at;
      }
      ++at;
      continue;
    }
    std::size_t end = at + 1; // a run of non-ASCII, checked as a whole
    while (end < text.size() && static_cast<std::int8_t>(text[end]) < 0) {
      ++end;
    }
    std::string_view run = text.substr(at, end - at);
    std::size_t valid = utf8_valid_prefix(run);
    for (std::size_t i = 0; i < valid;) {
      auto lead = static_cast<std::uint8_t>(run[i]);
      std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
      if (is_forbidden(run.substr(i, length))) {
        return at + i;
      }
      i += length;
    }
    if (valid < run.size()) {
      return at + valid;
    }
    at = end;
  }
  return at;
}

std::size_t line_of(std::string_view text, std::size_t at) {
  std::string_view before = text.substr(0, at);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

} // namespace upskill::document
