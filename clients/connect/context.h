#pragma once
#include "protocol/base/paths.h"
#include "protocol/types/server.h"

namespace upskill::connect {

// What a call tells the daemon about its caller: only the named variables travel, and only over the
// socket (decisions: CallContext).
CallContext collect_context(const Environment& environment);

} // namespace upskill::connect
