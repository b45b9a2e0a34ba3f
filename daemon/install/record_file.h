#pragma once
#include "daemon/install/known_files.h"
#include "protocol/base/paths.h"
#include "protocol/base/result.h"
#include "skills/install/record.h"

#include <functional>
#include <set>
#include <string>

namespace upskill::daemon {

// `installed.json` among what is the user's: what was installed from where. Looked at anew at each
// call, because the daemon of another state, or of another version, may have written it. All of it
// blocks. Owner: a call. Thread: any, one at a time.
class RecordFile {
public:
  RecordFile(const Places& places, KnownFiles& known)
      : m_path(join_path(places.data, "installed.json"))
      , m_known(known) {}

  // Empty where there is no file. Errors, with the file's name: corrupt, too_large, permission, io.
  Result<RecordNow> read() const;

  // Reads it, has it changed and writes what has changed, while nobody else does. Returns what it
  // is now.
  Result<RecordNow> change(const std::function<void(install::InstallRecord& record)>& work) const;

private:
  std::string m_path;
  KnownFiles& m_known;
};

// The versions that must not be forgotten: an update is held against them.
std::set<Digest> bases_of(const install::InstallRecord& record);

} // namespace upskill::daemon
