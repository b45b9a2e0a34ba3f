#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"

#include <functional>

namespace upskill::daemon {

// Says of the daemon what `status` says (Engine::describe).
using Describe = std::function<void(StatusResult&)>;

// The methods about skills, agents and what is wrong with them. `library` outlives the binder.
void bind_skill_handlers(Binder& binder, SkillLibrary& library, Describe describe);

} // namespace upskill::daemon
