#pragma once
#include "daemon/handlers/skill_lookup.h"
#include "daemon/handlers/watch_version.h"

#include <cstddef>
#include <string>
#include <vector>

namespace upskill::daemon {

// What a look at a version shows, without asking anybody. Sentences, at most 20 of each kind.
struct TierZero {
  std::vector<std::string> problems = {}; // not valid, links to nothing, too long, dangerous
  std::size_t errors = 0;                 // so many of them, the first, keep it from being used
  std::vector<std::string> gains = {};    // what it may do that the accepted version might not
};

// Reads the skill's folder: for the pool. Without an accepted version, or one of whose abilities
// nothing is known, there are no gains.
TierZero
tier_zero(const SkillPlace& place, const WatchedVersion& version, const AcceptedRecord* accepted);

// Keeps with an accepted version what it may do. Reads its folder: for the pool.
void put_capabilities(AcceptedRecord& record,
                      const SkillPlace& place,
                      const WatchedVersion& version);

} // namespace upskill::daemon
