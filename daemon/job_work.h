#pragma once
#include "daemon/binder.h"
#include "daemon/jobs/job_tool.h"

namespace upskill::daemon {

// Lets the tools that the binder answers run as jobs. `binder` outlives every job.
jobs::FindWork work_of_tools(Binder& binder);

} // namespace upskill::daemon
