#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"
#include "daemon/install/desk.h"

namespace upskill::daemon {

// The methods about skills that come from elsewhere or go there: install, update, outdated, remove,
// rollback, scan, find, pack, init. `library` and `desk` outlive the binder.
void bind_install_handlers(Binder& binder, SkillLibrary& library, InstallDesk& desk);

} // namespace upskill::daemon
