#pragma once
#include "protocol/base/result.h"

#include <cstddef>

namespace upskill::eval {

// What makes measured lifts differ. The values are for planning before anything is measured (evals
// facts, section 7).
struct LiftVariance {
  double between = 0.09;         // of the true lift from case to case
  double within_with = 0.15;     // of a single run with the skill, mean over cases
  double within_baseline = 0.15; // and without
};

struct PowerOptions {
  double alpha = 0.05; // two-sided, in (0, 1)
  double power = 0.8;  // in (0, 1)
};

// The variance of one case's measured lift (evals facts, 7.3): w^2 + sA^2/K_A + sB^2/K_B. Each
// number of runs at least 1.
double case_variance(const LiftVariance& variance, double runs_with, double runs_baseline);

// z_{alpha/2} + z_beta: how many standard errors a lift must be to be found with that power.
double standard_errors_needed(const PowerOptions& options);

// How many cases find a lift of `lift` (either sign) with so many runs of each in both arms. By the
// normal distribution, so too few below a dozen; `invalid_argument` for a lift of 0, no runs, a
// negative variance, and an alpha or power outside of (0, 1).
Result<std::size_t> cases_needed(double lift,
                                 std::size_t runs,
                                 const LiftVariance& variance = {},
                                 const PowerOptions& options = {});

// The smallest lift that so many cases find; over 1: none. Errors as above, and for no cases.
Result<double> detectable_lift(std::size_t cases,
                               std::size_t runs,
                               const LiftVariance& variance = {},
                               const PowerOptions& options = {});

} // namespace upskill::eval
