#pragma once
#include "protocol/types/eval_reports.h"
#include "skills/eval/case.h"
#include "skills/eval/paired.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace upskill::eval {

struct CaseSample {
  std::size_t case_number = 0; // in the suite
  const EvalSample* sample = nullptr;
};

// Those of the suite's cases, run by run: compare_arms() wants scores in the order drawn, and sums
// must not depend on the order in which samples came, not even in their last bit. The samples must
// outlive what is returned.
std::vector<CaseSample> in_order(const CaseSuite& suite, const std::vector<EvalSample>& samples);

// Each case of the suite with what its samples gave, errors apart.
std::vector<PairedCase> pair_arms(const CaseSuite& suite, const std::vector<CaseSample>& samples);

EvalArmReport summarise(const std::vector<PairedCase>& cases,
                        const std::vector<CaseSample>& samples,
                        EvalArm arm);

// Each case of the suite, in its order.
std::vector<EvalCaseReport> report_cases(const CaseSuite& suite,
                                         const std::vector<PairedCase>& cases);

// The share of cases that pass each of `runs` runs with the skill (pass^k with k = runs), among
// those with so many scores; unknown where none has.
std::optional<double> pass_all(const std::vector<PairedCase>& cases, std::size_t runs);

} // namespace upskill::eval
