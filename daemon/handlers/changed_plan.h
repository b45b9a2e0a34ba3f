#pragma once
#include "daemon/handlers/configuration.h"
#include "daemon/handlers/eval_request.h"
#include "daemon/handlers/touched_skills.h"
#include "protocol/types/eval_changed.h"
#include "skills/regression/settings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace upskill::daemon {

// What is asked about a skill, in one go for each measure.
struct ChangedPart {
  EvalParams params = {};
  EvalRequest request = {};
  WatchMeasure chat = WatchMeasure::forced; // of the student `chat`; others use all they are given
  WatchMeasure others = WatchMeasure::end_to_end;

  WatchMeasure measure_of(std::string_view student) const {
    return student == "chat" ? chat : others;
  }
};

// A touched skill, read, and what is to be tested of it.
struct ChangedSkill {
  ChangedSkillReport told = {};
  std::vector<ChangedPart> parts = {};
};

struct ChangedPlan {
  std::vector<ChangedSkill> skills = {};
  regression::WatchThresholds thresholds = {};
  std::int64_t runs = 0;    // of each case, by the new version at most
  std::size_t subjects = 0; // of all skills, that are tested
  std::vector<std::string> warnings = {};
};

// What of a call is told by the configuration, checked. Errors: invalid_argument, of
// check_params().
Result<EvalParams>
changed_params(const EvalChangedParams& asked, const config::Config& config, const Asker& asker);

// Where the versions lie.
struct ChangedFolders {
  std::string now = {};  // the repository's
  std::string base = {}; // below it the files of the base, at their paths
};

// Reads both versions of each skill and compares them. What cannot be read of one is told in its
// report; a script that is not there, or a student that cannot answer such cases, is an error of
// the call. Blocks: for the pool.
Result<ChangedPlan> plan_changed(const Catalogue& catalogue,
                                 const std::vector<TouchedSkill>& touched,
                                 const ChangedFolders& folders,
                                 const EvalParams& params,
                                 const config::Config& config,
                                 const Asker& asker);

} // namespace upskill::daemon
