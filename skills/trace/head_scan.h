#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace upskill::trace {

// What the top level of one JSON object says, as far as it was there.
struct HeadObject {
  struct Member {
    std::string_view key;  // as it stands between its quotes
    std::string_view text; // of a string that was there whole; empty for anything else
  };

  std::vector<Member> members = {};
  bool is_whole = false;

  bool has(std::string_view key) const;
  std::string_view text_of(std::string_view key) const;
};

// The objects that the beginning of a file holds, one after the other, with or without lines
// between them: at most `limit`, the last of which may be cut off. Never fails; what is no JSON
// ends it.
std::vector<HeadObject> scan_head(std::string_view head, std::size_t limit);

} // namespace upskill::trace
