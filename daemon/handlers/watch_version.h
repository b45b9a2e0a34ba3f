#pragma once
#include "daemon/handlers/skill_lookup.h"
#include "daemon/handlers/watch_record.h"
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "skills/regression/changed_parts.h"
#include "skills/regression/settings_file.h"
#include "skills/sync/scan.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace upskill::daemon {

// A version of a skill as far as it decides what is tested; copied out of its folder, or of the
// record of the accepted one.
struct WatchedVersion {
  Digest hash = {};
  std::vector<regression::ListedFile> files = {};             // by path
  std::string document = {};                                  // SKILL.md
  std::map<std::string, std::string, std::less<>> tests = {}; // its test files
  std::optional<Digest> watch_hash = {};                      // of `evals/watch.yaml`
  regression::WatchFile watch_file = {};
};

// A skill's folder, and what is in it.
struct ReadFolder {
  UniqueFd parent; // the folder that holds it
  std::string name;
  sync::Tree tree;
};

// For the pool. not_found where it is no skill that can be read.
Result<ReadFolder> read_folder(const SkillPlace& place);

// Reads the skill's folder: for the pool. Errors: what cannot be read of it, and a watch.yaml that
// is wrong.
Result<WatchedVersion> read_version(const SkillPlace& place);

// Lives as long as the version.
regression::VersionView view_of(const WatchedVersion& version);

// Into a record, and out of it: without the hash of all and the watch file.
void put_version(AcceptedRecord& record, const WatchedVersion& version);
// corrupt where a hash is none.
Result<WatchedVersion> version_of(const AcceptedRecord& record);

} // namespace upskill::daemon
