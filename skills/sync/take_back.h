#pragma once
#include "skills/sync/engine_state.h"

#include <string>
#include <vector>

namespace upskill::sync {

// Puts every place of an order that failed or was interrupted back to what it was before: a copy
// that holds what the order put there, or that it took away, gets the version before again, from
// what lies beside the root or else from the store. What somebody edited since stays. Where a place
// is as it was, nothing happens, so that it can be done again. What comes out lingers where
// somebody may be at work in it. Returns what could not be put back, in sentences.
std::vector<std::string>
take_back(Engine::State& state, const std::vector<store::IntentRow>& intents, Moment now);

// What was on record when the process ended; afterwards nothing is. Told as above, and what was
// taken back.
Result<std::vector<std::string>> take_back_interrupted(Engine::State& state, Moment now);

// Folders of agents that were made for an order which did not come to its end go again, where
// nothing has come to be in them. One that holds what is still to be tidied away waits for that.
Result<void> take_back_folders(Engine::State& state);

} // namespace upskill::sync
