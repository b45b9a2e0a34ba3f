#include "skills/eval/verdict.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace upskill::eval {
namespace {

constexpr double k_savings = 0.2;
// The variance seen counts as much as that of the plan from so many cases on: two equal cases are
// no proof that all are.
constexpr double k_plan_weight = 4;

// The fewest units whose test can say anything: all on one side have p = 2^(1-n).
std::size_t fewest_units(double alpha) {
  std::size_t units = 1;
  for (double p = 1; p > alpha; p /= 2) {
    ++units;
  }
  return units;
}

// Of one case's measured lift; clusters included.
double planned_variance(const PairedComparison& comparison) {
  const auto cases = static_cast<double>(comparison.cases);
  const double plan = case_variance({},
                                    static_cast<double>(comparison.with.samples) / cases,
                                    static_cast<double>(comparison.baseline.samples) / cases);
  if (!comparison.standard_error) {
    return plan;
  }
  const double seen = *comparison.standard_error * *comparison.standard_error * cases;
  const double weight = static_cast<double>(comparison.units) - 1;
  return (weight * seen + k_plan_weight * plan) / (weight + k_plan_weight);
}

std::size_t more_cases(const PairedComparison& comparison, double variance, double alpha) {
  const auto cases = static_cast<double>(comparison.cases);
  const double lift = std::max(std::abs(comparison.lift), k_least_lift);
  const double errors = standard_errors_needed({.alpha = alpha});
  const double by_variance = errors * errors * variance / (lift * lift);
  const double by_test =
      static_cast<double>(fewest_units(alpha)) * cases / static_cast<double>(comparison.units);
  const double missing = std::ceil(std::max(by_variance, by_test) - cases - k_rounding);
  return static_cast<std::size_t>(std::max(1.0, missing));
}

Reason reason_of(const PairedComparison& comparison, double p_value, double alpha) {
  if (comparison.cases == 0) {
    return comparison.left_out == 0 ? Reason::no_cases : Reason::no_pairs;
  }
  if (comparison.units < fewest_units(alpha)) {
    return Reason::too_few_units;
  }
  if (comparison.better + comparison.worse == 0) {
    return Reason::nothing_differs;
  }
  const double direction =
      std::accumulate(comparison.unit_differences.begin(), comparison.unit_differences.end(), 0.0);
  if (p_value > alpha || (direction > 0) != (comparison.lift > 0)) {
    return Reason::chance;
  }
  return !comparison.interval || comparison.interval->contains(0) ? Reason::wide_interval
                                                                  : Reason::significant;
}

Verdict decide(const PairedComparison& comparison, const SignFlip& test, double p_value) {
  const double alpha = 1 - comparison.bootstrap.confidence;
  Verdict verdict;
  verdict.test = test;
  verdict.adjusted_p_value = p_value;
  verdict.reason = reason_of(comparison, p_value, alpha);
  if (verdict.reason == Reason::significant) {
    verdict.outcome = comparison.lift > 0 ? Outcome::better : Outcome::worse;
  }
  if (comparison.cases > 0) {
    const double variance = planned_variance(comparison);
    if (comparison.units >= fewest_units(alpha)) { // fewer show nothing, however large
      verdict.detectable_lift = standard_errors_needed({.alpha = alpha})
                                * std::sqrt(variance / static_cast<double>(comparison.cases));
    }
    bool differs = comparison.better + comparison.worse > 0;
    if (verdict.outcome == Outcome::undecided && differs) { // no number finds a lift of nothing
      verdict.more_cases = more_cases(comparison, variance, alpha);
    }
    verdict.is_beneficial = is_beneficial(comparison.lift, comparison.token_savings);
  }
  return verdict;
}

} // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
  case Outcome::better:
    return "better";
  case Outcome::worse:
    return "worse";
  case Outcome::undecided:
    break;
  }
  return "undecided";
}

std::string_view to_string(Reason reason) {
  switch (reason) {
  case Reason::significant:
    return "more than chance does";
  case Reason::no_pairs:
    return "no case has a score in both arms";
  case Reason::too_few_units:
    return "too few cases for any verdict";
  case Reason::nothing_differs:
    return "every case is as good with the skill as without";
  case Reason::chance:
    return "chance alone may have done it";
  case Reason::wide_interval:
    return "the interval of the lift holds 0";
  case Reason::no_cases:
    break;
  }
  return "there are no cases";
}

Verdict judge(const PairedComparison& comparison) {
  const SignFlip test = sign_flip(comparison.unit_differences, comparison.bootstrap.seed);
  return decide(comparison, test, test.p_value);
}

std::vector<Verdict> judge_family(const std::vector<PairedComparison>& comparisons) {
  std::vector<SignFlip> tests;
  std::vector<double> p_values;
  for (const PairedComparison& comparison : comparisons) {
    tests.push_back(sign_flip(comparison.unit_differences, comparison.bootstrap.seed));
    if (comparison.cases > 0) {
      p_values.push_back(tests.back().p_value);
    }
  }
  p_values = holm(p_values);
  std::vector<Verdict> verdicts;
  std::size_t member = 0;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const double p_value = comparisons[i].cases > 0 ? p_values[member++] : 1;
    verdicts.push_back(decide(comparisons[i], tests[i], p_value));
  }
  return verdicts;
}

bool is_beneficial(double lift, std::optional<double> token_savings) {
  return lift > k_least_lift + k_rounding
         || (lift > -k_rounding && token_savings.value_or(0) > k_savings + k_rounding);
}

} // namespace upskill::eval
