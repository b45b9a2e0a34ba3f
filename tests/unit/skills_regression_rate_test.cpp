#include "skills/regression/accepted.h"
#include "skills/regression/estimate.h"
#include "skills/regression/rate_test.h"
#include "skills/regression/spending.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

using namespace upskill;
using namespace upskill::regression;
using doctest::Approx;
using eval::Hypothesis;

namespace {

std::vector<bool> runs(std::size_t passes, std::size_t failures) {
  std::vector<bool> all(passes, true);
  all.insert(all.end(), failures, false);
  return all;
}

} // namespace

TEST_SUITE("rate test") {
  TEST_CASE("with the accepted rate as good as known it is Wald's test") {
    struct Row {
      double rate, regressed, regressed_digit, samples;
    };

    // The facts' table: .9 against .7, with Wald's limits of alpha .05 and beta .1, 18 and 2/19.
    const RateTest test = *RateTest::open({.passes = 9e8,
                                           .failures = 1e8,
                                           .drop = .2,
                                           .alpha = 1. / 18,
                                           .beta = 2. / 19 * 17 / 18,
                                           .all_lost = 0,
                                           .most = 600});
    for (const Row& row : {Row{.9, .0330, .00005, 18.5},
                           Row{.8, .508, .0005, 28.1},
                           Row{.7, .907, .0005, 18.4},
                           Row{.5, .998, .0005, 8.0}}) {
      CAPTURE(row.rate);
      const Course course = follow(test, row.rate, 600);
      CHECK(course.worse + course.equal == Approx(1).epsilon(1e-9));
      CHECK(std::abs(course.worse - row.regressed) <= row.regressed_digit);
      CHECK(std::abs(course.samples - row.samples) <= .05);
    }
  }

  TEST_CASE("the fewer accepted samples the later it decides, never sooner") {
    std::size_t before = 0;
    for (const double samples : {1e9, 160.0, 60.0, 20.0}) {
      CAPTURE(samples);
      const RateTest test = *RateTest::open({.passes = .9 * samples, .failures = .1 * samples});
      std::size_t failures = 0;
      while (!test.at(2 * failures, failures)) { // two of three pass
        ++failures;
      }
      CHECK(test.at(2 * failures, failures) == Hypothesis::alternative);
      CHECK(failures >= before);
      before = failures;
    }
    CHECK(before > 6); // Wald's own decides after six
  }

  TEST_CASE("what fails everywhere is found soon, with few accepted samples and at a late edit") {
    struct Row {
      double accepted;
      std::size_t look, failures;
    };

    for (const Row& row :
         {Row{3, 1, 6}, Row{5, 1, 5}, Row{9, 4, 6}, Row{15, 4, 5}, Row{60, 4, 4}}) {
      CAPTURE(row.accepted);
      RateTestOptions options{.passes = row.accepted, .alpha = *alpha_of_look(.05, row.look, 1)};
      CHECK(RateTest::open(options)->at(0, row.failures) == Hypothesis::alternative);
    }
    // As a rate that is lower by the drop, and nothing else, it is not.
    RateTestOptions options{.passes = 9, .alpha = *alpha_of_look(.05, 4, 1), .all_lost = 0};
    CHECK_FALSE(RateTest::open(options)->at(0, 6));
  }

  TEST_CASE("a decision stays") {
    RateTest test = *RateTest::open({.passes = 57, .failures = 3});
    while (!test.decision()) {
      test.add(false);
    }
    REQUIRE(test.decision() == Hypothesis::alternative);
    const std::size_t failures = test.failures();
    for (int i = 0; i < 300; ++i) {
      test.add(true);
    }
    CHECK(test.decision() == Hypothesis::alternative);
    CHECK(test.failures() == failures);
    CHECK(test.passes() == 0);
  }

  TEST_CASE("more failures never speak for a version, nor more passes against it") {
    for (const RateTestOptions& options : {RateTestOptions{.passes = 57, .failures = 3},
                                           RateTestOptions{.passes = 60, .failures = 0},
                                           RateTestOptions{.passes = 8, .failures = 12},
                                           RateTestOptions{.passes = 30, .failures = 30},
                                           RateTestOptions{.passes = 1, .failures = 0}}) {
      CAPTURE(options.passes);
      const RateTest test = *RateTest::open(options);
      for (std::size_t passes = 0; passes < 150; ++passes) {
        for (std::size_t failures = 0; failures < 150; ++failures) {
          if (test.at(passes, failures) == Hypothesis::alternative) {
            REQUIRE(test.at(passes, failures + 1) == Hypothesis::alternative);
          }
          if (test.at(passes, failures) == Hypothesis::null) {
            REQUIRE(test.at(passes + 1, failures) == Hypothesis::null);
          }
        }
      }
    }
  }

  TEST_CASE("what could decide nothing, or everything, is refused") {
    const double nan = std::nan("");
    const double infinite = std::numeric_limits<double>::infinity();
    for (const RateTestOptions& options :
         {RateTestOptions{},
          RateTestOptions{.passes = -1, .failures = 9},
          RateTestOptions{.passes = nan, .failures = 9},
          RateTestOptions{.passes = infinite},
          RateTestOptions{.passes = 9, .drop = 0},
          RateTestOptions{.passes = 9, .drop = 1},
          RateTestOptions{.passes = 9, .drop = nan},
          RateTestOptions{.passes = 9, .alpha = 0},
          RateTestOptions{.passes = 9, .alpha = .6, .beta = .4},
          RateTestOptions{.passes = 9, .beta = nan},
          RateTestOptions{.passes = 9, .all_lost = -.1},
          RateTestOptions{.passes = 9, .all_lost = 1},
          RateTestOptions{.passes = 9, .most = 0},
          RateTestOptions{.passes = 9, .most = k_most_samples + 1}}) {
      const auto test = RateTest::open(options);
      REQUIRE_FALSE(test);
      CHECK(test.error().code == ErrorCode::invalid_argument);
    }
  }

  TEST_CASE("all looks there can be share one alpha") {
    double spent = 0;
    for (std::size_t look = 1; look <= 10'000; ++look) {
      spent += *alpha_of_look(.05, look, 1);
    }
    CHECK(spent < .05);
    CHECK(spent > .0499);
    CHECK(*alpha_of_look(.05, 1, 1) == Approx(.05 * 6 / (std::numbers::pi * std::numbers::pi)));
    CHECK(*alpha_of_look(.05, 3, 1) == Approx(*alpha_of_look(.05, 1, 1) / 9));
    CHECK(*alpha_of_look(.05, 2, 4) == Approx(*alpha_of_look(.05, 2, 1) / 4));
    CHECK_FALSE(alpha_of_look(0, 1, 1));
    CHECK_FALSE(alpha_of_look(1, 1, 1));
    CHECK_FALSE(alpha_of_look(std::nan(""), 1, 1));
    CHECK_FALSE(alpha_of_look(.05, 0, 1));
    CHECK_FALSE(alpha_of_look(.05, 1, 0));
  }
}

TEST_SUITE("accepted samples") {
  TEST_CASE("without flaky cases all samples count") {
    const Accepted accepted = weigh_accepted({runs(3, 0), runs(2, 1), runs(0, 3)});
    CHECK(accepted.passes == Approx(5));
    CHECK(accepted.failures == Approx(4));
    CHECK(accepted.count(CaseGate::gated) == 3); // three runs show nothing about flakiness
    CHECK_FALSE(accepted.cases[1].is_flaky);
    CHECK(accepted.cases[1].passes == 2);
    CHECK(accepted.cases[1].runs == 3);
  }

  TEST_CASE("a flaky case among stable ones is out of the gate, and not as if it never failed") {
    CaseOutcomes outcomes(8, runs(6, 0));
    outcomes[2] = runs(3, 3);
    outcomes[5] = runs(5, 1);
    const Accepted accepted = weigh_accepted(outcomes);
    CHECK(accepted.cases[2].gate == CaseGate::quarantined);
    CHECK(accepted.cases[5].gate == CaseGate::quarantined);
    CHECK(accepted.cases[2].passes == 3);
    CHECK(accepted.count(CaseGate::gated) == 6);
    CHECK(accepted.passes == Approx(36));
    // Of case 5 the run that failed: the five others would have let it in.
    CHECK(accepted.failures == Approx(1));
  }

  TEST_CASE("where more than one in four is flaky it is the suite, and none is left out") {
    CaseOutcomes outcomes(8, runs(6, 0));
    outcomes[0] = outcomes[1] = outcomes[2] = runs(4, 2);
    const Accepted accepted = weigh_accepted(outcomes);
    CHECK(accepted.count(CaseGate::gated) == 8);
    CHECK(accepted.cases[0].is_flaky);
    CHECK(accepted.passes == Approx(42));
    CHECK(accepted.failures == Approx(6));
  }

  TEST_CASE("four of five is flaky, three of four is not known to be") {
    CaseOutcomes outcomes(9, runs(5, 0));
    outcomes[0] = runs(4, 1);
    outcomes[1] = runs(3, 1);
    const Accepted accepted = weigh_accepted(outcomes);
    CHECK(accepted.cases[0].gate == CaseGate::quarantined);
    CHECK(accepted.cases[1].gate == CaseGate::gated);
  }

  TEST_CASE("cases weigh the same, however many of their runs ended in errors") {
    const Accepted accepted = weigh_accepted({runs(4, 0), runs(0, 1)});
    CHECK(accepted.rate() == Approx(.5));
    // Var of the mean: (1/4 + 1/1)/4 of one sample's, as of 3.2 of them.
    CHECK(accepted.samples() == Approx(3.2));
  }

  TEST_CASE("cases without samples, and nothing at all") {
    const Accepted one = weigh_accepted({{}, runs(2, 0)});
    CHECK(one.cases[0].gate == CaseGate::unknown);
    CHECK(one.count(CaseGate::gated) == 1);
    CHECK(one.samples() == Approx(2));
    CHECK(weigh_accepted({}).samples() == 0);
    CHECK(weigh_accepted({{}, {}}).samples() == 0);
    CHECK(weigh_accepted({{}}).rate() == 0);
  }
}
