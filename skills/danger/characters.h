#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::danger {

inline constexpr char32_t k_ill_formed = 0xFFFFFFFF;

// The character at `at`, which moves behind it; k_ill_formed for a byte that begins none.
char32_t next_character(std::string_view text, std::size_t& at);

// Overrides, embeddings and isolates (Unicode 9, UAX 9): what changes the order in which letters
// are shown.
bool is_bidi_control(char32_t c);
// The tag block, which stands for ASCII and is never shown.
bool is_tag(char32_t c);
bool is_variation_selector(char32_t c);
// No width and no meaning of its own: zero-width spaces and joiners, fillers, invisible operators.
bool is_zero_width(char32_t c);
// A letter that is written from right to left (Hebrew, Arabic and their kin).
bool is_right_to_left(char32_t c);
// A letter of Cyrillic or Greek that looks like `latin`; 0 for any other character.
char latin_look_alike(char32_t c);

// For showing: one line of valid UTF-8, white space and control characters as single spaces,
// characters that are not shown as `<U+202E>`.
std::string cleaned(std::string_view text);

// At most `bytes` bytes, cut between characters and ended by `...` where something was cut.
std::string shortened(std::string text, std::size_t bytes);

} // namespace upskill::danger
