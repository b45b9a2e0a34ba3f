#include "skills/eval/bootstrap_ends.h"

#include "skills/eval/distribution.h"

#include <algorithm>
#include <cmath>

namespace upskill::eval {
namespace {

constexpr std::size_t k_steps = 20'000'000;
constexpr std::size_t k_fewest_resamples = 500;

} // namespace

std::size_t resamples_of(std::size_t steps, const BootstrapOptions& options) {
  return std::min(options.resamples, std::max(k_fewest_resamples, k_steps / steps));
}

double expanded_width(std::size_t units, double confidence) {
  const auto n = static_cast<double>(units);
  return std::sqrt(n / (n - 1)) * student_quantile(confidence, static_cast<int>(units - 1));
}

Interval ends_of(std::vector<double>& results, std::size_t units, double confidence) {
  const double width = expanded_width(units, confidence);
  const auto outside =
      static_cast<std::ptrdiff_t>(normal_cdf(-width) * static_cast<double>(results.size() - 1));
  const auto low = results.begin() + outside;
  const auto high = results.end() - 1 - outside;
  std::nth_element(results.begin(), low, results.end());
  const double lowest = *low; // the next line may move it
  std::nth_element(low, high, results.end());
  return {lowest, *high};
}

} // namespace upskill::eval
