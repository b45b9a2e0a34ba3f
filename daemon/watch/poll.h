#pragma once
#include "daemon/watch/watch_types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill::watch {

// What a look at one root saw of one entry of it: for a skill, everything below it.
struct PolledSkill {
  std::string name;
  std::uint64_t fingerprint = 0; // of paths, inodes, sizes, modes, times

  friend bool operator==(const PolledSkill&, const PolledSkill&) = default;
};

// One look at one root, its skills sorted by name; nothing: there is no folder at its path.
using PolledRoot = std::optional<std::vector<PolledSkill>>;

struct PollDifference {
  std::vector<std::string> skills; // changed, new or gone, sorted
  std::optional<RescanReason> root;
};

// What changed between two looks.
PollDifference compare(const PolledRoot& before, const PolledRoot& now);

// Looks at every file of a root without reading one; at most k_max_skill_entries of a skill and
// k_max_skill_depth deep. Blocks. A change that keeps inode, size and time (two writes within one
// tick of the file system's clock) goes unseen; the rescan finds it.
PolledRoot look_at(const std::string& root, IgnoreRules ignored);

} // namespace upskill::watch
