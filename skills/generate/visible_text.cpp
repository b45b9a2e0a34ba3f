#include "skills/generate/visible_text.h"

#include "protocol/base/utf8.h"
#include "skills/document/unicode.h"

#include <cstdint>

namespace upskill::generate {
namespace {

// The code point at `at` of valid UTF-8, and its bytes.
std::uint32_t code_point(std::string_view text, std::size_t at, std::size_t& size) {
  auto lead = static_cast<unsigned char>(text[at]);
  size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t point = size == 1 ? lead : lead & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    point = point << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
  }
  return point;
}

bool is_line_end(std::uint32_t point) {
  return point == '\n' || point == '\r' || point == 0x0B || point == 0x0C || point == 0x85
         || point == 0x2028 || point == 0x2029;
}

bool is_hidden(std::uint32_t point) {
  return (point < 0x20 && point != '\t') || (point >= 0x7F && point < 0xA0) || point == 0xAD
         || point == 0x061C || point == 0x180E || point == 0x200B || point == 0x200E
         || point == 0x200F || (point >= 0x202A && point <= 0x202E)
         || (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF
         || (point >= 0xFFF9 && point <= 0xFFFB) || (point & 0xFFFE) == 0xFFFE
         || (point >= 0xE0000 && point <= 0xE0FFF);
}

} // namespace

VisibleText visible_text(std::string_view text) {
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = to_valid_utf8(text);
    text = repaired;
  }
  VisibleText visible;
  visible.text.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t size = 1;
    std::uint32_t point = code_point(text, at, size);
    if (is_line_end(point)) {
      at += text.substr(at).starts_with("\r\n") ? 1 : 0;
      visible.text += '\n';
    } else if (is_hidden(point)) {
      ++visible.removed;
    } else {
      visible.text += text.substr(at, size);
    }
    at += size;
  }
  return visible;
}

std::string one_line(std::string_view text) {
  std::string line;
  std::string visible = visible_text(text).text;
  for (char c : document::strip(visible)) {
    bool is_space = c == ' ' || c == '\t' || c == '\n';
    if (!is_space) {
      line += c;
    } else if (!line.ends_with(' ')) {
      line += ' ';
    }
  }
  return line;
}

} // namespace upskill::generate
