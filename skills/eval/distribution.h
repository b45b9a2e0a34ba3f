#pragma once

namespace upskill::eval {

// P(Z <= z) of the standard normal distribution.
double normal_cdf(double z);
// The z with P(Z <= z) = p, to about 1e-12; infinite at 0 and 1, NaN outside of 0..1.
double normal_quantile(double p);

// The t > 0 with P(|T| <= t) = `inside` for Student's distribution with `freedom` >= 1 degrees;
// `inside` in 0..1. By the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4, and from 1,000
// degrees on by 26.7.5, whose error there is below 1e-5.
double student_quantile(double inside, int freedom);

} // namespace upskill::eval
