#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"

namespace upskill::daemon {

// The methods about keeping copies in agreement.
void bind_sync_handlers(Binder& binder, SkillLibrary& library);

} // namespace upskill::daemon
