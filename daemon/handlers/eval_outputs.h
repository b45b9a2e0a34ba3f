#pragma once
#include "daemon/handlers/configuration.h"
#include "daemon/request_context.h"
#include "protocol/base/result.h"
#include "protocol/types/eval_reports.h"

#include <cstdint>
#include <string>
#include <vector>

// The files that an evaluation writes. All of this blocks: for the pool.
namespace upskill::daemon {

enum class ReportKind { html, junit, csv, benchmark, summary, document };

struct EvalOutputs {
  struct File {
    ReportKind kind;
    std::string path; // absolute
  };

  std::vector<File> files = {};
  std::string logs = {};   // folder of run logs; empty: none are written
  std::string folder = {}; // `--output`
  std::string cases = {};  // a test file that was written for this evaluation
};

// What a call asks for: `--html` and its like are a file each, `--output` a folder with all of
// them, which is made; a person's runs are logged unless told otherwise, an agent's are only kept.
// Looks before anything is paid for whether what is named can be written: not_found, permission,
// io.
Result<EvalOutputs>
open_outputs(const EvalParams& params, const FoundConfig& config, const RequestContext& context);

// Writes them, of a result with its samples, each file whole or not at all, and says in the result
// where. What cannot be written is a warning in it.
void write_outputs(const EvalOutputs& outputs, EvalResult& result, std::int64_t started_ms);

} // namespace upskill::daemon
