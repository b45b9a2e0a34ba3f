#include "skills/regression/rate_test.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace upskill::regression {
namespace {

// Before anything is known: accepted versions pass most of their cases. README.md says how these
// numbers were chosen.
constexpr double k_prior_passes = 2.5;
constexpr double k_prior_failures = 0.4;
// A rate that has no such drop to lose loses nearly all of itself.
constexpr double k_least_kept = 0.05;

constexpr std::size_t k_points = 64; // a quarter of a deviation apart
// Beyond so many standard deviations the rest is below 1e-14.
constexpr double k_reach = 8;
constexpr double k_small = 1e-100;

// Rates that are possible, how likely each of them is, and what samples say of them so far.
class Mixture {
public:
  explicit Mixture(const RateTestOptions& options) {
    const double passes = options.passes + k_prior_passes;
    const double failures = options.failures + k_prior_failures;
    // In the angle the deviation is 1/(2 sqrt(n)) whatever the rate.
    const double half_pi = std::numbers::pi / 2;
    const double middle = std::asin(std::sqrt(passes / (passes + failures)));
    const double deviation = 0.5 / std::sqrt(passes + failures);
    const double low = std::max(0.0, middle - k_reach * deviation);
    const double high = std::min(half_pi, middle + k_reach * deviation);
    std::array<double, k_points> logs = {};
    for (std::size_t i = 0; i < k_points; ++i) {
      const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(k_points);
      const double sine = std::sin(low + (high - low) * share);
      const double rate = sine * sine;
      m_same.rates[i] = rate;
      m_lower.rates[i] = std::max(rate - options.drop, k_least_kept * rate);
      m_lost.rates[i] = k_least_kept * rate;
      logs[i] = (passes - 0.5) * std::log(rate) + (failures - 0.5) * std::log1p(-rate);
    }
    const double highest = *std::ranges::max_element(logs);
    for (std::size_t i = 0; i < k_points; ++i) {
      m_same.weights[i] = std::exp(logs[i] - highest);
      m_lower.weights[i] = (1 - options.all_lost) * m_same.weights[i];
      m_lost.weights[i] = options.all_lost * m_same.weights[i];
    }
  }

  void add(bool passed) {
    for (Hypothesis* one : {&m_same, &m_lower, &m_lost}) {
      for (std::size_t i = 0; i < k_points; ++i) {
        one->weights[i] *= passed ? one->rates[i] : 1 - one->rates[i];
      }
    }
    // Only their ratio counts, and long runs would end in two zeros.
    if (m_same.sum() + m_lower.sum() + m_lost.sum() < k_small) {
      for (Hypothesis* one : {&m_same, &m_lower, &m_lost}) {
        for (double& weight : one->weights) {
          weight /= k_small;
        }
      }
    }
  }

  // How much likelier the samples are with the lower rate.
  double ratio() const { return (m_lower.sum() + m_lost.sum()) / m_same.sum(); }

private:
  struct Hypothesis {
    std::array<double, k_points> rates = {};
    std::array<double, k_points> weights = {};

    double sum() const {
      double all = 0;
      for (double weight : weights) {
        all += weight;
      }
      return all;
    }
  };

  Hypothesis m_same;
  Hypothesis m_lower;
  Hypothesis m_lost;
};

bool is_inside(double share) {
  return share > 0 && share < 1;
}

// For each number of one kind of samples, how many of the other it takes until `is_over`. One walk
// along the limit: more of the one kind never takes fewer of the other.
template <class IsOver>
std::vector<std::size_t>
limit(Mixture mixture, bool other_passed, std::size_t most, IsOver is_over) {
  std::vector<std::size_t> limits;
  std::size_t others = 0;
  for (std::size_t ones = 0; ones + others <= most; ++ones) {
    while (!is_over(mixture.ratio()) && ones + others < most) {
      mixture.add(other_passed);
      ++others;
    }
    if (!is_over(mixture.ratio())) {
      break;
    }
    limits.push_back(others);
    mixture.add(!other_passed);
  }
  return limits;
}

} // namespace

Result<RateTest> RateTest::open(const RateTestOptions& options) {
  if (!(options.passes >= 0) || !(options.failures >= 0) || !(options.passes + options.failures > 0)
      || !std::isfinite(options.passes + options.failures)) {
    return fail(ErrorCode::invalid_argument, "a test needs samples of the accepted version");
  }
  if (!is_inside(options.drop)) {
    return fail(ErrorCode::invalid_argument, "`drop` must lie between 0 and 1");
  }
  if (!(options.all_lost >= 0 && options.all_lost < 1)) {
    return fail(ErrorCode::invalid_argument, "`all_lost` must lie between 0 and 1");
  }
  if (!is_inside(options.alpha) || !is_inside(options.beta) || options.alpha + options.beta >= 1) {
    return fail(ErrorCode::invalid_argument,
                "`alpha` and `beta` must lie between 0 and 1, as must their sum");
  }
  if (options.most == 0 || options.most > k_most_samples) {
    return fail(ErrorCode::invalid_argument,
                "a test takes 1 to " + std::to_string(k_most_samples) + " samples");
  }
  // By Ville's inequality that is passed with a chance of alpha at most, however long one looks;
  // Wald has (1 - beta)/alpha, which is sooner, and may err by as much.
  const double upper = 1 / options.alpha;
  const double lower = options.beta / (1 - options.alpha);
  const Mixture mixture(options);
  RateTest test;
  test.m_worse_from =
      limit(mixture, false, options.most, [&](double ratio) { return ratio >= upper; });
  test.m_equal_from =
      limit(mixture, true, options.most, [&](double ratio) { return ratio <= lower; });
  return test;
}

void RateTest::add(bool passed) {
  if (m_decision) {
    return;
  }
  ++(passed ? m_passes : m_failures);
  m_decision = at(m_passes, m_failures);
}

std::optional<eval::Hypothesis> RateTest::at(std::size_t passes, std::size_t failures) const {
  if (passes < m_worse_from.size() && failures >= m_worse_from[passes]) {
    return eval::Hypothesis::alternative;
  }
  if (failures < m_equal_from.size() && passes >= m_equal_from[failures]) {
    return eval::Hypothesis::null;
  }
  return std::nullopt;
}

} // namespace upskill::regression
