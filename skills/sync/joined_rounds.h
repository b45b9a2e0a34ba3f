#pragma once
#include "skills/sync/engine.h"

namespace upskill::sync {

// One round, of which the first part came before the second.
Round joined(Round first, Round second);

// The answer of a call that began with other rounds: these join the last one, or are handed out
// where that failed, so that what they did is not forgotten with it.
Result<Round>
joined(std::optional<Round> first, Result<Round> last, std::optional<Round>* where_it_failed);

} // namespace upskill::sync
