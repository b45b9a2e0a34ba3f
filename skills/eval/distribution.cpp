#include "skills/eval/distribution.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace upskill::eval {
namespace {

// The root of an increasing function between two points, halved down to the last bit.
template <class F> double solve(F below, double low, double high) {
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) {
      return middle;
    }
    (below(middle) ? low : high) = middle;
  }
}

// P(|T| <= t) for few degrees of freedom.
double student_inside(double t, int freedom) {
  const double angle = std::atan(t / std::sqrt(freedom));
  const double square = std::cos(angle) * std::cos(angle);
  const bool odd = freedom % 2 == 1;
  double term = odd ? std::cos(angle) : 1;
  double sum = freedom == 1 ? 0 : term;
  for (int i = odd ? 3 : 2; i <= freedom - 2; i += 2) {
    term *= square * (i - 1) / i;
    sum += term;
  }
  const double series = std::sin(angle) * sum;
  return odd ? (angle + series) * 2 * std::numbers::inv_pi : series;
}

} // namespace

double normal_cdf(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double normal_quantile(double p) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (!(p >= 0 && p <= 1)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (p == 0 || p == 1) {
    return p == 0 ? -infinity : infinity;
  }
  // In the lower tail, where the distribution function keeps its digits.
  if (p > 0.5) {
    return -normal_quantile(1 - p);
  }
  return solve([&](double z) { return normal_cdf(z) < p; }, -40, 0.5);
}

double student_quantile(double inside, int freedom) {
  if (freedom >= 1000) {
    const double z = normal_quantile((1 + inside) / 2);
    return z + (z * z * z + z) / (4.0 * freedom);
  }
  return solve([&](double t) { return student_inside(t, freedom) < inside; }, 0, 1e9);
}

} // namespace upskill::eval
