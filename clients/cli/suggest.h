#pragma once
#include <span>
#include <string>
#include <string_view>

namespace upskill::cli {

// How many letters must be changed, added, taken away or swapped with their neighbour to get from
// one word to the other (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that was probably meant, or nothing: close by spelling, or the only one that starts
// with what was written.
std::string suggestion(std::string_view written, std::span<const std::string> candidates);

} // namespace upskill::cli
