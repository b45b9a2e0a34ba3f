#include "skills/document/unicode.h"

#include "protocol/base/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace upskill::document {
namespace {

// The code point at `at` and its length in bytes; ill-formed bytes count as one, with a negative
// value.
std::int32_t code_point(std::string_view text, std::size_t at, std::size_t& length) {
  std::int32_t value = -1;
  auto rest = text.substr(at, 4);
  utf8proc_ssize_t read = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(rest.data()),
                                           static_cast<utf8proc_ssize_t>(rest.size()),
                                           &value);
  length = read > 0 ? static_cast<std::size_t>(read) : 1;
  return read > 0 ? value : -1;
}

template <class Accept> bool all_code_points(std::string_view text, Accept accept) {
  for (std::size_t at = 0, length = 1; at < text.size(); at += length) {
    if (!accept(code_point(text, at, length))) {
      return false;
    }
  }
  return true;
}

// str.isspace(), from CPython's tables.
bool is_space(std::int32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0
         || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F
         || c == 0x205F || c == 0x3000;
}

bool is_letter_or_number(std::int32_t c) {
  switch (utf8proc_category(c)) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_NL:
  case UTF8PROC_CATEGORY_NO:
    return true;
  default:
    return false;
  }
}

// Composed, after what `how` adds; text that is not UTF-8 stays as it is.
std::string mapped(std::string_view text, int how) {
  utf8proc_uint8_t* out = nullptr;
  utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()),
                   &out,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | how));
  std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(out, &std::free);
  return size < 0 ? std::string(text)
                  : std::string(reinterpret_cast<const char*>(out), static_cast<std::size_t>(size));
}

} // namespace

std::string to_nfkc(std::string_view text) {
  return mapped(text, UTF8PROC_COMPAT);
}

std::string fold_case(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    return lower;
  }
  return mapped(text, UTF8PROC_CASEFOLD);
}

std::string_view strip(std::string_view text) {
  std::size_t length = 1;
  while (!text.empty() && is_space(code_point(text, 0, length))) {
    text.remove_prefix(length);
  }
  while (!text.empty()) {
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<std::uint8_t>(text[at]) & 0xC0) == 0x80) {
      --at;
    }
    if (!is_space(code_point(text, at, length)) || at + length != text.size()) {
      break;
    }
    text = text.substr(0, at);
  }
  return text;
}

bool is_lower_case(std::string_view text) {
  return all_code_points(text, [](std::int32_t c) { return c < 0 || utf8proc_tolower(c) == c; });
}

bool is_letters_digits_hyphens(std::string_view text) {
  return all_code_points(
      text, [](std::int32_t c) { return c == '-' || (c >= 0 && is_letter_or_number(c)); });
}

} // namespace upskill::document
