#include "protocol/base/json_escape.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace upskill {
namespace {

// The code unit of `\uXXXX` at the start of `raw`.
std::optional<char32_t> code_unit(std::string_view raw) {
  if (raw.size() < 6 || raw[0] != '\\' || raw[1] != 'u') {
    return std::nullopt;
  }
  unsigned unit = 0;
  const char* end = raw.data() + 6;
  auto [behind, problem] = std::from_chars(raw.data() + 2, end, unit, 16);
  return problem == std::errc{} && behind == end ? std::optional<char32_t>(unit) : std::nullopt;
}

} // namespace

JsonEscape read_json_escape(std::string_view raw) {
  static constexpr std::string_view k_letters = "\"\\/bfnrt";
  static constexpr std::string_view k_meanings = "\"\\/\b\f\n\r\t";
  if (raw.size() < 2 || raw[0] != '\\') {
    return {};
  }
  if (raw[1] != 'u') {
    std::size_t letter = k_letters.find(raw[1]);
    bool is_known = letter != std::string_view::npos;
    return is_known ? JsonEscape{2, static_cast<char32_t>(k_meanings[letter])} : JsonEscape{};
  }
  std::optional<char32_t> unit = code_unit(raw);
  if (!unit) {
    return {};
  }
  if (*unit >= 0xD800 && *unit <= 0xDBFF) {
    std::optional<char32_t> low = code_unit(raw.substr(6));
    if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
      return {12, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00)};
    }
  }
  return {6, *unit};
}

void append_json_unescaped(std::string& out, std::string_view raw) {
  while (!raw.empty()) {
    std::size_t plain = std::min(raw.find('\\'), raw.size());
    out += raw.substr(0, plain);
    raw.remove_prefix(plain);
    if (raw.empty()) {
      break;
    }
    JsonEscape escape = read_json_escape(raw);
    if (escape.length == 0) {
      out += '\\';
      raw.remove_prefix(1);
      continue;
    }
    if (escape.point < 0x80) { // nearly always
      out += static_cast<char>(escape.point);
    } else {
      append_code_point(out, escape.point);
    }
    raw.remove_prefix(escape.length);
  }
}

} // namespace upskill
