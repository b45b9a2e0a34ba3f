#pragma once
#include "daemon/handlers/eval_session.h"
#include "protocol/types/eval_reports.h"

namespace upskill::daemon {

// What the samples of a session say. Takes them out of it. What the budget kept from being asked
// was not drawn: it is no error, and is counted in `stopped`. CPU-bound: on the pool.
Result<EvalResult> result_of(const EvalParams& params,
                             const EvalRequest& request,
                             EvalSession& session,
                             const models::Budget& budget);

// Why the answer is no, as `--fail-under` and its like have it: a skill that makes a model worse is
// always one. Empty: it is not.
std::string why_failed(const EvalParams& params, const EvalResult& result);

// Whether not one sample has an outcome.
bool is_nothing_known(const std::vector<eval::ModelSamples>& models);

// What a caller who did not ask for it is not told: each sample, and each case.
void keep_short(EvalResult& result);

} // namespace upskill::daemon
