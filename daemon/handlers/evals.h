#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"
#include "daemon/models/curl.h"

namespace upskill::daemon {

// The methods about evaluations. `library` and `http` outlive the binder.
void bind_eval_handlers(Binder& binder, SkillLibrary& library, models::Http& http);

} // namespace upskill::daemon
