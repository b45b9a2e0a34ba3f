#include "skills/eval/interval.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace upskill::eval;
using doctest::Approx;

namespace {

// C(n, k), for what is small enough to multiply out.
double choose(std::size_t n, std::size_t k) {
  if (k > n) {
    return 0;
  }
  double result = 1;
  for (std::size_t i = 1; i <= k; ++i) {
    result = result * static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return result;
}

// To the four digits of the facts' tables.
bool is_near(double value, double expected) {
  return std::abs(value - expected) <= 0.00005 + 1e-12;
}

} // namespace

TEST_SUITE("interval") {
  TEST_CASE("Wilson intervals at 95 %") {
    struct Row {
      std::size_t successes, trials;
      double low, high;
    };

    for (const Row& row : {Row{0, 5, 0, .4345},
                           Row{3, 3, .4385, 1},
                           Row{4, 5, .3755, .9638},
                           Row{5, 5, .5655, 1},
                           Row{12, 20, .3866, .7812},
                           Row{17, 20, .6396, .9476},
                           Row{19, 20, .7639, .9911}}) {
      CAPTURE(row.successes);
      CAPTURE(row.trials);
      const Interval interval = wilson(row.successes, row.trials);
      CHECK(is_near(interval.low, row.low));
      CHECK(is_near(interval.high, row.high));
    }
    CHECK(wilson(0, 0) == Interval{0, 1});
    CHECK(wilson(7, 5) == wilson(5, 5));
  }

  TEST_CASE("Wilson intervals hold the rate, mirror, and shrink") {
    for (std::size_t trials = 1; trials <= 60; ++trials) {
      for (std::size_t successes = 0; successes <= trials; ++successes) {
        const double rate = static_cast<double>(successes) / static_cast<double>(trials);
        const Interval interval = wilson(successes, trials);
        REQUIRE(interval.contains(rate));
        REQUIRE(interval.low >= 0);
        REQUIRE(interval.high <= 1);
        const Interval mirrored = wilson(trials - successes, trials);
        REQUIRE(interval.low == Approx(1 - mirrored.high));
        const Interval more = wilson(10 * successes, 10 * trials);
        REQUIRE(more.high - more.low < interval.high - interval.low);
        if (successes > 0) {
          REQUIRE(wilson(successes - 1, trials).low < interval.low);
        }
      }
    }
  }

  TEST_CASE("pass@k and pass^k of 7 in 10") {
    CHECK(is_near(*pass_at_k(10, 7, 1), .7));
    CHECK(is_near(*pass_at_k(10, 7, 2), .9333));
    CHECK(is_near(*pass_at_k(10, 7, 3), .9917));
    CHECK(*pass_at_k(10, 7, 5) == 1);
    CHECK(is_near(*pass_hat_k(10, 7, 1), .7));
    CHECK(is_near(*pass_hat_k(10, 7, 2), .4667));
    CHECK(is_near(*pass_hat_k(10, 7, 3), .2917));
    CHECK(is_near(*pass_hat_k(10, 7, 5), .0833));
  }

  TEST_CASE("pass@k and pass^k are their binomials, and exist only for k of n samples") {
    for (std::size_t n = 1; n <= 12; ++n) {
      for (std::size_t c = 0; c <= n; ++c) {
        for (std::size_t k = 1; k <= n; ++k) {
          REQUIRE(*pass_hat_k(n, c, k) == Approx(choose(c, k) / choose(n, k)));
          REQUIRE(*pass_at_k(n, c, k) == Approx(1 - choose(n - c, k) / choose(n, k)));
        }
      }
    }
    CHECK_FALSE(pass_at_k(3, 2, 4));
    CHECK_FALSE(pass_at_k(3, 2, 0));
    CHECK_FALSE(pass_at_k(3, 4, 1));
    CHECK_FALSE(pass_hat_k(0, 0, 1));
    CHECK(*pass_hat_k(100'000, 50'000, 50'001) == 0);
    CHECK(*pass_hat_k(100'000, 99'999, 50'000) == Approx(0.5));
  }

  TEST_CASE("a normalized gain is a share of what was left to gain") {
    CHECK(*normalized_gain(.95, .6) == Approx(.875));
    CHECK(*normalized_gain(1, .2) == Approx(1));
    CHECK(*normalized_gain(.4, .4) == 0);
    CHECK(*normalized_gain(.2, .6) == Approx(-1));
    CHECK_FALSE(normalized_gain(1, 1));
    CHECK_FALSE(normalized_gain(.9, 0.1 + 0.2 + 0.7)); // which is not 1 in every last bit
  }
}
