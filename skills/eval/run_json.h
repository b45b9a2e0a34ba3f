#pragma once
#include "protocol/base/result.h"
#include "skills/eval/run_log.h"

#include <string>
#include <string_view>

namespace upskill::eval {

inline constexpr std::size_t k_max_run_file = 1u << 20; // bytes that are read of one

// What upskill writes into `run_metadata.json`, `run_result.json` and `batch_summary.json`. What is
// unknown is left out, never 0.
std::string run_metadata_json(const RunMetadata& metadata);
std::string run_result_json(const RunResult& run);
std::string batch_summary_json(const BatchSummary& summary);

// A run as ours or upskill's: fields that we do not know are read over, what is absent or null is
// unknown. `metadata` is the text of `run_metadata.json`, or empty; it counts where the result has
// none. Long texts are cut. Errors, each a sentence that begins with what is wrong: too_large,
// invalid_argument for what is no JSON, a field of another type, counts that cannot be.
Result<RunResult> read_run(std::string_view result, std::string_view metadata);

} // namespace upskill::eval
