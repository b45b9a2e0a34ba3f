#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::sync {

inline constexpr std::size_t k_max_merge_text = 1u << 20; // bytes of each text

// Valid UTF-8 without NUL of at most k_max_merge_text bytes: what is merged line by line.
bool is_mergeable_text(std::string_view bytes);

// Joins the changes that each version makes to `base`, line by line, as diff3 does (Khanna, Kunal,
// Pierce 2007). Changes of different versions must have an unchanged line of `base` between them,
// or be identical; otherwise, or when a text is not mergeable, there is no result. Does not depend
// on the order of the versions.
std::optional<std::string> merge_texts(std::string_view base,
                                       const std::vector<std::string_view>& versions);

} // namespace upskill::sync
