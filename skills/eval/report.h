#pragma once
#include "protocol/base/result.h"
#include "protocol/types/eval_reports.h"
#include "skills/eval/case.h"

#include <cstdint>
#include <string>
#include <vector>

namespace upskill::eval {

// What one model's samples were, in any order.
struct ModelSamples {
  std::string model = {};   // as it was named
  std::string student = {}; // what answered: `chat`, ...
  std::vector<EvalSample> samples = {};
};

// What they say, in the order given. With a baseline the models are judged as one family (Holm), so
// that more models are not more chances. Errors of samples are counted and say nothing else; a mean
// is that of the cases' means. Samples of cases that the suite does not have are left out. `cases`
// and `samples` are filled; who was not asked for them clears them.
// invalid_argument as of compare_arms().
Result<std::vector<EvalModelReport>> report_models(const CaseSuite& suite,
                                                   std::vector<ModelSamples> models,
                                                   bool baseline,
                                                   std::uint64_t seed);

// Adds up what is known of two; the sum of something unknown is unknown.
EvalTokens add_tokens(const EvalTokens& one, const EvalTokens& other);

} // namespace upskill::eval
