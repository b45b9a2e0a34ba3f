#include "skills/eval/interval.h"

#include <algorithm>
#include <cmath>

namespace upskill::eval {
namespace {

// C(good, k) / C(all, k), factor by factor: the binomials themselves overflow.
double chosen_all_good(std::size_t good, std::size_t all, std::size_t k) {
  double chance = 1;
  for (std::size_t i = 0; i < k; ++i) {
    if (i >= good) {
      return 0;
    }
    chance *= static_cast<double>(good - i) / static_cast<double>(all - i);
  }
  return chance;
}

bool can_choose(std::size_t samples, std::size_t passes, std::size_t k) {
  return k > 0 && k <= samples && passes <= samples;
}

} // namespace

Interval wilson(std::size_t successes, std::size_t trials, double z) {
  if (trials == 0) {
    return {0, 1};
  }
  successes = std::min(successes, trials);
  const auto n = static_cast<double>(trials);
  const double rate = static_cast<double>(successes) / n;
  const double square = z * z;
  const double scale = 1 + square / n;
  const double centre = (rate + square / (2 * n)) / scale;
  const double half = z * std::sqrt(rate * (1 - rate) / n + square / (4 * n * n)) / scale;
  // The ends are exact where the rate is: rounding must not exclude it.
  return {successes == 0 ? 0 : centre - half, successes == trials ? 1 : centre + half};
}

std::optional<double> pass_at_k(std::size_t samples, std::size_t passes, std::size_t k) {
  if (!can_choose(samples, passes, k)) {
    return std::nullopt;
  }
  return 1 - chosen_all_good(samples - passes, samples, k);
}

std::optional<double> pass_hat_k(std::size_t samples, std::size_t passes, std::size_t k) {
  if (!can_choose(samples, passes, k)) {
    return std::nullopt;
  }
  return chosen_all_good(passes, samples, k);
}

std::optional<double> normalized_gain(double with, double baseline) {
  if (baseline > 1 - k_rounding) {
    return std::nullopt;
  }
  return (with - baseline) / (1 - baseline);
}

} // namespace upskill::eval
