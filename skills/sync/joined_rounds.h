#pragma once
#include "skills/sync/engine.h"

namespace upskill::sync {

// What a person asks for may take several rounds, which are one in the answer.
void join(std::optional<Round>& all, Round next);

// The answer, once the rounds are over: where the last one failed, what was done by then is handed
// out in `done`, so that it is not forgotten with it.
Result<Round> answer_of(std::optional<Round> all, Result<void> last, std::optional<Round>* done);

} // namespace upskill::sync
