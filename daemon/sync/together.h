#pragma once
#include "daemon/runtime/pool.h"
#include "skills/sync/engine.h"

#include <functional>

namespace upskill::daemon {

// Does what parts of a call of the engine may do at once, on the thread of the call and on one more
// of the pool, as soon as that has one. What a task throws is thrown to the caller, once no task
// runs any more; those that were not begun are left out then.
sync::Together together_on(std::function<runtime::Pool&()> pool);

} // namespace upskill::daemon
