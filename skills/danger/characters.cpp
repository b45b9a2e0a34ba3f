#include "skills/danger/characters.h"

#include "protocol/base/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace upskill::danger {
namespace {

struct LookAlike {
  char32_t letter;
  char latin;
};

// Of the letters of Unicode's confusables (TR39) those that a reader takes for ASCII in any font.
constexpr std::array<LookAlike, 45> k_look_alikes{{
    {0x0391, 'A'}, {0x0392, 'B'}, {0x0395, 'E'}, {0x0396, 'Z'}, {0x0397, 'H'}, {0x0399, 'I'},
    {0x039A, 'K'}, {0x039C, 'M'}, {0x039D, 'N'}, {0x039F, 'O'}, {0x03A1, 'P'}, {0x03A4, 'T'},
    {0x03A5, 'Y'}, {0x03A7, 'X'}, {0x03BF, 'o'}, {0x03F2, 'c'}, {0x0405, 'S'}, {0x0406, 'I'},
    {0x0408, 'J'}, {0x0410, 'A'}, {0x0412, 'B'}, {0x0415, 'E'}, {0x041A, 'K'}, {0x041C, 'M'},
    {0x041D, 'H'}, {0x041E, 'O'}, {0x0420, 'P'}, {0x0421, 'C'}, {0x0422, 'T'}, {0x0425, 'X'},
    {0x0430, 'a'}, {0x0435, 'e'}, {0x043E, 'o'}, {0x0440, 'p'}, {0x0441, 'c'}, {0x0443, 'y'},
    {0x0445, 'x'}, {0x0455, 's'}, {0x0456, 'i'}, {0x0458, 'j'}, {0x04BB, 'h'}, {0x04CF, 'l'},
    {0x0501, 'd'}, {0x051B, 'q'}, {0x051D, 'w'},
}};

bool is_shown(char32_t c) {
  if (c == k_ill_formed || is_bidi_control(c) || is_tag(c) || is_zero_width(c)
      || is_variation_selector(c)) {
    return false;
  }
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
    return false;
  default:
    return true;
  }
}

bool is_space_or_control(char32_t c) {
  return c <= 0x20 || (c >= 0x7F && c <= 0xA0);
}

} // namespace

char32_t next_character(std::string_view text, std::size_t& at) {
  utf8proc_int32_t value = -1;
  auto rest = text.substr(at, 4);
  utf8proc_ssize_t read = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(rest.data()),
                                           static_cast<utf8proc_ssize_t>(rest.size()),
                                           &value);
  at += read > 0 ? static_cast<std::size_t>(read) : 1;
  return read > 0 ? static_cast<char32_t>(value) : k_ill_formed;
}

bool is_bidi_control(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

bool is_tag(char32_t c) {
  return c >= 0xE0000 && c <= 0xE007F;
}

bool is_variation_selector(char32_t c) {
  return (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xE0100 && c <= 0xE01EF);
}

bool is_zero_width(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x2060 && c <= 0x2064) || c == 0xFEFF || c == 0x180E
         || c == 0x115F || c == 0x1160 || c == 0x3164 || c == 0xFFA0;
}

bool is_right_to_left(char32_t c) {
  return (c >= 0x0590 && c <= 0x08FF) || (c >= 0xFB1D && c <= 0xFDFF)
         || (c >= 0xFE70 && c <= 0xFEFC) || (c >= 0x10800 && c <= 0x10FFF)
         || (c >= 0x1E800 && c <= 0x1EFFF);
}

char latin_look_alike(char32_t c) {
  auto at = std::ranges::find(k_look_alikes, c, &LookAlike::letter);
  return at == k_look_alikes.end() ? '\0' : at->latin;
}

std::string cleaned(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t begin = at;
    char32_t c = next_character(text, at);
    if (c == k_ill_formed) {
      out += "\xEF\xBF\xBD"; // U+FFFD
    } else if (is_space_or_control(c)) {
      if (!out.empty() && out.back() != ' ') {
        out += ' ';
      }
    } else if (is_shown(c)) {
      out += text.substr(begin, at - begin);
    } else {
      char name[16];
      std::snprintf(name, sizeof name, "<U+%04X>", static_cast<unsigned>(c));
      out += name;
    }
  }
  while (out.ends_with(' ')) {
    out.pop_back();
  }
  return out;
}

std::string shortened(std::string text, std::size_t bytes) {
  if (text.size() > bytes) {
    text.resize(utf8_prefix(text, bytes - 3).size());
    text += "...";
  }
  return text;
}

} // namespace upskill::danger
