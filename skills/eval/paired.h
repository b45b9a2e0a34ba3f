#pragma once
#include "protocol/base/result.h"
#include "skills/eval/bootstrap.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upskill::eval {

// What the samples of one case gave in one arm. A sample that ended in an error is no score:
// neither the model nor the skill failed. What is not known is left out, and is never 0.
struct ArmSamples {
  std::vector<double> scores = {}; // 0..1 each, in the order drawn; passed is 1, failed is 0
  std::size_t errors = 0;
  std::optional<double> tokens = {};  // mean of the scored samples; likewise below
  std::optional<double> cost = {};    // US dollars
  std::optional<double> seconds = {}; // of wall clock
};

struct PairedCase {
  std::string id = {};
  std::string cluster = {}; // cases that share a fixture; empty: a unit of its own
  ArmSamples with = {};
  ArmSamples baseline = {};
};

struct ArmSummary {
  double mean = 0;                           // of the cases' means: each case counts once
  std::optional<double> standard_error = {}; // none below two units
  std::size_t samples = 0;                   // with a score
  std::size_t errors = 0;                    // of all cases, those left out too
};

// with/baseline of what a case costs: exp(median ln(with/baseline)) over the cases where both are
// known and above 0. A ratio of sums would be that of the longest case.
struct CostRatio {
  double ratio = 1;
  std::optional<Interval> interval = {}; // none below two units
  std::size_t cases = 0;
};

// A comparison of two arms over the cases that have a score in both.
struct PairedComparison {
  std::size_t cases = 0;
  std::size_t units = 0;    // clusters, and cases without one
  std::size_t left_out = 0; // cases without a score in one arm or both
  ArmSummary with = {};
  ArmSummary baseline = {};
  double lift = 0; // mean over cases of the difference of their means; 0 without a case
  std::optional<double> standard_error = {}; // none below two units
  std::optional<Interval> interval = {};     // of the lift; none below two units
  // What sign_flip() takes, increasing: for each unit the sum over its cases of the difference of
  // means, of as many samples of either arm (the first; so what is left out hangs on no score).
  // With 1 sample against 10 a useless skill wins nearly every easy case by a little.
  std::vector<double> unit_differences = {};
  std::size_t better = 0; // cases with a higher mean with the skill
  std::size_t worse = 0;
  std::size_t equal = 0;
  std::optional<double> gain = {};      // normalized_gain(); none: ceiling, or no case
  std::optional<CostRatio> tokens = {}; // none where no case has both
  std::optional<CostRatio> cost = {};
  std::optional<CostRatio> seconds = {};
  std::optional<double> token_savings = {}; // 1 - sum with/sum baseline, as upskill has it
  std::optional<double> lift_per_thousand_tokens = {}; // none unless the skill costs tokens
  BootstrapOptions bootstrap = {};                     // what the intervals were made with
};

// Compares with the case as the unit, however many samples it has (evals facts, section 7).
// Standard errors are Miller's (arXiv 2411.00640), of clusters where there are any, times
// sqrt(G/(G-1)) for G units, so that cases in clusters of one have those of cases without.
// Intervals: bootstrap.h. The order of cases does not matter. `invalid_argument` for a score
// outside of 0..1, a negative or infinite cost, or a confidence outside of (0, 1).
Result<PairedComparison> compare_arms(const std::vector<PairedCase>& cases,
                                      const BootstrapOptions& options = {});

} // namespace upskill::eval
