#pragma once
#include <cstddef>
#include <string_view>

namespace upskill::document {

// Where the first character lies that YAML forbids (c-printable, YAML 1.2.2 section 5.1: NUL and
// other controls, ill-formed UTF-8, U+FFFE, U+FFFF); text.size() when there is none. Every YAML
// reader refuses those, so nothing else here has to care.
std::size_t find_unprintable(std::string_view text);

// Line of the byte at `at`, from 1.
std::size_t line_of(std::string_view text, std::size_t at);

} // namespace upskill::document
