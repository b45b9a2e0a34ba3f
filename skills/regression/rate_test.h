#pragma once
#include "protocol/base/result.h"
#include "skills/eval/sequential.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace upskill::regression {

struct RateTestOptions {
  double passes = 0;   // of the accepted version, as if in so many independent samples
  double failures = 0; // likewise
  double drop = 0.2;   // of the success rate that shall be found, in (0, 1)
  double alpha = 0.05; // P(alternative | the rate is the accepted one's), in (0, 1)
  double beta = 0.05;  // P(null | it is lower by `drop`), alpha + beta < 1
  // How likely a worse version has lost nearly all, in [0, 1). Without that, one which fails
  // everywhere says little: as a rate lower by the drop it is as odd as one that has stayed.
  double all_lost = 0.05;
  std::size_t most = 360; // samples, 1 to k_most_samples
};

inline constexpr std::size_t k_most_samples = 100'000;

// Wald's sequential test (skills/eval/sequential) of a rate that is itself known from samples only:
// how much likelier the new samples are when the rate is lower by `drop` than when it is the same,
// each averaged over all rates that the accepted samples leave possible. With ever more of them it
// becomes Wald's own; with few it decides later, or not at all, in place of wrongly. Whatever the
// order of samples, the ratio depends on the counts alone, so both limits are worked out first, and
// adding a sample compares two numbers.
//
// A decision stays. Owned by a test of one version; one thread; as long as that test.
class RateTest {
public:
  // invalid_argument for what is out of its bounds, and for no accepted sample at all.
  static Result<RateTest> open(const RateTestOptions& options);

  void add(bool passed);

  std::optional<eval::Hypothesis> decision() const { return m_decision; }

  // What so many samples would decide, had none before.
  std::optional<eval::Hypothesis> at(std::size_t passes, std::size_t failures) const;

  std::size_t passes() const { return m_passes; }

  std::size_t failures() const { return m_failures; }

private:
  RateTest() = default;

  std::vector<std::size_t> m_worse_from = {}; // failures, by passes
  std::vector<std::size_t> m_equal_from = {}; // passes, by failures
  std::size_t m_passes = 0;
  std::size_t m_failures = 0;
  std::optional<eval::Hypothesis> m_decision = {};
};

} // namespace upskill::regression
