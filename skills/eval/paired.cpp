#include "skills/eval/paired.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>

namespace upskill::eval {
namespace {

using Quantity = std::optional<double> ArmSamples::*;

// A case with a score in both arms.
struct Pair {
  const PairedCase* paired_case = nullptr;
  std::size_t unit = 0;
  double with = 0; // mean score
  double baseline = 0;
  double balanced = 0; // the difference of as many samples of each
};

Result<void> check(const PairedCase& paired_case) {
  for (const ArmSamples* arm : {&paired_case.with, &paired_case.baseline}) {
    for (double score : arm->scores) {
      if (!(score >= 0 && score <= 1)) {
        return fail(ErrorCode::invalid_argument,
                    "case `" + paired_case.id + "` has a score outside of 0..1");
      }
    }
    for (const std::optional<double>& quantity : {arm->tokens, arm->cost, arm->seconds}) {
      if (quantity && !(*quantity >= 0 && std::isfinite(*quantity))) {
        return fail(ErrorCode::invalid_argument,
                    "case `" + paired_case.id + "` has a cost that is no number from 0 on",
                    "leave out what is not known");
      }
    }
  }
  return {};
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<Pair> pair_up(const std::vector<PairedCase>& cases, std::size_t& units) {
  std::vector<Pair> pairs;
  std::map<std::string_view, std::size_t> clusters;
  units = 0;
  for (const PairedCase& paired_case : cases) {
    if (paired_case.with.scores.empty() || paired_case.baseline.scores.empty()) {
      continue;
    }
    std::size_t unit = units;
    if (!paired_case.cluster.empty()) {
      unit = clusters.try_emplace(paired_case.cluster, units).first->second;
    }
    units += unit == units ? 1 : 0;
    const std::span<const double> with = paired_case.with.scores;
    const std::span<const double> baseline = paired_case.baseline.scores;
    const std::size_t both = std::min(with.size(), baseline.size());
    pairs.push_back({&paired_case,
                     unit,
                     mean_of(with),
                     mean_of(baseline),
                     mean_of(with.first(both)) - mean_of(baseline.first(both))});
  }
  // Sums must not depend on the order of cases, not even in their last bit.
  std::ranges::sort(pairs, {}, [](const Pair& pair) {
    return std::tuple(pair.with, pair.baseline, pair.balanced);
  });
  return pairs;
}

template <class Value>
std::vector<Unit> units_of(const std::vector<Pair>& pairs, std::size_t units, Value value) {
  std::vector<Unit> sums(units, Unit{0, 0});
  for (const Pair& pair : pairs) {
    sums[pair.unit].sum += value(pair);
    sums[pair.unit].size += 1;
  }
  std::ranges::sort(sums, [](const Unit& a, const Unit& b) {
    return a.sum != b.sum ? a.sum < b.sum : a.size < b.size;
  });
  return sums;
}

double mean_of(const std::vector<Unit>& units) {
  double sum = 0;
  double size = 0;
  for (const Unit& unit : units) {
    sum += unit.sum;
    size += unit.size;
  }
  return size == 0 ? 0 : sum / size;
}

std::optional<double> standard_error_of(const std::vector<Unit>& units) {
  if (units.size() < 2) {
    return std::nullopt;
  }
  const double mean = mean_of(units);
  double squares = 0;
  double cases = 0;
  for (const Unit& unit : units) {
    const double away = unit.sum - mean * unit.size;
    squares += away * away;
    cases += unit.size;
  }
  const auto count = static_cast<double>(units.size());
  return std::sqrt(squares * count / (count - 1)) / cases;
}

ArmSummary summarize(const std::vector<Pair>& pairs,
                     std::size_t units,
                     double Pair::*mean,
                     ArmSamples PairedCase::*arm) {
  const std::vector<Unit> sums =
      units_of(pairs, units, [&](const Pair& pair) { return pair.*mean; });
  ArmSummary summary;
  summary.mean = mean_of(sums);
  summary.standard_error = standard_error_of(sums);
  for (const Pair& pair : pairs) {
    summary.samples += (pair.paired_case->*arm).scores.size();
  }
  return summary;
}

std::optional<CostRatio> ratio_of(const std::vector<Pair>& pairs,
                                  std::size_t units,
                                  Quantity quantity,
                                  const BootstrapOptions& options) {
  std::vector<std::vector<double>> groups(units);
  std::vector<double> all;
  for (const Pair& pair : pairs) {
    const std::optional<double>& with = pair.paired_case->with.*quantity;
    const std::optional<double>& baseline = pair.paired_case->baseline.*quantity;
    if (with && baseline && *with > 0 && *baseline > 0) {
      all.push_back(std::log(*with / *baseline));
      groups[pair.unit].push_back(all.back());
    }
  }
  const std::optional<double> middle = median(all);
  if (!middle) {
    return std::nullopt;
  }
  CostRatio ratio{std::exp(*middle), bootstrap_median(groups, options), all.size()};
  if (ratio.interval) {
    ratio.interval = Interval{std::exp(ratio.interval->low), std::exp(ratio.interval->high)};
  }
  return ratio;
}

void count_tokens(const std::vector<Pair>& pairs, PairedComparison& comparison) {
  double with = 0;
  double baseline = 0;
  std::size_t cases = 0;
  for (const Pair& pair : pairs) {
    const std::optional<double>& more = pair.paired_case->with.tokens;
    const std::optional<double>& before = pair.paired_case->baseline.tokens;
    if (more && before) {
      with += *more;
      baseline += *before;
      ++cases;
    }
  }
  if (cases == 0) {
    return;
  }
  comparison.token_savings = baseline > 0 ? 1 - with / baseline : 0;
  const double thousands = (with - baseline) / static_cast<double>(cases) / 1000;
  if (thousands > 0) {
    comparison.lift_per_thousand_tokens = comparison.lift / thousands;
  }
}

} // namespace

Result<PairedComparison> compare_arms(const std::vector<PairedCase>& cases,
                                      const BootstrapOptions& options) {
  if (!(options.confidence > 0 && options.confidence < 1)) {
    return fail(ErrorCode::invalid_argument, "the confidence must lie between 0 and 1");
  }
  PairedComparison comparison;
  comparison.bootstrap = options;
  std::size_t errors_with = 0;
  std::size_t errors_baseline = 0;
  for (const PairedCase& paired_case : cases) {
    TRY(check(paired_case));
    errors_with += paired_case.with.errors;
    errors_baseline += paired_case.baseline.errors;
  }
  const std::vector<Pair> pairs = pair_up(cases, comparison.units);
  comparison.cases = pairs.size();
  comparison.left_out = cases.size() - pairs.size();
  comparison.with = summarize(pairs, comparison.units, &Pair::with, &PairedCase::with);
  comparison.baseline = summarize(pairs, comparison.units, &Pair::baseline, &PairedCase::baseline);
  comparison.with.errors = errors_with;
  comparison.baseline.errors = errors_baseline;
  const std::vector<Unit> differences =
      units_of(pairs, comparison.units, [](const Pair& pair) { return pair.with - pair.baseline; });
  comparison.lift = mean_of(differences);
  comparison.standard_error = standard_error_of(differences);
  comparison.interval = bootstrap_mean(differences, {-1, 1}, options);
  for (const Unit& unit :
       units_of(pairs, comparison.units, [](const Pair& pair) { return pair.balanced; })) {
    comparison.unit_differences.push_back(unit.sum);
  }
  for (const Pair& pair : pairs) {
    const double difference = pair.with - pair.baseline;
    comparison.better += difference >= k_rounding ? 1 : 0;
    comparison.worse += difference <= -k_rounding ? 1 : 0;
  }
  comparison.equal = comparison.cases - comparison.better - comparison.worse;
  if (!pairs.empty()) {
    comparison.gain = normalized_gain(comparison.with.mean, comparison.baseline.mean);
  }
  comparison.tokens = ratio_of(pairs, comparison.units, &ArmSamples::tokens, options);
  comparison.cost = ratio_of(pairs, comparison.units, &ArmSamples::cost, options);
  comparison.seconds = ratio_of(pairs, comparison.units, &ArmSamples::seconds, options);
  count_tokens(pairs, comparison);
  return comparison;
}

} // namespace upskill::eval
