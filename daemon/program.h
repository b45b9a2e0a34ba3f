#pragma once
#include "daemon/engine.h"

namespace upskill::daemon {

// All of `upskilld` but what it does beside answering. The exit code: 0 stopped, or another daemon
// is running; 2 usage; 3 could not be done.
int run_program(int count, char** arguments, const MakeEngine& make_engine);

} // namespace upskill::daemon
