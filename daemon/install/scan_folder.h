#pragma once
#include "protocol/base/result.h"
#include "skills/danger/skill_file.h"

#include <deque>
#include <string>

namespace upskill::daemon {

// The files of a folder as they are scanned, whatever is wrong with it: links are told and not
// followed, set-id bits are seen, and what no skill could have is there, too.
struct ScannedFolder {
  std::deque<std::string> texts = {}; // what `files` look at
  danger::SkillFiles files = {};
};

// As far as a scan looks; version control is left out. Blocks. Errors: what the system says of the
// folder itself.
Result<ScannedFolder> read_for_scan(const std::string& folder);

} // namespace upskill::daemon
