#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"

namespace upskill::daemon {

// The method about the logs of evaluations. `library` outlives the binder.
void bind_runs_handlers(Binder& binder, SkillLibrary& library);

} // namespace upskill::daemon
