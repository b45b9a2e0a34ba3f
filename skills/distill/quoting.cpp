#include "skills/distill/quoting.h"

#include "protocol/base/utf8.h"

#include <cstdint>

namespace upskill::distill {
namespace {

// The code point at `at` of valid UTF-8, and its bytes.
std::uint32_t code_point(std::string_view text, std::size_t at, std::size_t& size) {
  unsigned char lead = static_cast<unsigned char>(text[at]);
  size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t point = size == 1 ? lead : lead & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    point = point << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
  }
  return point;
}

bool is_line_end(std::uint32_t point) {
  return point == '\n' || point == 0x0B || point == 0x0C || point == 0x85 || point == 0x2028
         || point == 0x2029;
}

bool is_hidden(std::uint32_t point) {
  return (point < 0x20 && point != '\t') || (point >= 0x7F && point < 0xA0) || point == 0x200B
         || point == 0x200E || point == 0x200F || (point >= 0x202A && point <= 0x202E)
         || (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF
         || (point >= 0xE0000 && point <= 0xE0FFF);
}

} // namespace

void append_quoted(std::string& out, std::string_view text) {
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = to_valid_utf8(text);
    text = repaired;
  }
  out += text.empty() ? "" : " | ";
  for (std::size_t at = 0; at < text.size();) {
    std::size_t size = 1;
    std::uint32_t point = code_point(text, at, size);
    if (is_line_end(point)) {
      out += "\n| ";
    } else if (!is_hidden(point)) {
      out += text.substr(at, size);
    }
    at += size;
  }
  out += '\n';
}

std::string safe_name(std::string_view name) {
  constexpr std::size_t k_longest = 80;
  std::string safe(name.substr(0, k_longest));
  for (char& c : safe) {
    bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                    || std::string_view("_.:/-").find(c) != std::string_view::npos;
    c = is_plain ? c : '?';
  }
  return safe;
}

} // namespace upskill::distill
