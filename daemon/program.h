#pragma once
#include "daemon/engine.h"
#include "daemon/options.h"

#include <functional>

namespace upskill::daemon {

// All of `upskilld` but what it does beside answering. The exit code: 0 stopped, or another daemon
// is running; 2 usage; 3 could not be done. `adjust`: the options that no argument sets.
int run_program(int count,
                char** arguments,
                const MakeEngine& make_engine,
                const std::function<void(Options&)>& adjust = {});

} // namespace upskill::daemon
