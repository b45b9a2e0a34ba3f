#pragma once
#include "protocol/types/eval_reports.h"

#include <string_view>
#include <vector>

namespace upskill::eval {

// A case of a report, and its samples run by run. Points into the report.
struct ReportedCase {
  std::string_view id = {};
  const EvalCaseReport* report = nullptr; // none: the report has samples of it only
  std::vector<const EvalSample*> samples = {};
};

// All cases of a model: as the report lists them, then by id those that only samples name.
std::vector<ReportedCase> by_case(const EvalModelReport& model);

} // namespace upskill::eval
