#pragma once
#include "skills/library/listing.h"

#include <cstddef>
#include <string>
#include <vector>

namespace upskill::library {

// Codex's own bound (facts: agents.md, section 2), the widest known.
inline constexpr int k_max_nested_depth = 6;

// Searches below one child of an open root for folders that hold a SKILL.md. `names_left` is shared
// by all searches of one listing and counts down; at 0 the search ends. Follows no link, enters
// neither ignored nor dot folders, and no folder that it is inside of already (a bind mount can
// make a circle). Unreadable folders are passed over.
std::vector<NestedSkill> find_nested(int root, const std::string& child, std::size_t& names_left);

} // namespace upskill::library
