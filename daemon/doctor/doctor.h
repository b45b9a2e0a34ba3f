#pragma once
#include "daemon/sync/scene.h"
#include "protocol/types/server.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace upskill::doctor {

// What the daemon knows of itself, for whoever looks at the machine on the pool.
struct Facts {
  std::shared_ptr<const daemon::Scene> scene;
  Places places;
  Environment environment;
  StatusResult status = {};  // of the sync service; its warnings are findings
  std::string asked_by = {}; // version of the program that asks; empty: it has not said
  std::optional<SyncStatusResult> sync = {}; // where sync is on
  std::optional<Error> no_sandbox = {};      // why no command can be run in the sandbox
};

// Looks at everything and says what is wrong and what to do about it, worst first; and what each
// agent that is here will really list. Blocks: some 100 us for each skill. Bounded: at most some
// 20 findings of one kind, then how many more there are. Errors: cancelled.
Result<DoctorResult> examine(const Facts& facts, std::stop_token stopping);

} // namespace upskill::doctor
