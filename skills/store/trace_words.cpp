#include "skills/store/trace_words.h"

#include <utf8proc.h>

#include <cstdint>
#include <cstdlib>

namespace upskill::store {
namespace {

struct CodePoint {
  std::int32_t value = -1; // -1: ill-formed
  std::size_t size = 1;
};

CodePoint code_point_at(std::string_view text, std::size_t at) {
  auto byte = static_cast<std::uint8_t>(text[at]);
  if (byte < 0x80) {
    return {byte, 1};
  }
  utf8proc_int32_t value = -1;
  auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                               static_cast<utf8proc_ssize_t>(text.size() - at),
                               &value);
  return size > 0 ? CodePoint{value, static_cast<std::size_t>(size)} : CodePoint{};
}

// Han, and the kana of Japanese, which is written without spaces too.
bool is_ideograph(std::int32_t value) {
  return (value >= 0x2E80 && value <= 0x2FDF) || (value >= 0x3040 && value <= 0x30FF)
         || (value >= 0x3400 && value <= 0x4DBF) || (value >= 0x4E00 && value <= 0x9FFF)
         || (value >= 0xF900 && value <= 0xFAFF) || (value >= 0x20000 && value <= 0x3FFFF);
}

bool is_ascii_word(std::int32_t value) {
  return (value >= 'a' && value <= 'z') || (value >= 'A' && value <= 'Z')
         || (value >= '0' && value <= '9');
}

enum class Part { separator, begins, continues };

// What unicode61 makes of it: letters, numbers and private characters are words, accents go on with
// one.
Part part_of(std::int32_t value) {
  if (value < 0x80) {
    return value >= 0 && is_ascii_word(value) ? Part::begins : Part::separator;
  }
  switch (utf8proc_category(value)) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_NL:
  case UTF8PROC_CATEGORY_NO:
  case UTF8PROC_CATEGORY_CO:
    return Part::begins;
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC:
  case UTF8PROC_CATEGORY_ME:
    return Part::continues;
  default:
    return Part::separator;
  }
}

} // namespace

std::optional<Word> next_word(std::string_view text, std::size_t from) {
  std::optional<Word> word;
  for (std::size_t at = from; at < text.size();) {
    CodePoint point = code_point_at(text, at);
    Part part = part_of(point.value);
    if (is_ideograph(point.value) && part == Part::begins) {
      return word ? word : Word{at, at + point.size};
    }
    if (part == Part::separator && word) {
      return word;
    }
    at += point.size;
    if (part == Part::begins || (part == Part::continues && word)) {
      word = Word{word ? word->begin : at - point.size, at};
    }
  }
  return word;
}

std::string folded_word(std::string_view word) {
  std::string folded;
  for (char c : word) {
    if (static_cast<std::uint8_t>(c) >= 0x80) {
      utf8proc_uint8_t* bytes = nullptr;
      auto size =
          utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(word.data()),
                       static_cast<utf8proc_ssize_t>(word.size()),
                       &bytes,
                       static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE
                                                      | UTF8PROC_STRIPMARK | UTF8PROC_CASEFOLD));
      folded = size < 0
                   ? std::string(word)
                   : std::string(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
      std::free(bytes);
      return folded;
    }
    folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return folded;
}

std::string index_form(std::string_view text) {
  std::string form;
  form.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    CodePoint point = code_point_at(text, at);
    std::string_view bytes = text.substr(at, point.size);
    at += point.size;
    if (point.value < 0x20) { // an ill-formed byte as well
      form += ' ';
    } else if (is_ideograph(point.value)) {
      form.append(1, ' ').append(bytes).append(1, ' ');
    } else {
      form += bytes;
    }
  }
  return form;
}

} // namespace upskill::store
