#pragma once
#include "protocol/base/result.h"
#include "protocol/types/eval_reports.h"

#include <cstdint>
#include <string>

namespace upskill::evals {

// When a batch is: the folder's name is of the local clock, as upskill's, the log's times are UTC.
struct BatchTime {
  int year = 1970;
  int month = 1; // from 1
  int day = 1;
  int hour = 0;
  int minute = 0;
  std::int64_t unix_ms = 0;

  // By the time zone of this process.
  static BatchTime local(std::int64_t unix_ms);
};

// Writes the evaluation, which must have its samples, as upskill's run logs into a new folder of
// `runs_dir` and returns that folder: `run_N/{run_metadata.json,run_result.json}`, `results.csv`,
// `batch_summary.json` and, last, `evaluation.json`, all of the result. A folder with all of them
// is complete. Makes `runs_dir` where there is none. Nothing that exists is changed: a second batch
// of the same minute has a name of its own (`_2`). `cases_hash` names the cases, where it is known.
// Blocks: for the pool. Errors are the disk's; what was written until then stays.
Result<std::string> write_batch(const std::string& runs_dir,
                                const EvalResult& result,
                                const BatchTime& time,
                                const std::string& cases_hash = {});

} // namespace upskill::evals
