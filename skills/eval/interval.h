#pragma once
#include <cstddef>
#include <optional>

namespace upskill::eval {

struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }

  friend bool operator==(const Interval&, const Interval&) = default;
};

// Differences below this are rounding. Rates are fractions of counts: with n cases of K runs two
// that differ do so by at least 1/(nK), which is far more, and sums of them err by far less.
inline constexpr double k_rounding = 1e-9;

// Where a success rate may lie, seen `successes` out of `trials` independent runs; at z = 1.96 with
// 95 % confidence (Wilson 1927; evals facts, 7.4). The whole of 0..1 without a trial. More
// successes than trials count as all.
Interval wilson(std::size_t successes, std::size_t trials, double z = 1.959963984540054);

// The chance that at least one of k samples passes, when `passes` of n did: 1 - C(n-c,k)/C(n,k),
// without bias (Chen et al. 2021, arXiv 2107.03374). None when k is 0 or over n, or passes over n.
std::optional<double> pass_at_k(std::size_t samples, std::size_t passes, std::size_t k);
// The chance that k samples all pass: C(c,k)/C(n,k) (Yao et al. 2024, arXiv 2406.12045). None as
// above.
std::optional<double> pass_hat_k(std::size_t samples, std::size_t passes, std::size_t k);

// The share of what was left to gain: (with - baseline)/(1 - baseline) (Hake 1998). None at a
// baseline of 1, where nothing was: reports say "ceiling".
std::optional<double> normalized_gain(double with, double baseline);

} // namespace upskill::eval
