#include "skills/regression/estimate.h"

#include <algorithm>
#include <cmath>

namespace upskill::regression {
namespace {

// What is left below this chance changes no estimate.
constexpr double k_negligible = 1e-9;

} // namespace

// The chance of every number of passes among so many samples without a decision, one after the
// other.
Course follow(const RateTest& test, double rate, std::size_t most) {
  Course course;
  std::vector<double> chances{1}; // by passes
  double open = 1;
  for (std::size_t samples = 1; samples <= most && open > k_negligible; ++samples) {
    course.samples += open;
    std::vector<double> next(samples + 1);
    for (std::size_t passes = 0; passes < chances.size(); ++passes) {
      next[passes] += chances[passes] * (1 - rate);
      next[passes + 1] += chances[passes] * rate;
    }
    for (std::size_t passes = 0; passes <= samples; ++passes) {
      if (next[passes] == 0) {
        continue;
      }
      const std::optional<eval::Hypothesis> decision = test.at(passes, samples - passes);
      if (decision) {
        (decision == eval::Hypothesis::null ? course.equal : course.worse) += next[passes];
        open -= next[passes];
        next[passes] = 0;
      }
    }
    chances = std::move(next);
  }
  return course;
}

Result<Estimate> estimate_test(const TestOptions& options, double errors) {
  if (!(errors >= 0 && errors <= 1)) {
    return fail(ErrorCode::invalid_argument, "the share of errors must lie between 0 and 1");
  }
  TRY_ASSIGN(const Test test, Test::open(options));
  Estimate estimate;
  if (test.is_over()) {
    return estimate;
  }
  const Accepted accepted = weigh_accepted(options.accepted);
  const std::size_t most = most_samples(accepted, options.runs);
  TRY_ASSIGN(const RateTest rates,
             RateTest::open({.passes = accepted.passes,
                             .failures = accepted.failures,
                             .drop = options.drop,
                             .alpha = options.alpha,
                             .beta = options.beta,
                             .most = most}));
  const Course equal = follow(rates, accepted.rate(), most);
  Course worse = follow(rates, std::max(0.0, accepted.rate() - options.drop), most);
  const std::size_t quarantined = accepted.count(CaseGate::quarantined);
  if (quarantined > 0) {
    // Then all cases are asked: what takes longer, and finds less, decides.
    const double drop = drop_of_whole(accepted, options.drop);
    const std::size_t all = most + quarantined * options.runs;
    TRY_ASSIGN(const RateTest whole,
               RateTest::open({.passes = accepted.all_passes,
                               .failures = accepted.all_failures,
                               .drop = drop,
                               .alpha = options.alpha,
                               .beta = options.beta,
                               .most = std::min(all, k_most_samples)}));
    const Course course = follow(whole, std::max(0.0, accepted.whole_rate() - drop), all);
    worse.samples = std::max(worse.samples, course.samples);
    worse.worse = std::min(worse.worse, course.worse);
  }
  // A sample is asked 1 + e + e^2 + ... times, as often as it may be.
  double asked = 0;
  for (std::uint32_t again = 0; again <= options.retries; ++again) {
    const double one = std::pow(errors, again);
    asked += one;
    if (one < k_negligible) {
      break;
    }
  }
  const std::size_t told_only = accepted.cases.size() - accepted.count(CaseGate::gated);
  const auto extra = static_cast<double>(told_only);
  estimate.likely = (equal.samples + extra) * asked;
  estimate.if_worse = (worse.samples + extra) * asked;
  estimate.most = (most + quarantined * options.runs + accepted.count(CaseGate::unknown))
                  * (std::size_t{options.retries} + 1);
  estimate.finds_drop = worse.worse;
  estimate.says_ok = equal.equal;
  estimate.false_alarm = equal.worse;
  return estimate;
}

} // namespace upskill::regression
