#pragma once
#include "protocol/base/paths.h"
#include "protocol/types/server.h"
#include "skills/config/config.h"

#include <string>

namespace upskill::daemon {

// What the caller's configuration says, and where it is from.
struct FoundConfig {
  config::Config config = {};
  std::string source = {};     // path of the file; empty: the defaults
  std::string runs_dir = {};   // absolute; empty where the caller has no folder and it is relative
  std::string skills_dir = {}; // likewise
};

// The first of these, whole: the file that the caller names (`--config`, UPSKILL_CONFIG),
// `upskill.config.yaml` of the caller's folder, which is read as a project's (skills/config),
// `config.yaml` of the user's configuration folder. Without any of them, the defaults. An agent's
// call has no context: then it is the user's. Blocks: for the pool.
// Errors, with the file's name: not_found only where the caller named it; what read_config() says;
// refused for a project's folder that is a link out of the project; too_large, permission, io.
Result<FoundConfig> find_config(const CallContext& caller, const Places& places);

} // namespace upskill::daemon
