#include "skills/eval/bootstrap.h"

#include "skills/eval/bootstrap_counts.h"
#include "skills/eval/bootstrap_ends.h"
#include "skills/eval/random.h"

#include <algorithm>
#include <cmath>

namespace upskill::eval {
namespace {

// Units that are the same, and how many of them there are.
struct Kinds {
  std::vector<Unit> units;
  std::vector<std::uint64_t> counts;
};

// `units` in order; what differs by rounding is the same.
Kinds kinds_of(const std::vector<Unit>& units) {
  Kinds kinds;
  for (const Unit& unit : units) {
    if (kinds.units.empty() || std::abs(unit.sum - kinds.units.back().sum) >= k_rounding
        || unit.size != kinds.units.back().size) {
      kinds.units.push_back(unit);
      kinds.counts.push_back(0);
    }
    ++kinds.counts.back();
  }
  return kinds;
}

std::vector<double> means_by_unit(const std::vector<Unit>& units, const BootstrapOptions& options) {
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
  return means;
}

std::vector<double> means_by_kind(const std::vector<Unit>& kinds,
                                  const CountsDrawer& drawer,
                                  const BootstrapOptions& options) {
  Random random(options.seed);
  std::vector<double> means(resamples_of(drawer.words(), options));
  std::vector<std::uint64_t> drawn;
  for (double& mean : means) {
    drawer.draw(random, drawn);
    double sum = 0;
    double size = 0;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const auto times = static_cast<double>(drawn[i]);
      sum += times * kinds[i].sum;
      size += times * kinds[i].size;
    }
    mean = sum / size;
  }
  return means;
}

// Many units are mostly of few kinds: of single runs a difference is -1, 0 or 1.
std::vector<double> resampled_means(const std::vector<Unit>& units,
                                    const BootstrapOptions& options) {
  if (units.size() > k_many_units) {
    const Kinds kinds = kinds_of(units);
    const CountsDrawer drawer(kinds.counts);
    if (drawer.words() < units.size()) {
      return means_by_kind(kinds.units, drawer, options);
    }
  }
  return means_by_unit(units, options);
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
  std::vector<double> means = resampled_means(units, options);
  return ends_of(means, units.size(), options.confidence);
}

} // namespace upskill::eval
