#pragma once
#include "daemon/engine.h"
#include "daemon/sync/service.h"

#include <memory>

namespace upskill::daemon {

// What upskilld does beside answering: skills in sync, their methods and resources.
std::unique_ptr<Engine> make_skills_engine(EngineContext context);

} // namespace upskill::daemon
