#pragma once
#include "protocol/base/result.h"
#include "skills/eval/run_history.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace upskill::evals {

inline constexpr std::size_t k_max_logged_runs = 10'000; // that are read of one folder

struct LoggedRuns {
  std::vector<eval::LoggedRun> runs = {}; // newest batch first, in it by number
  std::int64_t left_out = 0;              // older ones, beyond the bound
  std::vector<std::string> warnings = {}; // files that could not be read; at most 20, then a count
};

// The runs of every batch below the folder, ours and upskill's. Follows no link in it: a folder of
// logs may come with a repository. Blocks: for the pool. Ends early when it is told to stop.
// Errors: not_found, permission or io, of the folder itself.
Result<LoggedRuns> read_runs(const std::string& folder,
                             std::stop_token stopping = {},
                             std::size_t limit = k_max_logged_runs);

} // namespace upskill::evals
