#pragma once
#include "clients/cli/page.h"

#include <cstddef>
#include <string_view>
#include <vector>

// How the difference of two texts is shown, the same everywhere.
namespace upskill::cli {

inline constexpr std::size_t k_side_by_side = 100; // columns of a screen that has room for it

// A unified diff of one file, coloured as people know it, with the signs to tell without colour; at
// most `most` lines of it, each after `indent` spaces.
void print_diff(Page& page, std::string_view diff, std::size_t indent, std::size_t most);

// The same with the old text to the left and the new one to the right; long lines are broken.
void print_side_by_side(Page& page, std::string_view diff, std::size_t indent, std::size_t most);

// A diff of several files, each as one of the two above by how wide the screen is; `most` lines in
// all.
void print_diffs(Page& page, std::string_view diff, std::size_t indent, std::size_t most);

// The parts of a diff that are about one file each. What stands before the first belongs to it.
std::vector<std::string_view> parts_of_diff(std::string_view diff);

} // namespace upskill::cli
