#pragma once
#include "daemon/handlers/skill_lookup.h"
#include "daemon/handlers/watch_version.h"
#include "skills/danger/skill_file.h"

#include <string>
#include <vector>

namespace upskill::daemon {

// The files of a version as they are scanned for danger, with what they hold.
struct VersionFiles {
  std::vector<std::string> texts = {}; // what `files` look at
  danger::SkillFiles files = {};
};

// At most 8 MiB of them, each as far as a scan looks; those that cannot be read are left out. Reads
// the skill's folder: for the pool.
VersionFiles read_files(const SkillPlace& place, const WatchedVersion& version);

} // namespace upskill::daemon
