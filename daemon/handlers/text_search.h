#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

inline constexpr std::size_t k_max_query = 1024; // bytes
inline constexpr std::size_t k_max_query_words = 16;

// Whether `text` has `word` somewhere, the case of A to Z aside. `word` is in lower case. Some
// 5 GB/s: it looks at 32 places at a time, in loops that compilers turn into vectors.
bool contains_folded(std::string_view text, std::string_view word);

// The words of a query, by white space, as library::folded_key() has them; the first
// k_max_query_words of them.
std::vector<std::string> query_words(std::string_view query);

bool is_ascii(std::string_view text);

} // namespace upskill::daemon
