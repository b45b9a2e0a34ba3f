#pragma once
#include "protocol/types/sync.h"
#include "skills/sync/engine.h"

#include <string>
#include <vector>

namespace upskill::daemon {

// What settling a conflict would do, as it was rehearsed: enough to ask a person, and to tell
// whether it is still the same when the person has answered.
struct SettlementPlan {
  // One copy, as it lies there now.
  struct Copy {
    std::string path;
    std::string state = {}; // the hash of its content, else what is there in its place
  };

  Conflict conflict = {};
  std::string skill = {}; // as the caller named it
  std::string take = {};  // as the engine calls it
  std::vector<SyncStep> steps = {};
  std::vector<Copy> copies = {}; // of the skill in that scope, and whatever is written; by path
};

// Rehearses it and looks at the copies; changes nothing. Blocks. `params.take` is as the engine
// calls it. Errors: as of Engine::resolve.
Result<SettlementPlan>
plan_settlement(sync::Engine& engine, const ConflictResolveParams& params, sync::Moment now);

// For the person who decides: whose version wins, what is overwritten or deleted, what is kept
// where. A few KB at most.
std::string question_about(const SettlementPlan& plan);

// Differs whenever anything in the plan does.
std::string digest_of(const SettlementPlan& plan);

} // namespace upskill::daemon
