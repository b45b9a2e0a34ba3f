#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upskill::eval {

// Two-sided p-value of single pass-or-fail runs: `better` cases pass only with the skill, `worse`
// only without, min(1, 2 P(Binomial(b + c, 1/2) <= min(b, c))) (exact McNemar test; evals
// facts, 7.5).
double mcnemar(std::size_t better, std::size_t worse);

// How a p-value came about.
enum class SignFlipMethod {
  nothing_differs, // all differences are 0: p is 1
  exact,           // every assignment of signs counted
  sampled          // (b + 1)/(m + 1) of m random assignments (Phipson and Smyth 2010)
};

struct SignFlip {
  double p_value = 1;
  SignFlipMethod method = SignFlipMethod::nothing_differs;
};

// Two-sided p-value that the differences lie symmetrically about 0 (Fisher 1935): how often a sum
// of them with random signs is as far from 0 as theirs. One for each unit: a case, or the sum over
// a cluster; in 0..1 times the cases of a unit, finite, in any order. Of single pass-or-fail runs
// it is mcnemar().
//
// Exact when the differences are fractions of a common denominator, as those of rates are, by
// counting sums instead of assignments: O(units * distinct sums); or when at most 20 are not 0.
// Else sampled with the seed. Under half a second for 100,000 units.
SignFlip sign_flip(const std::vector<double>& differences, std::uint64_t seed);

// Holm's step-down p-values of a family of tests, in the order given: reject those at or below
// alpha, and the chance of any false rejection stays at or below alpha (Holm 1979).
std::vector<double> holm(const std::vector<double>& p_values);

} // namespace upskill::eval
