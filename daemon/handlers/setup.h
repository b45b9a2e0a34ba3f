#pragma once
#include "daemon/binder.h"
#include "daemon/setup/desk.h"

namespace upskill::daemon {

// The methods that connect coding agents. `desk` outlives the binder.
void bind_setup_handlers(Binder& binder, setup::SetupDesk& desk);

} // namespace upskill::daemon
