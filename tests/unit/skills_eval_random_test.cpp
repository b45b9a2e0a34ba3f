#include "skills/eval/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

using namespace upskill::eval;

TEST_SUITE("random") {
  TEST_CASE("the generator is the published one") {
    // The first outputs of the authors' xoshiro256plusplus.c for the state 1, 2, 3, 4.
    Random random({1, 2, 3, 4});
    CHECK(random.next() == 41943041U);
    CHECK(random.next() == 58720359U);
    CHECK(random.next() == 3588806011781223U);
    CHECK(random.next() == 3591011842654386U);
    CHECK(random.next() == 9228616714210784205U);
    CHECK(random.next() == 9973669472204895162U);
  }

  TEST_CASE("a seed fills the state with SplitMix64") {
    // splitmix64.c for the seed 0.
    Random filled(
        {0xe220a8397b1dcdafU, 0x6e789e6aa1b965f4U, 0x06c45d188009454fU, 0xf88bb8a8724c81ecU});
    Random seeded(0);
    for (int i = 0; i < 10; ++i) {
      CHECK(seeded.next() == filled.next());
    }
    CHECK(Random(1).next() != Random(2).next());
  }

  TEST_CASE("numbers below a bound are as many of each") {
    Random random(7);
    CHECK(random.below(0) == 0);
    CHECK(random.below(1) == 0);
    for (std::uint32_t bound : {2U, 3U, 7U, 10U}) {
      CAPTURE(bound);
      std::map<std::uint32_t, int> counts;
      for (int i = 0; i < 70'000; ++i) {
        ++counts[random.below(bound)];
      }
      REQUIRE(counts.size() == bound);
      REQUIRE(counts.rbegin()->first == bound - 1);
      const double expected = 70'000.0 / bound;
      double chi_square = 0;
      for (auto [value, count] : counts) {
        chi_square += (count - expected) * (count - expected) / expected;
      }
      CHECK(chi_square < 28); // the 0.999 quantile for 9 degrees of freedom, 27.9
    }
    // Two thirds of 2^32: without rejection the lower half would come twice as often as the upper.
    std::uint32_t low = 0;
    for (int i = 0; i < 10'000; ++i) {
      low += random.below(2'863'311'530U) < 1'431'655'765U ? 1 : 0;
    }
    CHECK(low > 4'800);
    CHECK(low < 5'200);
  }

  TEST_CASE("fractions lie in 0..1, without 1") {
    Random random(7);
    double sum = 0;
    for (int i = 0; i < 10'000; ++i) {
      const double fraction = random.fraction();
      REQUIRE(fraction >= 0);
      REQUIRE(fraction < 1);
      sum += fraction;
    }
    CHECK(sum / 10'000 == doctest::Approx(0.5).epsilon(0.02));
  }

  TEST_CASE("a shuffle gives every order alike") {
    Random random(3);
    std::map<std::vector<int>, int> counts;
    for (int i = 0; i < 24'000; ++i) {
      std::vector<int> values{1, 2, 3, 4};
      random.shuffle(values);
      ++counts[values];
    }
    REQUIRE(counts.size() == 24);
    for (const auto& [order, count] : counts) {
      CHECK(count > 850);
      CHECK(count < 1'150);
    }
    std::vector<int> none;
    random.shuffle(none);
    CHECK(none.empty());
  }
}
