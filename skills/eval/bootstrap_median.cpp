#include "skills/eval/bootstrap_ends.h"
#include "skills/eval/random.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace upskill::eval {
namespace {

// Many values by rank, the ranks of each group next to each other.
struct Ranked {
  std::vector<double> values; // in order
  std::vector<std::uint32_t> ranks;
  std::vector<std::size_t> starts; // of the groups in `ranks`, and the end of the last
};

Ranked rank(const std::vector<std::vector<double>>& groups) {
  struct Place {
    double value;
    std::size_t position;
  };

  std::vector<Place> places;
  Ranked ranked;
  ranked.starts.push_back(0);
  for (const std::vector<double>& group : groups) {
    for (double value : group) {
      places.push_back({value, places.size()});
    }
    ranked.starts.push_back(places.size());
  }
  std::ranges::sort(places, {}, &Place::value);
  ranked.ranks.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    ranked.values.push_back(places[i].value);
    ranked.ranks[places[i].position] = static_cast<std::uint32_t>(i);
  }
  return ranked;
}

// The median of values that occur so often each, `total` >= 1 in all.
double median_of(const std::vector<double>& values,
                 const std::vector<std::uint32_t>& counts,
                 std::size_t total) {
  const std::size_t lower = (total - 1) / 2;
  const std::size_t upper = total / 2;
  std::size_t seen = 0;
  std::size_t at = 0;
  while (seen + counts[at] <= lower) {
    seen += counts[at++];
  }
  const double low = values[at];
  while (seen + counts[at] <= upper) {
    seen += counts[at++];
  }
  return low + (values[at] - low) / 2;
}

// Where the median may lie, by its rank (Woodruff 1952): the share of values below it has a
// standard error of 1/2 by the square root of their number, more where groups are alike within.
// Resamples would say the same: a median of theirs is at or below a value when at least half of
// what was drawn is, and that number is binomial.
Interval ends_by_rank(const Ranked& ranked, double width) {
  const std::vector<double>& values = ranked.values;
  const auto count = static_cast<double>(values.size());
  const double middle = values[values.size() / 2];
  const auto ties = std::ranges::equal_range(values, middle);
  const auto below = static_cast<double>(ties.begin() - values.begin());
  // So much of each tie lies below as makes that half of all.
  const double of_tie = (count / 2 - below) / static_cast<double>(ties.size());
  double alone = 0;
  double together = 0;
  for (std::size_t group = 0; group + 1 < ranked.starts.size(); ++group) {
    double sum = 0;
    for (std::size_t at = ranked.starts[group]; at < ranked.starts[group + 1]; ++at) {
      const double value = values[ranked.ranks[at]];
      const double away = (value < middle ? 1 : value > middle ? 0 : of_tie) - .5;
      alone += away * away;
      sum += away;
    }
    together += sum * sum;
  }
  if (alone == 0) {
    return {middle, middle};
  }
  const double far = width * std::sqrt(.25 * together / alone / count);
  const double last = count - 1;
  const auto low = static_cast<std::size_t>(std::clamp(count * (.5 - far), 0.0, last));
  const auto high =
      static_cast<std::size_t>(std::clamp(std::ceil(count * (.5 + far)) - 1, 0.0, last));
  return {values[low], values[high]};
}

} // namespace

std::optional<Interval> bootstrap_median(const std::vector<std::vector<double>>& groups,
                                         const BootstrapOptions& options) {
  std::vector<std::vector<double>> sorted = groups;
  std::erase_if(sorted, [](const std::vector<double>& group) { return group.empty(); });
  for (std::vector<double>& group : sorted) {
    std::ranges::sort(group);
  }
  std::ranges::sort(sorted);
  if (sorted.size() < 2 || options.resamples == 0) {
    return std::nullopt;
  }
  const Ranked ranked = rank(sorted);
  if (sorted.size() > k_many_units) {
    return ends_by_rank(ranked, expanded_width(sorted.size(), options.confidence));
  }
  Random random(options.seed);
  const auto count = static_cast<std::uint32_t>(sorted.size());
  std::vector<std::uint32_t> counts(ranked.values.size());
  std::vector<double> medians(resamples_of(ranked.values.size(), options));
  for (double& middle : medians) {
    std::ranges::fill(counts, 0);
    std::size_t total = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t drawn = random.below(count);
      const std::size_t start = ranked.starts[drawn];
      const std::size_t end = ranked.starts[drawn + 1];
      for (std::size_t at = start; at < end; ++at) {
        ++counts[ranked.ranks[at]];
      }
      total += end - start;
    }
    middle = median_of(ranked.values, counts, total);
  }
  return ends_of(medians, sorted.size(), options.confidence);
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::ranges::sort(values);
  return median_of(values, std::vector<std::uint32_t>(values.size(), 1), values.size());
}

} // namespace upskill::eval
