#pragma once
#include "daemon/handlers/skill_lookup.h"
#include "daemon/handlers/watch_version.h"

#include <string>
#include <vector>

namespace upskill::daemon {

// What a look at a version shows, without asking anybody: that it is not valid, links to files that
// are not there, takes too many tokens, is dangerous. A sentence each, errors first. Reads the
// skill's folder: for the pool.
std::vector<std::string> tier_zero(const SkillPlace& place, const WatchedVersion& version);

} // namespace upskill::daemon
