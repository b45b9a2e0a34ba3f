#include "skills/regression/accepted.h"

#include <algorithm>

namespace upskill::regression {
namespace {

// Of a case with so many passes: how many of its runs count, as all others agree.
struct Counted {
  std::size_t passes = 0;
  std::size_t failures = 0;
};

Counted count_where_others_agree(const AcceptedCase& one) {
  const std::size_t failures = one.runs - one.passes;
  if (one.runs < k_flaky_runs || one.passes == 0 || failures == 0) {
    return {one.passes, failures};
  }
  // The single one that differs is counted; without any other the rest would be too.
  return {one.passes == 1 ? std::size_t{1} : 0, failures == 1 ? std::size_t{1} : 0};
}

} // namespace

std::size_t Accepted::count(CaseGate gate) const {
  return static_cast<std::size_t>(std::ranges::count(cases, gate, &AcceptedCase::gate));
}

Accepted weigh_accepted(const CaseOutcomes& outcomes) {
  Accepted accepted;
  std::size_t known = 0;
  std::size_t flaky = 0;
  double inverse_runs = 0;
  for (const std::vector<bool>& runs : outcomes) {
    AcceptedCase one;
    one.runs = runs.size();
    one.passes = static_cast<std::size_t>(std::ranges::count(runs, true));
    if (one.runs > 0) {
      one.gate = CaseGate::gated;
      one.is_flaky = one.runs >= k_flaky_runs && one.passes > 0 && one.passes < one.runs;
      ++known;
      flaky += one.is_flaky ? 1 : 0;
      inverse_runs += 1 / static_cast<double>(one.runs);
    }
    accepted.cases.push_back(one);
  }
  const bool quarantines = flaky > 0 && flaky * k_cases_for_a_flaky_one <= known;
  // The mean of the cases' means varies as much as this many samples of each would make it.
  const double mean_runs = inverse_runs > 0 ? static_cast<double>(known) / inverse_runs : 0;
  for (AcceptedCase& one : accepted.cases) {
    if (one.runs == 0) {
      continue;
    }
    const Counted counted =
        quarantines ? count_where_others_agree(one) : Counted{one.passes, one.runs - one.passes};
    const double weight = mean_runs / static_cast<double>(one.runs);
    accepted.passes += weight * static_cast<double>(counted.passes);
    accepted.failures += weight * static_cast<double>(counted.failures);
    accepted.all_passes += weight * static_cast<double>(one.passes);
    accepted.all_failures += weight * static_cast<double>(one.runs - one.passes);
    if (quarantines && one.is_flaky) {
      one.gate = CaseGate::quarantined;
    }
  }
  return accepted;
}

} // namespace upskill::regression
