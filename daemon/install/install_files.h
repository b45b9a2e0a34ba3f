#pragma once
#include "daemon/install/known_files.h"
#include "daemon/install/lock_files.h"
#include "daemon/install/record_file.h"

#include <string>

namespace upskill::daemon {

// Where it is on record what was installed: a file of ours, and those of `npx skills`.
struct InstallFiles {
  const Places& places;
  const Environment& environment;
  KnownFiles& known;

  RecordFile record() const { return RecordFile(places, known); }

  LockFile lock(const std::string& project) const {
    return LockFile(project, places, environment, known);
  }
};

} // namespace upskill::daemon
