#pragma once
#include "skills/eval/bootstrap.h"

#include <cstddef>
#include <vector>

namespace upskill::eval {

// What intervals of means and of medians share. From so many units on, drawing each of them again
// 10,000 times takes long, and there are shorter ways.
inline constexpr std::size_t k_many_units = 2'000;

// How many resamples, where one takes `steps`.
std::size_t resamples_of(std::size_t steps, const BootstrapOptions& options);

// How many standard errors the ends lie from the middle, expanded (bootstrap.h); `units` >= 2.
double expanded_width(std::size_t units, double confidence);

// The expanded percentiles of what the resamples gave, which are put into another order.
Interval ends_of(std::vector<double>& results, std::size_t units, double confidence);

} // namespace upskill::eval
