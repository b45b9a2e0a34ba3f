#pragma once
#include "protocol/types/eval_reports.h"

#include <cstddef>
#include <string>

namespace upskill::eval {

struct HtmlLimits {
  std::size_t cases = 2000;                          // of each model that are told in full
  std::size_t bytes = std::size_t{64} * 1024 * 1024; // of the file; outputs are left out beyond
};

// One file to look at, of a result with samples: lifts with their intervals, rates, tokens and
// cost, and each case down to prompts, outputs and checks. It needs nothing but itself: no script,
// nothing from elsewhere. Texts are escaped and repaired. Says what it left out. Time: linear in
// the result.
std::string html_report(const EvalResult& result, const HtmlLimits& limits = {});

} // namespace upskill::eval
