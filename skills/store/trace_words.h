#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Words as the index of traces has them: runs of letters and digits, whatever their case or
// accents; each ideograph is one by itself, because nothing separates them.
namespace upskill::store {

struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The first word at `from` or behind. Ill-formed UTF-8 separates words.
std::optional<Word> next_word(std::string_view text, std::size_t from);

// A word as it is compared: without case and accents.
std::string folded_word(std::string_view word);

// A text as FTS5's unicode61 must get it, to find the same words: spaces around each ideograph, and
// in place of control characters.
std::string index_form(std::string_view text);

} // namespace upskill::store
