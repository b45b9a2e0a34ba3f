#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"
#include "daemon/install/install_call.h"

#include <string>
#include <vector>

namespace upskill::daemon {

// A call, as the desk of installing takes it.
struct ReadCall {
  InstallCall call;
  std::vector<std::string> warnings = {}; // of the configuration
  std::string skills_dir = {};            // absolute; empty where the caller has no folder
};

// What the person's own configuration says counts, whatever folder the caller is in.
Awaitable<ReadCall> read_call(SkillLibrary& library, const RequestContext& context);

} // namespace upskill::daemon
