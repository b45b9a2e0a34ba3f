#include "skills/eval/exact.h"
#include "skills/eval/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

using namespace upskill::eval;
using doctest::Approx;

namespace {

// Every assignment of signs, as the definition says.
double by_definition(const std::vector<double>& differences) {
  const double observed = std::abs(std::accumulate(differences.begin(), differences.end(), 0.0));
  const std::uint32_t all = std::uint32_t{1} << differences.size();
  std::uint32_t far = 0;
  for (std::uint32_t signs = 0; signs < all; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < differences.size(); ++i) {
      sum += ((signs >> i) & 1) != 0 ? differences[i] : -differences[i];
    }
    far += std::abs(sum) >= observed - 1e-9 ? 1 : 0;
  }
  return static_cast<double>(far) / static_cast<double>(all);
}

std::vector<double> discordant(std::size_t better, std::size_t worse, std::size_t equal) {
  std::vector<double> differences(better, 1.0);
  differences.insert(differences.end(), worse, -1.0);
  differences.insert(differences.end(), equal, 0.0);
  return differences;
}

} // namespace

TEST_SUITE("exact") {
  TEST_CASE("McNemar's exact test") {
    // Sums of binomials over powers of two, by hand: 2/2^5, 2/2^6, 18/2^8, 20/2^9, 158/2^12.
    CHECK(mcnemar(0, 5) == Approx(.0625).epsilon(1e-12));
    CHECK(mcnemar(0, 6) == Approx(.03125).epsilon(1e-12));
    CHECK(mcnemar(1, 7) == Approx(18 / 256.0).epsilon(1e-12));
    CHECK(mcnemar(1, 8) == Approx(20 / 512.0).epsilon(1e-12));
    CHECK(mcnemar(2, 10) == Approx(158 / 4096.0).epsilon(1e-12));
    CHECK(mcnemar(0, 0) == 1);
    CHECK(mcnemar(3, 3) == 1);
    CHECK(mcnemar(7, 1) == mcnemar(1, 7));
    // 2^-4000 is no double, and the test goes on: one standard deviation off.
    CHECK(mcnemar(2'032, 1'968) == Approx(.3197).epsilon(.01));
    CHECK(mcnemar(0, 2'000) == 0);
  }

  TEST_CASE("of single runs the sign-flip test is McNemar's") {
    for (std::size_t better = 0; better <= 30; ++better) {
      for (std::size_t worse = 0; worse <= 30; ++worse) {
        const SignFlip test = sign_flip(discordant(better, worse, 5), 1);
        REQUIRE(test.p_value == Approx(mcnemar(better, worse)).epsilon(1e-10));
      }
    }
  }

  TEST_CASE("counting sums is the definition, for fractions of many denominators") {
    Random random(11);
    for (int round = 0; round < 300; ++round) {
      std::vector<double> differences;
      const std::uint32_t count = 1 + random.below(10);
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t with = 1 + random.below(5);
        const std::uint32_t without = 1 + random.below(5);
        differences.push_back(static_cast<double>(random.below(with + 1)) / with
                              - static_cast<double>(random.below(without + 1)) / without);
      }
      CAPTURE(round);
      REQUIRE(sign_flip(differences, 1).p_value == Approx(by_definition(differences)));
    }
  }

  TEST_CASE("differences that are no fractions are enumerated") {
    Random random(12);
    for (int round = 0; round < 50; ++round) {
      std::vector<double> differences(1 + random.below(12));
      std::ranges::generate(differences, [&] { return 2 * random.fraction() - 1; });
      const SignFlip test = sign_flip(differences, 1);
      CAPTURE(round);
      REQUIRE(test.method == SignFlipMethod::exact);
      REQUIRE(test.p_value == Approx(by_definition(differences)));
    }
  }

  TEST_CASE("few sums of large clusters on a fine grid cost no memory") {
    // 2^-1 of all assignments is as far as this one: both on one side.
    const SignFlip test = sign_flip({100.000001, 20.999999}, 1);
    CHECK(test.p_value == .5);
    CHECK(test.method == SignFlipMethod::exact);
  }

  TEST_CASE("ties of what are no fractions are ties") {
    Random random(14);
    for (int round = 0; round < 100; ++round) {
      const double x = random.fraction() / 2;
      const double y = random.fraction() / 2;
      const std::vector<double> differences{-x, -y, x + y, random.fraction()};
      CAPTURE(round);
      REQUIRE(sign_flip(differences, 1).p_value == by_definition(differences));
    }
  }

  TEST_CASE("rounding decides nothing: thirds and tenths tie as on paper") {
    // 0.1 + 0.2 against 0.3, which doubles tell apart: the sum 0 is the least there is.
    CHECK(sign_flip({0.1, 0.2, -0.3}, 1).p_value == 1);
    // Of the 8 sums of 1/3, 2/3, 1: 2, 4/3, 2/3, 0, 0, ...; those from 4/3 on are 4.
    CHECK(sign_flip({-1 / 3.0, 2 / 3.0, 1.0}, 1).p_value == Approx(.5));
    CHECK(sign_flip({1e-12, -1e-13}, 1).method == SignFlipMethod::nothing_differs);
    CHECK(sign_flip({}, 1).p_value == 1);
  }

  TEST_CASE("order and direction make no difference, sampled or not") {
    Random random(13);
    for (bool on_grid : {true, false}) {
      std::vector<double> differences(40);
      std::ranges::generate(differences, [&] {
        return on_grid ? (random.below(7) - 2.0) / 6 : random.fraction() - 0.4;
      });
      const SignFlip test = sign_flip(differences, 5);
      CHECK(test.method == (on_grid ? SignFlipMethod::exact : SignFlipMethod::sampled));
      random.shuffle(differences);
      CHECK(sign_flip(differences, 5).p_value == test.p_value);
      for (double& difference : differences) {
        difference = -difference;
      }
      CHECK(sign_flip(differences, 5).p_value == test.p_value);
    }
  }

  TEST_CASE("a sampled p-value is near the exact one, never 0, and hangs on the seed only") {
    std::vector<double> exact;
    std::vector<double> blurred; // the same up to what takes it off every grid
    Random random(17);
    for (int i = 0; i < 40; ++i) {
      exact.push_back((random.below(4) - 1.0) / 3);
      blurred.push_back(exact.back() == 0 ? 0 : exact.back() + 1e-5 * random.fraction());
    }
    const SignFlip sampled = sign_flip(blurred, 3);
    REQUIRE(sampled.method == SignFlipMethod::sampled);
    CHECK(sampled.p_value == sign_flip(blurred, 3).p_value);
    // Ties break under the blur: between P(> observed) and P(>= observed).
    CHECK(std::abs(sampled.p_value - sign_flip(exact, 3).p_value) < .1);
    std::vector<double> far(100, 0.5);
    for (double& difference : far) {
      difference += 0.1 * random.fraction();
    }
    CHECK(sign_flip(far, 3).p_value == Approx(1e-4));
  }

  TEST_CASE("the more on one side, the smaller the p-value") {
    double last = 1;
    for (std::size_t better = 5; better <= 20; ++better) {
      const double p = sign_flip(discordant(better, 20 - better, 0), 1).p_value;
      if (better > 10) {
        CHECK(p < last);
      }
      last = p;
    }
  }

  TEST_CASE("Holm's p-values") {
    // Holm's procedure by hand: 4 * .01, 3 * .02, then 2 * .03 and .04, which must not fall.
    const std::vector<double> adjusted = holm({.03, .01, .04, .02});
    CHECK(adjusted[1] == Approx(.04));
    CHECK(adjusted[3] == Approx(.06));
    CHECK(adjusted[0] == Approx(.06));
    CHECK(adjusted[2] == Approx(.06));
    CHECK(holm({.7, .9}) == std::vector<double>{1, 1});
    CHECK(holm({.04}) == std::vector<double>{.04});
    CHECK(holm({.02, .02}) == std::vector<double>{.04, .04});
    CHECK(holm({}).empty());
  }
}
