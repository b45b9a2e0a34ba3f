#pragma once
#include "skills/eval/interval.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace upskill::eval {

// What is drawn as one: a case, or all cases of a cluster.
struct Unit {
  double sum = 0;  // over its cases
  double size = 1; // its cases, above 0

  friend bool operator==(const Unit&, const Unit&) = default;
};

struct BootstrapOptions {
  double confidence = 0.95; // two-sided, in (0, 1)
  std::uint64_t seed = 1;
  // At most: fewer above 2,000 units that are of many kinds, or values of a median; at least 500.
  std::size_t resamples = 10'000;
};

// Where the mean sum/size over all cases may lie, from resamples of whole units. Percentiles, moved
// outwards to the quantiles of Student's distribution and by sqrt(n/(n-1)), because plain ones are
// too narrow for few units (Hesterberg 2015, arXiv 1411.5279, "expanded" percentiles).
//
// Units with one and the same mean say nothing by resampling. There the interval is what is known
// when n draws of n gave the same: a share of q = (alpha/2)^(1/n) of all units may be so and the
// rest at an end of `range`, where single values can lie.
//
// None below two units. The order of the units does not matter. Above 2,000 units of few kinds it
// is drawn how often each kind occurs (bootstrap_counts.h), which has the same distribution. Time:
// at most 500 draws of each unit, or 20 million steps.
std::optional<Interval>
bootstrap_mean(std::vector<Unit> units, const Interval& range, const BootstrapOptions& options);

// The same for the median of all values, the groups of which are drawn as one. Where all values are
// the same, so are both ends: values have no range. Above 2,000 groups nothing is drawn: the ends
// are those of the ranks, by the normal distribution, within a rank or two of what resamples give.
std::optional<Interval> bootstrap_median(const std::vector<std::vector<double>>& groups,
                                         const BootstrapOptions& options);

// The middle value, or the mean of the two middle ones; none of nothing.
std::optional<double> median(std::vector<double> values);

} // namespace upskill::eval
