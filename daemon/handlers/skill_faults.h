#pragma once
#include "daemon/handlers/skill_lookup.h"
#include "daemon/handlers/watch_version.h"

#include <string>
#include <vector>

namespace upskill::daemon {

// What is wrong with a version whatever models make of it: that it is no valid skill, and what no
// honest skill needs (danger::Severity::severe).
struct SkillFault {
  std::string key = {}; // the same in another version: without its line
  std::string text = {};
};

// Reads the skill's folder: for the pool.
std::vector<SkillFault> faults_of(const SkillPlace& place, const WatchedVersion& version);

// Sentences about those that `before` did not have; 20 at most.
std::vector<std::string> new_faults(const std::vector<SkillFault>& before,
                                    const std::vector<SkillFault>& now);

} // namespace upskill::daemon
