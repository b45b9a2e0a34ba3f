#pragma once
#include "protocol/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::install {

// A skill in a folder that was fetched, or lies on this machine.
struct FoundSkill {
  std::string folder = {};      // relative to the source; empty: the source itself
  std::string name = {};        // of its front matter, else of its folder; cleaned, any text
  std::string description = {}; // likewise; one line

  friend bool operator==(const FoundSkill&, const FoundSkill&) = default;
};

enum class Depth { shadowed, full }; // whether a skill hides those inside it

struct Discovery {
  std::vector<FoundSkill> skills = {};    // by folder
  std::vector<std::string> warnings = {}; // plugin files that could not be read, bounds
};

inline constexpr std::size_t k_most_found = 10'000;

// The skills below `folder` (absolute) / `within` (relative): itself; else its own children, those
// in the containers that are usual (`skills/`, `.agents/skills`, ...; three levels) and those that
// `.claude-plugin/{marketplace,plugin}.json` name; else, and with Depth::full at once, a walk
// within bounds. No link is followed, but for `within`, as long as it leads to what lies in
// `folder`. `base_name` is what the folder itself is called where it is a skill without a name.
// Blocks. Errors: not_found where `within` is not there; what the system says of `folder`.
Result<Discovery> discover(const std::string& folder,
                           const std::string& within,
                           std::string_view base_name,
                           Depth depth);

// The name of its folder here: of the front matter's name, as `skills` makes it (lower case,
// `[^a-z0-9._]+` becomes `-`, no `.` or `-` at its ends, at most 255 bytes, `unnamed-skill` where
// nothing is left). Never a name that sync refuses or ignores: then it is empty.
std::string folder_name_of(std::string_view name);

} // namespace upskill::install
