#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::sync {

inline constexpr std::size_t k_max_diff_text = 4u << 20;   // bytes of one side
inline constexpr std::size_t k_max_diff_shown = 64u << 10; // bytes of the result, unless told

// The difference as `diff -u` writes it (POSIX diff, "Diff -u Output Format", without times); empty
// for equal texts. One sentence instead for what is not UTF-8 text or is too large. At most
// `max_bytes`, cut between lines with a last line that says so. Always valid UTF-8.
std::string unified_diff(std::string_view a,
                         std::string_view b,
                         std::string_view label_a,
                         std::string_view label_b,
                         std::size_t context = 3,
                         std::size_t max_bytes = k_max_diff_shown);

} // namespace upskill::sync
