#pragma once
#include <string>
#include <vector>

namespace upskill::library {

// How the system gets to what a path means.
struct Way {
  std::vector<std::string> links = {}; // that it follows, by where they really lie, in that order
  std::string end = {};                // what no link is left in; it need not exist
};

// Follows an absolute path, as far as a path is followed: 40 links.
Way way_to(const std::string& path);

} // namespace upskill::library
