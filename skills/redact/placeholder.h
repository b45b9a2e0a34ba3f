#pragma once
#include <string_view>

namespace upskill::redact {

// Bits a character (Shannon 1948), by how often each byte is there; 0 for an empty text.
double entropy(std::string_view text);

// Whether `secret`, without the prefix that its kind has, is nothing but an example: a word such as
// EXAMPLE or `your-key`, a variable (`${X}`, `<x>`, `{{x}}`), a block that is repeated, a run as
// 12345678, hardly any different characters, or words of one case without a digit.
bool is_placeholder(std::string_view secret);

// Whether `part`, which is lower-case, is somewhere in `text`, whatever the case of letters.
bool contains_lower(std::string_view text, std::string_view part);

} // namespace upskill::redact
