#pragma once
#include "daemon/jobs/job_queue.h"
#include "daemon/request_context.h"
#include "protocol/types/jobs.h"

#include <functional>
#include <string>
#include <string_view>

namespace upskill::jobs {

// Finds what a tool does, to be done as a job: not_found for one that cannot be. The context is
// that of the call which starts it.
using FindWork =
    std::function<Result<JobWork>(const std::string& tool, const daemon::RequestContext& context)>;

// Whether a method may be started as a job by agents, or by people. A tool that the catalogue does
// not know is left to FindWork.
Result<void> may_be_started(std::string_view tool, bool by_agents);

// The method `job`. `context.principal` owns what is started, and is shown its own jobs only;
// empty, a person's, is shown all.
asio::awaitable<Result<JobResult>> answer_job_call(JobQueue& queue,
                                                   FindWork find_work,
                                                   JobParams params,
                                                   daemon::RequestContext context);

} // namespace upskill::jobs
