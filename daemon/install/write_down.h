#pragma once
#include "daemon/install/install_files.h"
#include "daemon/sync/together.h"
#include "skills/install/record.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace upskill::daemon {

// An entry of a lock file: what is to be known, or nothing where it goes.
struct LockChange {
  std::string name = {}; // of the front matter, which `npx skills` has for a key
  std::optional<install::LockEntry> entry = {};
};

// By scope and folder's name.
using LockChanges = std::map<std::string, std::map<std::string, LockChange>>;

struct GoneSkill {
  install::InstallKey key = {};
  std::optional<Digest> left = {}; // what lay there; none: its row is not kept aside
};

// What is to be known of skills once they lie in agents' folders, or do not any more.
struct ToWrite {
  std::vector<install::InstallRow> rows = {};
  std::vector<GoneSkill> gone = {};
  std::vector<install::InstallKey> back = {}; // that were removed, and lie there again
  LockChanges locks = {};
};

struct Written {
  RecordNow record = {};
  std::vector<std::string> warnings = {}; // lock files that could not be written
};

// The record first, which is ours; a lock file that fails then is a warning. `together`: with a
// thousand skills, what goes into each is worked out at once. Blocks. Errors: of the record, saying
// that the folders are as they are.
Result<Written> write_down(const ToWrite& what,
                           const InstallFiles& files,
                           std::int64_t now_ms,
                           const sync::Together& together);

} // namespace upskill::daemon
