#include "skills/eval/random.h"
#include "skills/eval/sequential.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

using namespace upskill;
using namespace upskill::eval;
using doctest::Approx;

namespace {

struct Course {
  double to_alternative = 0; // the chance of that decision
  double to_null = 0;
  double mean_runs = 0;
};

// What a test does at a true success rate, exactly: from the chance of every number of passes among
// so many runs without a decision. After 600 runs less than 1e-9 is left of the tests here.
Course follow(const Sprt& start, double rate) {
  struct State {
    Sprt test;
    double chance;
  };

  Course course;
  std::map<std::size_t, State> undecided{{0, {start, 1}}}; // by passes
  for (std::size_t run = 1; run <= 600; ++run) {
    std::map<std::size_t, State> next;
    for (const auto& [passes, state] : undecided) {
      for (bool passed : {true, false}) {
        State then = state;
        then.test.add(passed);
        then.chance *= passed ? rate : 1 - rate;
        if (then.test.decision()) {
          (then.test.decision() == Hypothesis::null ? course.to_null : course.to_alternative) +=
              then.chance;
          course.mean_runs += static_cast<double>(run) * then.chance;
          continue;
        }
        auto [place, is_new] = next.try_emplace(passes + (passed ? 1 : 0), then);
        if (!is_new) {
          place->second.chance += then.chance;
        }
      }
    }
    undecided = std::move(next);
  }
  return course;
}

// The share of 2,000 seeds in which a process that is looked at after each of 300 cases ever
// rejects.
template <class Draw> double rejected(double alpha, Draw draw) {
  int rejections = 0;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    Random random(seed);
    EvidenceProcess process;
    for (int i = 0; i < 300 && !process.rejects(alpha); ++i) {
      process.add(draw(random));
    }
    rejections += process.rejects(alpha) ? 1 : 0;
  }
  return rejections / 2'000.0;
}

} // namespace

TEST_SUITE("sequential") {
  TEST_CASE("the test of .9 against .7 errs and lasts as computed") {
    struct Row {
      double rate, regressed, regressed_digit, runs;
    };

    const Sprt test = *Sprt::open({});
    for (const Row& row : {Row{.9, .0330, .00005, 18.5},
                           Row{.8, .508, .0005, 28.1},
                           Row{.7, .907, .0005, 18.4},
                           Row{.5, .998, .0005, 8.0}}) {
      CAPTURE(row.rate);
      const Course course = follow(test, row.rate);
      CHECK(course.to_alternative + course.to_null == Approx(1).epsilon(1e-9));
      CHECK(std::abs(course.to_alternative - row.regressed) <= row.regressed_digit);
      CHECK(std::abs(course.mean_runs - row.runs) <= .05);
    }
  }

  TEST_CASE("both errors stay near what was asked for, whatever the rates") {
    // Wald: their sum is at most alpha + beta, each at most alpha/(1-beta) and beta/(1-alpha).
    for (double null_rate : {.95, .8, .5}) {
      for (double drop : {.1, .2, .4}) {
        CAPTURE(null_rate);
        CAPTURE(drop);
        const SprtOptions options{.null_rate = null_rate, .alternative_rate = null_rate - drop};
        const Sprt test = *Sprt::open(options);
        const Course still_good = follow(test, options.null_rate);
        const Course worse = follow(test, options.alternative_rate);
        CHECK(still_good.to_alternative <= .05 / .9 + 1e-6);
        CHECK(worse.to_null <= .1 / .95 + 1e-6);
        CHECK(still_good.to_alternative + worse.to_null <= .15 + 1e-6);
      }
    }
  }

  TEST_CASE("a paired test decides on who passes where the other fails") {
    const Sprt test = *Sprt::open_paired(.8);
    const Course alike = follow(test, .5);
    const Course losing = follow(test, .2); // the new version passes in a fifth of discordant pairs
    CHECK(alike.to_alternative <= .05 / .9);
    CHECK(losing.to_null <= .1 / .95);
    CHECK(follow(test, .9).to_alternative < .001);
    Sprt lost = test;
    while (!lost.decision()) {
      lost.add(false);
    }
    // ln(18)/ln(1.6) = 6.15: seven pairs lost in a row.
    CHECK(lost.runs() == 7);
    CHECK(lost.decision() == Hypothesis::alternative);
  }

  TEST_CASE("a decision stays") {
    Sprt test = *Sprt::open({});
    for (int i = 0; i < 3; ++i) {
      CHECK_FALSE(test.decision());
      test.add(false);
    }
    // 3 ln 3 = 3.30 is over ln 18 = 2.89.
    CHECK(test.log_ratio() == Approx(3 * std::log(3.0)));
    REQUIRE(test.decision() == Hypothesis::alternative);
    for (int i = 0; i < 100; ++i) {
      test.add(true);
    }
    CHECK(test.decision() == Hypothesis::alternative);
    CHECK(test.runs() == 3);
  }

  TEST_CASE("tests that could decide nothing, or everything, are refused") {
    CHECK(Sprt::open({.null_rate = 1}).error().code == ErrorCode::invalid_argument);
    CHECK(Sprt::open({.alternative_rate = 0}).error().code == ErrorCode::invalid_argument);
    CHECK(Sprt::open({.null_rate = .7}).error().code == ErrorCode::invalid_argument);
    CHECK(Sprt::open({.alpha = 0}).error().code == ErrorCode::invalid_argument);
    CHECK(Sprt::open({.alpha = .5, .beta = .5}).error().code == ErrorCode::invalid_argument);
    CHECK(Sprt::open({.null_rate = std::nan("")}).error().code == ErrorCode::invalid_argument);
    CHECK_FALSE(Sprt::open_paired(.5));
    CHECK_FALSE(Sprt::open_paired(1));
  }

  TEST_CASE("evidence is the mean wealth of the stakes") {
    EvidenceProcess process;
    CHECK(process.evidence() == 1);
    CHECK(process.p_value() == 1);
    process.add(1); // 1.1, 1.3, 1.5, 1.7, 1.9
    CHECK(process.evidence() == Approx(1.5));
    process.add(-1); // 1 - stake^2: .99, .91, .75, .51, .19
    CHECK(process.evidence() == Approx(.67));
    CHECK(process.p_value() == Approx(1 / 1.5));
    process.add(0);
    process.add(std::nan(""));
    CHECK(process.evidence() == Approx(.67));
    for (int i = 0; i < 10'000; ++i) {
      process.add(std::numeric_limits<double>::infinity()); // as 1
    }
    CHECK(process.p_value() == 0);
    CHECK(process.rejects(1e-300));
  }

  TEST_CASE("looking after every case does not find what is not there") {
    CHECK(rejected(.05, [](Random& random) { return random.below(2) == 0 ? 1.0 : -1.0; }) <= .05);
    CHECK(rejected(.05, [](Random& random) { return 2 * random.fraction() - 1; }) <= .05);
    // Mean 0 with rare large losses, then with rare large gains.
    CHECK(rejected(.05, [](Random& random) { return random.below(10) == 0 ? -.9 : .1; }) <= .05);
    CHECK(rejected(.05, [](Random& random) { return random.below(10) == 0 ? .9 : -.1; }) <= .05);
    // And finds what is.
    CHECK(rejected(.05, [](Random& random) { return random.fraction() < .7 ? .5 : -.5; }) >= .99);
    CHECK(rejected(.05, [](Random& random) { return random.fraction() < .65 ? 1. : -1.; }) >= .95);
  }
}
