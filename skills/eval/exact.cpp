#include "skills/eval/exact.h"

#include "skills/eval/interval.h"
#include "skills/eval/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

namespace upskill::eval {
namespace {

constexpr std::int64_t k_finest_grid = 1'000'000;
constexpr std::size_t k_enumerated = 20;
constexpr double k_counting_steps = 5e7;
constexpr std::size_t k_sampling_steps = 100'000'000;

// What is not 0 of the differences, without signs, in whole steps. Sums of them are exact.
struct Steps {
  std::vector<std::int64_t> sizes;
  std::int64_t observed = 0; // their sum with the signs they have, without its own
  std::int64_t slack = 0;    // sums this far apart may be equal
  bool on_grid = false;
};

// The denominator of the simplest fraction that the value is up to rounding (continued fractions).
std::optional<std::int64_t> denominator_of(double value) {
  double rest = std::abs(value);
  std::int64_t before = 0;
  std::int64_t denominator = 1;
  for (;;) {
    const double scaled = std::abs(value) * static_cast<double>(denominator);
    if (std::abs(scaled - std::round(scaled)) < k_rounding) {
      return denominator;
    }
    rest = 1 / (rest - std::floor(rest));
    if (!(rest < static_cast<double>(k_finest_grid))) {
      return std::nullopt;
    }
    const std::int64_t next = static_cast<std::int64_t>(rest) * denominator + before;
    before = denominator;
    denominator = next;
    if (denominator > k_finest_grid) {
      return std::nullopt;
    }
  }
}

std::optional<std::int64_t> common_denominator(const std::vector<double>& values) {
  std::int64_t common = 1;
  for (double value : values) {
    const double scaled = std::abs(value) * static_cast<double>(common);
    if (std::abs(scaled - std::round(scaled)) < k_rounding) {
      continue;
    }
    const std::optional<std::int64_t> own = denominator_of(value);
    if (!own) {
      return std::nullopt;
    }
    common = std::lcm(common, *own);
    if (common > k_finest_grid) {
      return std::nullopt;
    }
  }
  return common;
}

Steps to_steps(const std::vector<double>& differences) {
  std::vector<double> values;
  std::ranges::copy_if(differences, std::back_inserter(values), [](double difference) {
    return std::abs(difference) >= k_rounding;
  });
  Steps steps;
  const std::optional<std::int64_t> grid = common_denominator(values);
  steps.on_grid = grid.has_value();
  const double scale = grid ? static_cast<double>(*grid) : 0x1p40;
  for (double value : values) {
    const auto signed_size = static_cast<std::int64_t>(std::llround(value * scale));
    steps.observed += signed_size;
    steps.sizes.push_back(std::abs(signed_size));
  }
  steps.observed = std::abs(steps.observed);
  // Off the grid every value is half a step wrong, and once more with its own rounding.
  steps.slack = grid ? 0 : static_cast<std::int64_t>(2 * values.size());
  // In order, so that the p-value does not depend on that of the cases.
  std::ranges::sort(steps.sizes);
  return steps;
}

bool is_as_far(const Steps& steps, std::int64_t sum) {
  return std::abs(sum) >= steps.observed - steps.slack;
}

// The distribution of the sum of those with a plus, one value after the other.
double count_sums(const Steps& steps, std::int64_t total) {
  std::vector<double> chance(static_cast<std::size_t>(total) + 1);
  chance[0] = 1;
  std::size_t reach = 0;
  for (std::int64_t size : steps.sizes) {
    const auto step = static_cast<std::size_t>(size);
    reach += step;
    for (std::size_t sum = reach; sum >= step; --sum) {
      chance[sum] = (chance[sum] + chance[sum - step]) / 2;
    }
    for (std::size_t sum = 0; sum < step; ++sum) {
      chance[sum] /= 2;
    }
  }
  double p = 0;
  for (std::int64_t sum = 0; sum <= total; ++sum) {
    if (is_as_far(steps, 2 * sum - total)) {
      p += chance[static_cast<std::size_t>(sum)];
    }
  }
  return std::min(p, 1.0);
}

// Every assignment once, each one sign away from the last (Gray code).
double enumerate(const Steps& steps, std::int64_t total) {
  const std::uint32_t assignments = std::uint32_t{1} << steps.sizes.size();
  std::vector<bool> is_minus(steps.sizes.size());
  std::int64_t sum = total;
  std::uint32_t far = is_as_far(steps, sum) ? 1 : 0;
  for (std::uint32_t i = 1; i < assignments; ++i) {
    std::size_t flipped = 0;
    while (((i >> flipped) & 1) == 0) {
      ++flipped;
    }
    sum += (is_minus[flipped] ? 2 : -2) * steps.sizes[flipped];
    is_minus[flipped] = !is_minus[flipped];
    far += is_as_far(steps, sum) ? 1 : 0;
  }
  return static_cast<double>(far) / static_cast<double>(assignments);
}

double sample(const Steps& steps, std::int64_t total, std::uint64_t seed) {
  Random random(seed);
  const std::size_t draws =
      std::clamp<std::size_t>(k_sampling_steps / steps.sizes.size(), 999, 9'999);
  std::size_t far = 0;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    std::int64_t minus = 0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < steps.sizes.size(); ++i) {
      bits = i % 64 == 0 ? random.next() : bits >> 1;
      minus += steps.sizes[i] & -static_cast<std::int64_t>(bits & 1);
    }
    far += is_as_far(steps, total - 2 * minus) ? 1 : 0;
  }
  return static_cast<double>(far + 1) / static_cast<double>(draws + 1);
}

} // namespace

double mcnemar(std::size_t better, std::size_t worse) {
  const std::size_t runs = better + worse;
  const std::size_t fewer = std::min(better, worse);
  // In logarithms: 2^-1075 is 0, and so many discordant cases are possible.
  double chance = -static_cast<double>(runs) * std::numbers::ln2;
  double tail = std::exp(chance);
  for (std::size_t k = 1; k <= fewer; ++k) {
    chance += std::log(static_cast<double>(runs - k + 1) / static_cast<double>(k));
    tail += std::exp(chance);
  }
  return std::min(1.0, 2 * tail);
}

SignFlip sign_flip(const std::vector<double>& differences, std::uint64_t seed) {
  const Steps steps = to_steps(differences);
  if (steps.sizes.empty()) {
    return {};
  }
  const std::int64_t total =
      std::accumulate(steps.sizes.begin(), steps.sizes.end(), std::int64_t{0});
  const double work = static_cast<double>(total) * static_cast<double>(steps.sizes.size());
  const std::size_t count = steps.sizes.size();
  const bool is_countable = steps.on_grid && work <= k_counting_steps;
  if (count <= k_enumerated && !(is_countable && work < std::exp2(count))) {
    return {enumerate(steps, total), SignFlipMethod::exact};
  }
  if (is_countable) {
    return {count_sums(steps, total), SignFlipMethod::exact};
  }
  return {sample(steps, total, seed), SignFlipMethod::sampled};
}

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double highest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double p = p_values[order[rank]] * static_cast<double>(order.size() - rank);
    highest = std::max(highest, std::min(1.0, p));
    adjusted[order[rank]] = highest;
  }
  return adjusted;
}

} // namespace upskill::eval
