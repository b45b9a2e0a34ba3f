#include "skills/eval/power.h"

#include "skills/eval/distribution.h"
#include "skills/eval/interval.h"

#include <cmath>

namespace upskill::eval {
namespace {

bool is_inside(double share) {
  return share > 0 && share < 1;
}

Result<void> check(std::size_t runs, const LiftVariance& variance, const PowerOptions& options) {
  if (runs == 0) {
    return fail(ErrorCode::invalid_argument, "a plan needs at least one run of a case");
  }
  for (double part : {variance.between, variance.within_with, variance.within_baseline}) {
    if (!(part >= 0 && std::isfinite(part))) {
      return fail(ErrorCode::invalid_argument, "a variance must be a number from 0 on");
    }
  }
  if (!is_inside(options.alpha) || !is_inside(options.power)) {
    return fail(ErrorCode::invalid_argument, "`alpha` and `power` must lie between 0 and 1");
  }
  return {};
}

} // namespace

double case_variance(const LiftVariance& variance, double runs_with, double runs_baseline) {
  return variance.between + variance.within_with / runs_with
         + variance.within_baseline / runs_baseline;
}

double standard_errors_needed(const PowerOptions& options) {
  return normal_quantile(1 - options.alpha / 2) + normal_quantile(options.power);
}

Result<std::size_t> cases_needed(double lift,
                                 std::size_t runs,
                                 const LiftVariance& variance,
                                 const PowerOptions& options) {
  TRY(check(runs, variance, options));
  if (!(std::abs(lift) >= k_rounding && std::isfinite(lift))) {
    return fail(ErrorCode::invalid_argument, "no number of cases finds a lift of 0");
  }
  const auto k = static_cast<double>(runs);
  const double z = standard_errors_needed(options);
  const double cases = z * z * case_variance(variance, k, k) / (lift * lift);
  // A whole number up to rounding is that number.
  return static_cast<std::size_t>(std::fmax(1, std::ceil(cases - k_rounding)));
}

Result<double> detectable_lift(std::size_t cases,
                               std::size_t runs,
                               const LiftVariance& variance,
                               const PowerOptions& options) {
  TRY(check(runs, variance, options));
  if (cases == 0) {
    return fail(ErrorCode::invalid_argument, "a plan needs at least one case");
  }
  const auto k = static_cast<double>(runs);
  return standard_errors_needed(options)
         * std::sqrt(case_variance(variance, k, k) / static_cast<double>(cases));
}

} // namespace upskill::eval
