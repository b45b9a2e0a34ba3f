#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace upskill {

// True for well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
bool is_utf8(std::string_view text);

// Where the first ill-formed byte lies; text.size() when there is none.
std::size_t utf8_valid_prefix(std::string_view text);

// The text with every ill-formed byte sequence replaced by U+FFFD, so that it may enter a message.
std::string to_valid_utf8(std::string_view text);

// The same as a literal of a message: a name or a path, whose bytes may be anything.
std::string in_backticks(std::string_view text);

// Number of code points; each ill-formed byte counts as one.
std::size_t code_points(std::string_view text);

// Bytes of a code point in UTF-8; those of U+FFFD for what is none (a surrogate, over U+10FFFF).
std::size_t utf8_size(char32_t point);

// Appends a code point in UTF-8, U+FFFD for what is none.
void append_code_point(std::string& out, char32_t point);

// The longest prefix of at most `bytes` bytes that does not cut a code point.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

} // namespace upskill
