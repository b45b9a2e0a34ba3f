#pragma once
#include "daemon/jobs/job.h"
#include "protocol/mcp/answer.h"
#include "protocol/types/jobs.h"

#include <cstddef>

namespace upskill::jobs {

inline constexpr std::size_t k_max_shown_result = 64u << 10; // bytes

enum class Detail {
  line,  // of a list
  shown, // with questions, error, and a result that is not too long for a model
  whole  // with everything
};

JobSummary summary_of(const Job& job, Detail detail);

// The resource `upskill://job/ID`: the summary as JSON.
mcp::ResourceContents job_resource(const Job& job);

} // namespace upskill::jobs
