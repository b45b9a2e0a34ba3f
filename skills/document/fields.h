#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::document {

// Limits of the specification, in characters (code points); skills facts, section 1.
inline constexpr std::size_t k_max_name = 64;
inline constexpr std::size_t k_max_description = 1024;
inline constexpr std::size_t k_max_compatibility = 500;
// Claude Code shows no more of description and when_to_use together (2.1.105; skills facts, 8).
inline constexpr std::size_t k_claude_listing = 1536;
// Beyond these the specification recommends to move text into files of its own.
inline constexpr std::size_t k_long_body_lines = 500;
inline constexpr std::size_t k_long_body_tokens = 5000;

// One of the six fields of the specification.
bool is_specified_field(std::string_view field);

// The agents whose documentation or source names a field that the specification does not have,
// joined with `and`; empty when we know of none.
std::string agents_that_use(std::string_view field);

} // namespace upskill::document
