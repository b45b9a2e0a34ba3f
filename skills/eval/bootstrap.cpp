#include "skills/eval/bootstrap.h"

#include "skills/eval/distribution.h"
#include "skills/eval/random.h"

#include <algorithm>
#include <cmath>

namespace upskill::eval {
namespace {

constexpr std::size_t k_draws = 20'000'000;
constexpr std::size_t k_fewest_resamples = 500;

std::size_t resamples_of(std::size_t units, const BootstrapOptions& options) {
  return std::min(options.resamples, std::max(k_fewest_resamples, k_draws / units));
}

// The expanded percentiles of what the resamples gave; `units` >= 2.
Interval ends_of(std::vector<double>& results, std::size_t units, double confidence) {
  const auto n = static_cast<double>(units);
  const double width =
      std::sqrt(n / (n - 1)) * student_quantile(confidence, static_cast<int>(units - 1));
  const auto outside =
      static_cast<std::ptrdiff_t>(normal_cdf(-width) * static_cast<double>(results.size() - 1));
  const auto low = results.begin() + outside;
  const auto high = results.end() - 1 - outside;
  std::nth_element(results.begin(), low, results.end());
  const double lowest = *low; // the next line may move it
  std::nth_element(low, high, results.end());
  return {lowest, *high};
}

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

} // namespace

std::optional<Interval>
bootstrap_mean(std::vector<Unit> units, const Interval& range, const BootstrapOptions& options) {
  if (units.size() < 2 || options.resamples == 0) {
    return std::nullopt;
  }
  // The same draws for the same units in another order.
  std::ranges::sort(units, [](const Unit& a, const Unit& b) {
    return a.sum != b.sum ? a.sum < b.sum : a.size < b.size;
  });
  const double first = units.front().sum / units.front().size;
  if (std::ranges::all_of(units, [&](const Unit& unit) {
        return std::abs(unit.sum / unit.size - first) < k_rounding;
      })) {
    const double share =
        std::pow((1 - options.confidence) / 2, 1.0 / static_cast<double>(units.size()));
    return Interval{share * first + (1 - share) * range.low,
                    share * first + (1 - share) * range.high};
  }
  Random random(options.seed);
  const auto count = static_cast<std::uint32_t>(units.size());
  std::vector<double> means(resamples_of(units.size(), options));
  for (double& mean : means) {
    double sum = 0;
    double size = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Unit& unit = units[random.below(count)];
      sum += unit.sum;
      size += unit.size;
    }
    mean = sum / size;
  }
  return ends_of(means, units.size(), options.confidence);
}

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
  Random random(options.seed);
  const auto count = static_cast<std::uint32_t>(sorted.size());
  std::vector<std::uint32_t> counts(ranked.values.size());
  std::vector<double> medians(resamples_of(sorted.size(), options));
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
