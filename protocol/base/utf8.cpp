#include "protocol/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace upskill {
namespace {

// Length of the well-formed sequence at `at`, or 0 (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  auto continues = [&](std::size_t i, std::uint8_t low, std::uint8_t high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  std::uint8_t lead = byte(at);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return continues(at + 1, 0x80, 0xBF) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    std::uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;
    std::uint8_t high = lead == 0xED ? 0x9F : 0xBF;
    return continues(at + 1, low, high) && continues(at + 2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    std::uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
    std::uint8_t high = lead == 0xF4 ? 0x8F : 0xBF;
    return continues(at + 1, low, high) && continues(at + 2, 0x80, 0xBF)
                   && continues(at + 3, 0x80, 0xBF)
               ? 4
               : 0;
  }
  return 0;
}

} // namespace

std::size_t utf8_valid_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    // Eight ASCII bytes at a time: most of what is checked is, and messages are checked whole.
    std::uint64_t word = 0;
    while (text.size() - at >= sizeof word) {
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & 0x8080808080808080) != 0) {
        break;
      }
      at += sizeof word;
    }
    if (at == text.size()) {
      break;
    }
    std::size_t length = sequence_length(text, at);
    if (length == 0) {
      return at;
    }
    at += length;
  }
  return at;
}

bool is_utf8(std::string_view text) {
  return utf8_valid_prefix(text) == text.size();
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t valid = utf8_valid_prefix(text);
    out += text.substr(0, valid);
    text.remove_prefix(valid);
    if (!text.empty()) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string in_backticks(std::string_view text) {
  return "`" + to_valid_utf8(text) + "`";
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    std::size_t length = sequence_length(text, at);
    at += length == 0 ? 1 : length;
  }
  return count;
}

std::size_t utf8_size(char32_t point) {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 || point > 0x10FFFF ? 3 : 4;
}

void append_code_point(std::string& out, char32_t point) {
  if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
    point = 0xFFFD;
  }
  auto inner = [&](unsigned shift) { return static_cast<char>(0x80 | (point >> shift & 0x3F)); };
  switch (utf8_size(point)) {
  case 1:
    out += static_cast<char>(point);
    break;
  case 2:
    out += {static_cast<char>(0xC0 | point >> 6), inner(0)};
    break;
  case 3:
    out += {static_cast<char>(0xE0 | point >> 12), inner(6), inner(0)};
    break;
  default:
    out += {static_cast<char>(0xF0 | point >> 18), inner(12), inner(6), inner(0)};
  }
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) {
    return text;
  }
  std::size_t end = bytes;
  while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

} // namespace upskill
