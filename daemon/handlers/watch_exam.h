#pragma once
#include "daemon/handlers/watch_accept.h"
#include "daemon/handlers/watch_record.h"
#include "daemon/handlers/watch_version.h"
#include "skills/regression/changed_parts.h"
#include "skills/regression/settings.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace upskill::daemon {

// A version that differs from the accepted one, and what is known of both before anybody is asked.
struct WatchExam {
  SkillKey skill = {};
  std::string folder = {}; // of the copy that is read
  WatchedVersion version = {};
  Digest accepted = {};
  AcceptedRecord record = {};
  regression::ChangedParts changed = {};
  regression::NeededTests needed = {};
  regression::WatchSettings settings = {};
  regression::WatchBudget total = {};     // of all skills together
  std::vector<std::string> problems = {}; // what a look shows without asking anybody
  std::int64_t look = 1;                  // which version this is since the accepted one
};

// Reads a skill as it is now, and what is kept of its accepted version. `together`: how many skills
// changed at once; of many none costs anything without a word.
// Errors: not_found where the skill is gone or no version was accepted; what reading it gives.
asio::awaitable<Result<std::shared_ptr<const WatchExam>>>
open_exam(WatchRoom room, SkillKey skill, std::size_t together);

} // namespace upskill::daemon
