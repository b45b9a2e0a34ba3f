#include "skills/eval/power.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace upskill;
using namespace upskill::eval;
using doctest::Approx;

TEST_SUITE("power") {
  TEST_CASE("how many cases find a lift") {
    struct Row {
      double lift;
      std::size_t at_1, at_3, at_5, at_10; // by runs
    };

    for (const Row& row : {Row{.05, 1225, 597, 471, 377},
                           Row{.1, 307, 150, 118, 95},
                           Row{.2, 77, 38, 30, 24},
                           Row{.3, 35, 17, 14, 11}}) {
      CAPTURE(row.lift);
      CHECK(cases_needed(row.lift, 1) == row.at_1);
      CHECK(cases_needed(row.lift, 3) == row.at_3);
      CHECK(cases_needed(row.lift, 5) == row.at_5);
      CHECK(cases_needed(row.lift, 10) == row.at_10);
      CHECK(cases_needed(-row.lift, 3) == row.at_3);
    }
  }

  TEST_CASE("what five cases find") {
    CHECK(std::abs(*detectable_lift(5, 1) - .78) < .005);
    CHECK(std::abs(*detectable_lift(5, 3) - .55) < .005);
    CHECK(std::abs(*detectable_lift(5, 5) - .49) < .005);
    CHECK(std::abs(*detectable_lift(5, 10) - .43) < .005);
  }

  TEST_CASE("each is the inverse of the other") {
    for (std::size_t runs : {1, 2, 3, 5, 10}) {
      for (std::size_t cases : {2, 5, 20, 100, 1000}) {
        CHECK(cases_needed(*detectable_lift(cases, runs), runs) == cases);
      }
    }
  }

  TEST_CASE("more cases beat more runs") {
    CHECK(*detectable_lift(20, 1) < *detectable_lift(10, 2));
    // Runs cannot take away what differs between cases.
    CHECK(*detectable_lift(5, 1'000'000) > (1.95 + .84) * .3 / std::sqrt(5.0));
    CHECK(*detectable_lift(20, 3) < *detectable_lift(20, 3, {}, {.power = .9}));
    CHECK(*detectable_lift(20, 3) < *detectable_lift(20, 3, {}, {.alpha = .01}));
  }

  TEST_CASE("a plan of nothing is refused") {
    CHECK(cases_needed(0, 3).error().code == ErrorCode::invalid_argument);
    CHECK(cases_needed(std::nan(""), 3).error().code == ErrorCode::invalid_argument);
    CHECK(cases_needed(.1, 0).error().code == ErrorCode::invalid_argument);
    CHECK(detectable_lift(0, 3).error().code == ErrorCode::invalid_argument);
    CHECK(cases_needed(.1, 3, {.between = -1}).error().code == ErrorCode::invalid_argument);
    CHECK(cases_needed(.1, 3, {}, {.alpha = 0}).error().code == ErrorCode::invalid_argument);
    CHECK(cases_needed(.1, 3, {}, {.power = 1}).error().code == ErrorCode::invalid_argument);
  }
}
