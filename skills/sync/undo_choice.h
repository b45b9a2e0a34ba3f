#pragma once
#include "skills/sync/engine_state.h"
#include "skills/sync/round.h"

namespace upskill::sync {

// What the undo of an entry means for the conflict that a person settled with it. An undone choice
// opens its conflict again, so that a person can choose once more; one that is in force again, as
// an undo of it is undone, settles it, unless it is another conflict by now.
Result<void> follow_choice(Engine::State& state, const store::HistoryRow& row, PutEffects& effects);

} // namespace upskill::sync
