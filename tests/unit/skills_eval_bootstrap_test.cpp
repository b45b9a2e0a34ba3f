#include "skills/eval/bootstrap.h"
#include "skills/eval/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace upskill::eval;
using doctest::Approx;

namespace {

constexpr Interval k_lifts = {-1, 1};

std::vector<Unit> units_of(const std::vector<double>& values) {
  std::vector<Unit> units;
  for (double value : values) {
    units.push_back({value, 1});
  }
  return units;
}

// The share of 1,000 samples whose interval holds `truth`.
template <class Draw> double covered(std::size_t count, double truth, Draw draw) {
  int holding = 0;
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    Random random(seed);
    std::vector<double> values(count);
    std::ranges::generate(values, [&] { return draw(random); });
    const auto interval =
        bootstrap_mean(units_of(values), k_lifts, {.seed = seed, .resamples = 1'000});
    holding += interval->contains(truth) ? 1 : 0;
  }
  return holding / 1'000.0;
}

} // namespace

TEST_SUITE("bootstrap") {
  TEST_CASE("the interval of many units is that of the normal distribution") {
    Random random(1);
    std::vector<double> values(2'000);
    std::ranges::generate(values, [&] { return 2 * random.fraction() - 1; });
    double sum = 0;
    double squares = 0;
    for (double value : values) {
      sum += value;
      squares += value * value;
    }
    const double mean = sum / 2'000;
    const double error = std::sqrt((squares / 2'000 - mean * mean) / 2'000);
    const auto interval = bootstrap_mean(units_of(values), k_lifts, {});
    CHECK(interval->low == Approx(mean - 1.96 * error).epsilon(.001).scale(1));
    CHECK(interval->high == Approx(mean + 1.96 * error).epsilon(.001).scale(1));
    const auto wider = bootstrap_mean(units_of(values), k_lifts, {.confidence = .99});
    CHECK(wider->low < interval->low);
    CHECK(wider->high > interval->high);
  }

  TEST_CASE("intervals of few units hold the truth about as often as they say") {
    auto uniform = [](Random& random) { return 2 * random.fraction() - 1; };
    for (std::size_t count : {5, 10, 20, 50}) {
      CAPTURE(count);
      const double share = covered(count, 0, uniform);
      CHECK(share >= .93);
      CHECK(share <= .985);
    }
    // Differences of three runs each, from 60 to 95 %.
    CHECK(covered(20,
                  .35,
                  [](Random& random) {
                    int sum = 0;
                    for (int i = 0; i < 3; ++i) {
                      sum += random.fraction() < .95 ? 1 : 0;
                      sum -= random.fraction() < .6 ? 1 : 0;
                    }
                    return sum / 3.0;
                  })
          >= .93);
  }

  TEST_CASE("units that are all the same leave room for others") {
    // (alpha/2)^(1/n): the share that n of n draws do not refute.
    const auto all_better = bootstrap_mean(units_of(std::vector<double>(5, 1)), k_lifts, {});
    CHECK(all_better->high == 1);
    CHECK(all_better->low == Approx(2 * std::pow(.025, .2) - 1)); // -.044
    const auto six = bootstrap_mean(units_of(std::vector<double>(6, 1)), k_lifts, {});
    CHECK(six->low == Approx(.0814).epsilon(.001));
    const auto nothing = bootstrap_mean(units_of(std::vector<double>(20, 0)), k_lifts, {});
    CHECK(nothing->high == Approx(.1684).epsilon(.001));
    CHECK(nothing->low == Approx(-nothing->high));
    // Equal up to rounding is equal, and so are clusters of one mean.
    const auto thirds = bootstrap_mean({{1 / 3.0, 1}, {.1 + .2 + 1 / 3.0 - .3, 1}}, k_lifts, {});
    CHECK(thirds->low < -.5);
    CHECK(bootstrap_mean({{1, 2}, {2, 4}}, k_lifts, {})->low < 0);
  }

  TEST_CASE("the order of units makes no difference, and the seed hardly any") {
    Random random(9);
    std::vector<Unit> units;
    for (int i = 0; i < 30; ++i) {
      const double size = 1 + random.below(4);
      units.push_back({(2 * random.fraction() - 1) * size, size});
    }
    const auto interval = bootstrap_mean(units, k_lifts, {});
    std::vector<Unit> shuffled = units;
    random.shuffle(shuffled);
    CHECK(bootstrap_mean(shuffled, k_lifts, {}) == interval);
    const auto other = bootstrap_mean(units, k_lifts, {.seed = 2});
    CHECK(other != interval);
    CHECK(other->low == Approx(interval->low).epsilon(.02).scale(1));
    CHECK(other->high == Approx(interval->high).epsilon(.02).scale(1));
  }

  TEST_CASE("nothing to draw from is no interval") {
    CHECK_FALSE(bootstrap_mean({}, k_lifts, {}));
    CHECK_FALSE(bootstrap_mean({{1, 1}}, k_lifts, {}));
    CHECK_FALSE(bootstrap_mean({{1, 1}, {0, 1}}, k_lifts, {.resamples = 0}));
    CHECK_FALSE(bootstrap_median({{1, 2, 3}}, {}));
    CHECK_FALSE(bootstrap_median({{1}, {}}, {}));
  }

  TEST_CASE("medians") {
    CHECK_FALSE(median({}));
    CHECK(median({3}) == 3);
    CHECK(median({4, 1}) == 2.5);
    CHECK(median({9, 1, 2}) == 2);
    CHECK(median({1, 1, 5, 5}) == 3);
  }

  TEST_CASE("the interval of a median lies at order statistics") {
    // The median of 101 values: ranks 41 and 61 for 95 % (binomial), and a little more with
    // Student.
    std::vector<std::vector<double>> groups;
    for (int i = 1; i <= 101; ++i) {
      groups.push_back({static_cast<double>(i)});
    }
    const auto interval = bootstrap_median(groups, {});
    CHECK(interval->low >= 39);
    CHECK(interval->low <= 42);
    CHECK(interval->high >= 60);
    CHECK(interval->high <= 63);
    std::ranges::reverse(groups);
    CHECK(bootstrap_median(groups, {}) == interval);
    CHECK(bootstrap_median({{2}, {2}, {2}}, {}) == Interval{2, 2});
  }

  TEST_CASE("groups are drawn whole") {
    // Ten groups of ten equal values know as much as ten values.
    std::vector<std::vector<double>> groups;
    std::vector<std::vector<double>> singles;
    for (int i = 0; i < 10; ++i) {
      groups.emplace_back(10, i);
      singles.push_back({static_cast<double>(i)});
    }
    CHECK(bootstrap_median(groups, {}) == bootstrap_median(singles, {}));
  }
}
