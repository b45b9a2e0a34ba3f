#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upskill::regression {

// Whether each run of a case passed, by case. Errors are no outcomes, so they are not in it.
using CaseOutcomes = std::vector<std::vector<bool>>;

// What a case may say about a newer version.
enum class CaseGate {
  gated,       // it decides
  quarantined, // flaky: it is reported
  unknown      // the accepted version has no sample of it: it is reported
};

struct AcceptedCase {
  CaseGate gate = CaseGate::unknown;
  bool is_flaky = false; // also where so many are that none is quarantined
  std::size_t passes = 0;
  std::size_t runs = 0;
};

// What is known of the accepted version for one subject.
struct Accepted {
  std::vector<AcceptedCase> cases = {}; // in the order given
  // How often it passes the gated cases, as if in so many independent samples.
  double passes = 0;
  double failures = 0;

  // Likewise the whole of the cases, the quarantined ones too.
  double all_passes = 0;
  double all_failures = 0;

  double samples() const { return passes + failures; }

  double rate() const { return samples() > 0 ? passes / samples() : 0; }

  double whole_rate() const {
    return all_passes + all_failures > 0 ? all_passes / (all_passes + all_failures) : 0;
  }

  std::size_t count(CaseGate gate) const;
};

// Fewer runs of a case cannot show that it is flaky.
inline constexpr std::size_t k_flaky_runs = 5;
// Where more than one case in four is flaky, the suite has a rate below 1 rather than odd cases.
inline constexpr std::size_t k_cases_for_a_flaky_one = 4;

// Which cases are flaky (0 < passes < runs over at least five runs), and the rate of the others.
// Not from the runs that told them apart: a case that passed five of five by luck would make an
// honest 90 % a regression. So each run of a case is counted where all *other* runs of it agree
// (leave one out). Cases weigh the same, however many runs each of them has.
Accepted weigh_accepted(const CaseOutcomes& outcomes);

} // namespace upskill::regression
