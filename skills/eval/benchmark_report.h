#pragma once
#include "protocol/types/eval_reports.h"

#include <cstddef>
#include <string>

namespace upskill::eval {

// benchmark.json of skill-creator, by the names that its viewer reads (evals facts, 3), of one
// model: the format has no more. The result must have samples. Tokens are tokens, and what is not
// known is null; `pass_rate` of a run is the share of its checks, as there. A sample without an
// outcome is no run, since the viewer would show it as 0 %; the notes count them. Says nothing of a
// model that is not there.
std::string benchmark_report(const EvalResult& result, std::size_t model = 0);

} // namespace upskill::eval
