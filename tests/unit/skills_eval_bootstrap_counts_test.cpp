#include "skills/eval/bootstrap.h"
#include "skills/eval/bootstrap_counts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace upskill::eval;
using doctest::Approx;

namespace {

double chance(int trials, int successes, double rate) {
  double ways = 1;
  for (int i = 0; i < successes; ++i) {
    ways *= static_cast<double>(trials - i) / (i + 1);
  }
  return ways * std::pow(rate, successes) * std::pow(1 - rate, trials - successes);
}

} // namespace

TEST_SUITE("bootstrap_counts") {
  TEST_CASE("a binomial has its distribution") {
    constexpr int draws = 200'000;

    struct Trials {
      int trials, part, whole;
    };

    for (auto [trials, part, whole] :
         {Trials{10, 3, 7}, Trials{7, 1, 2}, Trials{4, 99, 100}, Trials{12, 1, 9}}) {
      CAPTURE(trials);
      CAPTURE(part);
      Random random(5);
      std::vector<int> seen(static_cast<std::size_t>(trials) + 1);
      for (int i = 0; i < draws; ++i) {
        ++seen.at(binomial(random,
                           static_cast<std::uint64_t>(trials),
                           static_cast<std::uint64_t>(part),
                           static_cast<std::uint64_t>(whole)));
      }
      for (int k = 0; k <= trials; ++k) {
        CAPTURE(k);
        const double expected = chance(trials, k, static_cast<double>(part) / whole);
        const double error = std::sqrt(expected * (1 - expected) / draws);
        CHECK(std::abs(seen[static_cast<std::size_t>(k)] / double(draws) - expected)
              <= 5 * error + 1e-12);
      }
    }
  }

  TEST_CASE("a binomial of many trials has its mean and its variance") {
    Random random(6);
    constexpr int draws = 20'000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < draws; ++i) {
      const auto drawn = static_cast<double>(binomial(random, 1'000, 123, 1'000));
      sum += drawn;
      squares += (drawn - 123) * (drawn - 123);
    }
    const double variance = 1'000 * .123 * .877;
    CHECK(std::abs(sum / draws - 123) < 5 * std::sqrt(variance / draws));
    CHECK(squares / draws == Approx(variance).epsilon(.05)); // five times sqrt(2/20,000)
  }

  TEST_CASE("what is certain needs no luck") {
    Random random(1);
    CHECK(binomial(random, 0, 1, 2) == 0);
    CHECK(binomial(random, 1'000, 0, 5) == 0);
    CHECK(binomial(random, 1'000, 5, 5) == 1'000);
  }

  TEST_CASE("as many are drawn as there are, each kind as often as it is there") {
    const std::vector<std::uint64_t> counts{700, 1, 250, 49, 2'000};
    const CountsDrawer drawer(counts);
    Random random(2);
    std::vector<std::uint64_t> drawn;
    std::vector<double> sums(counts.size());
    double product = 0;
    constexpr int draws = 5'000;
    for (int i = 0; i < draws; ++i) {
      drawer.draw(random, drawn);
      REQUIRE(std::accumulate(drawn.begin(), drawn.end(), std::uint64_t{0}) == 3'000);
      for (std::size_t kind = 0; kind < counts.size(); ++kind) {
        sums[kind] += static_cast<double>(drawn[kind]);
      }
      product += (static_cast<double>(drawn[0]) - 700) * (static_cast<double>(drawn[4]) - 2'000);
    }
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      CAPTURE(kind);
      const auto count = static_cast<double>(counts[kind]);
      CHECK(std::abs(sums[kind] / draws - count) < 5 * std::sqrt(count / draws));
    }
    // Who draws one kind does not draw another: the covariance is -n p q.
    CHECK(product / draws == Approx(-700.0 * 2'000 / 3'000).epsilon(.1));
  }

  TEST_CASE("many units of few kinds have the interval that drawing each of them gives") {
    // 2,000 are drawn one by one; 2,001 by kind.
    for (double worse : {.1, .002}) {
      CAPTURE(worse);
      std::vector<Unit> units;
      for (int i = 0; i < 2'000; ++i) {
        units.push_back({i < 2'000 * worse ? -1.0 : i % 3 == 0 ? 1.0 : 0.0, 1});
      }
      const auto by_unit = bootstrap_mean(units, {-1, 1}, {});
      units.push_back({0, 1});
      const auto by_kind = bootstrap_mean(units, {-1, 1}, {});
      CHECK(by_kind->low == Approx(by_unit->low).epsilon(.002).scale(1));
      CHECK(by_kind->high == Approx(by_unit->high).epsilon(.002).scale(1));
      CHECK(by_kind->low < by_kind->high);
    }
  }

  TEST_CASE("a hundred thousand units have the interval of the normal distribution") {
    std::vector<Unit> units;
    for (int i = 0; i < 100'000; ++i) {
      units.push_back({i % 10 == 0 ? -1.0 : i % 4 == 1 ? 1.0 : 0.0, 1});
    }
    double sum = 0;
    double squares = 0;
    for (const Unit& unit : units) {
      sum += unit.sum;
      squares += unit.sum * unit.sum;
    }
    const double mean = sum / 1e5;
    const double error = std::sqrt((squares / 1e5 - mean * mean) / 1e5);
    const auto interval = bootstrap_mean(units, {-1, 1}, {});
    CHECK(interval->low == Approx(mean - 1.96 * error).scale(1).epsilon(error / 10));
    CHECK(interval->high == Approx(mean + 1.96 * error).scale(1).epsilon(error / 10));
    std::ranges::reverse(units);
    CHECK(bootstrap_mean(units, {-1, 1}, {}) == interval);
  }

  TEST_CASE("clusters of unlike size are kinds, too") {
    // Units of one mean in one size, and of another in another: mean 100/300 of 3,000 units.
    std::vector<Unit> units;
    for (int i = 0; i < 3'000; ++i) {
      units.push_back(i % 2 == 0 ? Unit{1, 1} : Unit{0, 2});
    }
    const auto interval = bootstrap_mean(units, {-1, 1}, {});
    // Of a ratio: sqrt(sum (x - r s)^2)/sum s, where both kinds are 2/3 away.
    const double error = std::sqrt(3'000 * 4 / 9.0) / 4'500;
    CHECK(interval->low == Approx(1 / 3.0 - 1.96 * error).scale(1).epsilon(error / 8));
    CHECK(interval->high == Approx(1 / 3.0 + 1.96 * error).scale(1).epsilon(error / 8));
  }

  TEST_CASE("the median of many lies at the ranks of the binomial distribution") {
    std::vector<std::vector<double>> groups;
    for (int i = 1; i <= 10'001; ++i) {
      groups.push_back({static_cast<double>(i)});
    }
    // The middle rank 5,001, and 1.96 * sqrt(10,001)/2 = 98 to either side.
    const auto interval = bootstrap_median(groups, {});
    CHECK(std::abs(interval->low - 4'903) <= 2);
    CHECK(std::abs(interval->high - 5'099) <= 2);
    std::ranges::reverse(groups);
    CHECK(bootstrap_median(groups, {}) == interval);
  }

  TEST_CASE("where medians are no longer drawn, they say what drawing said") {
    Random random(4);
    std::vector<std::vector<double>> groups;
    std::vector<std::vector<double>> tied;
    for (int i = 0; i < 2'000; ++i) {
      groups.emplace_back();
      const double of_group = random.fraction();
      for (std::uint32_t j = 0; j <= random.below(4); ++j) {
        groups.back().push_back(of_group + random.fraction() / 2);
      }
      tied.push_back({i % 5 == 0 ? -1.0 : i % 5 == 1 ? 1.0 : 0.0});
    }
    const auto drawn = bootstrap_median(groups, {});
    CHECK(bootstrap_median(tied, {}) == Interval{0, 0});
    groups.push_back({(drawn->low + drawn->high) / 2});
    tied.push_back({0});
    const auto by_rank = bootstrap_median(groups, {});
    const double width = drawn->high - drawn->low;
    CHECK(std::abs(by_rank->low - drawn->low) < width / 12);
    CHECK(std::abs(by_rank->high - drawn->high) < width / 12);
    CHECK(bootstrap_median(tied, {}) == Interval{0, 0});
    CHECK(bootstrap_median(std::vector<std::vector<double>>(3'000, {7}), {}) == Interval{7, 7});
  }
}
