#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"

namespace upskill::daemon {

// The methods about skills, agents and what is wrong with them. `library` outlives the binder.
void bind_skill_handlers(Binder& binder, SkillLibrary& library);

} // namespace upskill::daemon
