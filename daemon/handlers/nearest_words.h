#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

// The candidates that were probably meant, nearest first: those that take few letters changed,
// added, left out or swapped, then those that have what was written within them. Case does not
// count.
std::vector<std::string> nearest_words(std::string_view written,
                                       std::span<const std::string_view> candidates,
                                       std::size_t limit);

} // namespace upskill::daemon
