#include "skills/eval/random.h"
#include "skills/eval/verdict.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace upskill::eval;
using doctest::Approx;

namespace {

constexpr int k_seeds = 2'000;

std::vector<double> draw(Random& random, std::size_t runs, double rate) {
  std::vector<double> scores(runs);
  std::ranges::generate(scores, [&] { return random.fraction() < rate ? 1.0 : 0.0; });
  return scores;
}

PairedCase a_case(std::vector<double> with, std::vector<double> baseline) {
  PairedCase made;
  made.with.scores = std::move(with);
  made.baseline.scores = std::move(baseline);
  return made;
}

struct Samples {
  std::size_t runs;
  double rate;
};

// One after the other: the order of arguments is the compiler's, and what it draws must not be.
PairedCase draw_case(Random& random, Samples with, Samples baseline) {
  PairedCase made;
  made.with.scores = draw(random, with.runs, with.rate);
  made.baseline.scores = draw(random, baseline.runs, baseline.rate);
  return made;
}

Verdict judge_cases(const std::vector<PairedCase>& cases) {
  return judge(*compare_arms(cases));
}

struct Shares {
  double better = 0;
  double worse = 0;
};

// How often evaluations end so, each with a seed of its own; `make` draws the cases of one. With
// few resamples: the interval can only take verdicts back.
template <class Make> Shares judged(Make make, std::size_t resamples = 200) {
  int better = 0;
  int worse = 0;
  for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
    Random random(seed);
    const Verdict verdict =
        judge(*compare_arms(make(random), {.seed = seed, .resamples = resamples}));
    better += verdict.outcome == Outcome::better ? 1 : 0;
    worse += verdict.outcome == Outcome::worse ? 1 : 0;
  }
  const Shares shares{static_cast<double>(better) / k_seeds, static_cast<double>(worse) / k_seeds};
  MESSAGE("better in " << 100 * shares.better << " %, worse in " << 100 * shares.worse << " %");
  return shares;
}

// Cases whose rates come from `rate`, once for both arms.
template <class Rate> Shares judged_useless(std::size_t cases, std::size_t runs, Rate rate) {
  return judged([&](Random& random) {
    std::vector<PairedCase> made;
    for (std::size_t i = 0; i < cases; ++i) {
      const double both = rate(random);
      made.push_back(draw_case(random, {runs, both}, {runs, both}));
    }
    return made;
  });
}

} // namespace

TEST_SUITE("verdict") {
  TEST_CASE("a skill that changes nothing is called better in 5 % of evaluations at most") {
    for (double rate : {.2, .4, .6, .8}) {
      for (std::size_t cases : {5, 10, 20}) {
        for (std::size_t runs : {1, 3}) {
          CAPTURE(rate);
          CAPTURE(cases);
          CAPTURE(runs);
          const Shares shares = judged_useless(cases, runs, [&](Random&) { return rate; });
          CHECK(shares.better <= .05);
          CHECK(shares.worse <= .05);
        }
      }
    }
  }

  TEST_CASE("so it is where some cases are easy and some hard") {
    const Shares spread =
        judged_useless(20, 3, [](Random& random) { return .05 + .9 * random.fraction(); });
    CHECK(spread.better <= .05);
    const Shares split =
        judged_useless(20, 3, [](Random& random) { return random.below(2) == 0 ? .1 : .95; });
    CHECK(split.better <= .05);
    const Shares many = judged_useless(100, 5, [](Random& random) { return random.fraction(); });
    CHECK(many.better <= .05);
  }

  TEST_CASE("so it is where samples end in errors, and more of them with the skill") {
    for (double rate : {.2, .8}) {
      const Shares shares = judged([&](Random& random) {
        std::vector<PairedCase> cases;
        for (int i = 0; i < 20; ++i) {
          cases.push_back(draw_case(random, {random.below(4), rate}, {3, rate}));
        }
        return cases;
      });
      CHECK(shares.better <= .05);
      CHECK(shares.worse <= .05);
    }
  }

  TEST_CASE("so it is where one arm has many more samples") {
    for (double rate : {.1, .5, .9}) {
      for (std::size_t cases : {10, 20}) {
        CAPTURE(rate);
        CAPTURE(cases);
        const Shares shares = judged([&](Random& random) {
          std::vector<PairedCase> made;
          for (std::size_t i = 0; i < cases; ++i) {
            made.push_back(draw_case(random, {1, rate}, {10, rate}));
          }
          return made;
        });
        CHECK(shares.better <= .05);
        CHECK(shares.worse <= .05);
      }
    }
  }

  TEST_CASE("so it is where it helps as much as it harms, and in clusters of cases") {
    const Shares mixed = judged([](Random& random) {
      std::vector<PairedCase> cases;
      for (int i = 0; i < 20; ++i) {
        // A fifth of cases gains .4, and the others lose .1.
        const double with = random.below(5) == 0 ? .9 : .4;
        cases.push_back(draw_case(random, {3, with}, {3, .5}));
      }
      return cases;
    });
    CHECK(mixed.better <= .05);
    CHECK(mixed.worse <= .05);
    const Shares clustered = judged([](Random& random) {
      std::vector<PairedCase> cases;
      for (int fixture = 0; fixture < 10; ++fixture) {
        const double effect = random.below(2) == 0 ? .4 : -.4;
        for (int i = 0; i < 4; ++i) {
          cases.push_back(draw_case(random, {3, .5 + effect}, {3, .5}));
          cases.back().cluster = std::to_string(fixture);
        }
      }
      return cases;
    });
    CHECK(clustered.better <= .05);
    CHECK(clustered.worse <= .05);
  }

  TEST_CASE("a skill that lifts 60 to 95 % is called better in 90 % of evaluations at least") {
    const Shares lifted = judged(
        [](Random& random) {
          std::vector<PairedCase> cases;
          for (int i = 0; i < 20; ++i) {
            cases.push_back(draw_case(random, {3, .95}, {3, .6}));
          }
          return cases;
        },
        2'000);
    CHECK(lifted.better >= .9);
    CHECK(lifted.worse == 0);
    // Also where the baseline is split: .3 and .9, each in half of the cases.
    const Shares split = judged(
        [](Random& random) {
          std::vector<PairedCase> cases;
          for (int i = 0; i < 20; ++i) {
            cases.push_back(draw_case(random, {3, .95}, {3, i % 2 == 0 ? .3 : .9}));
          }
          return cases;
        },
        2'000);
    CHECK(split.better >= .9);
    const Shares harmful = judged(
        [](Random& random) {
          std::vector<PairedCase> cases;
          for (int i = 0; i < 20; ++i) {
            cases.push_back(draw_case(random, {3, .6}, {3, .95}));
          }
          return cases;
        },
        2'000);
    CHECK(harmful.worse >= .9);
  }

  TEST_CASE("a family of useless skills has one that is called better in 5 % at most") {
    const int models = 5;
    int any = 0;
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
      Random random(seed);
      std::vector<PairedComparison> comparisons;
      for (int model = 0; model < models; ++model) {
        std::vector<PairedCase> cases;
        for (int i = 0; i < 20; ++i) {
          cases.push_back(draw_case(random, {3, .6}, {3, .6}));
        }
        comparisons.push_back(*compare_arms(cases, {.seed = seed, .resamples = 200}));
      }
      any += std::ranges::any_of(judge_family(comparisons), [](const Verdict& verdict) {
        return verdict.outcome != Outcome::undecided;
      });
    }
    CHECK(any / static_cast<double>(k_seeds) <= .05 + .01); // alpha, and 2 errors of the share
  }

  TEST_CASE("too few cases decide nothing, however good they look") {
    for (std::size_t count : {1, 2, 3, 4, 5}) {
      CAPTURE(count);
      const Verdict verdict =
          judge_cases(std::vector<PairedCase>(count, a_case({1, 1, 1}, {0, 0, 0})));
      CHECK(verdict.outcome == Outcome::undecided);
      CHECK(verdict.reason == Reason::too_few_units);
      CHECK(verdict.more_cases == 6 - count);
      CHECK_FALSE(verdict.detectable_lift); // none shows, however large
      CHECK(verdict.test.p_value == Approx(std::pow(.5, count - 1)));
      CHECK(verdict.is_beneficial); // upskill says so
    }
    const Verdict six = judge_cases(std::vector<PairedCase>(6, a_case({1}, {0})));
    CHECK(six.outcome == Outcome::better);
    CHECK(six.reason == Reason::significant);
    CHECK_FALSE(six.more_cases);
    CHECK(judge_cases(std::vector<PairedCase>(6, a_case({0}, {1}))).outcome == Outcome::worse);
    // Six copies of one case are one case.
    PairedCase copy = a_case({1}, {0});
    copy.cluster = "same";
    CHECK(judge_cases(std::vector<PairedCase>(6, copy)).reason == Reason::too_few_units);
  }

  TEST_CASE("nothing, and nothing but errors") {
    const Verdict none = judge_cases({});
    CHECK(none.outcome == Outcome::undecided);
    CHECK(none.reason == Reason::no_cases);
    CHECK_FALSE(none.detectable_lift);
    CHECK_FALSE(none.more_cases);
    CHECK_FALSE(none.is_beneficial);
    PairedCase failed;
    failed.with.errors = 3;
    failed.baseline.errors = 3;
    const Verdict errors = judge_cases(std::vector<PairedCase>(20, failed));
    CHECK(errors.outcome == Outcome::undecided);
    CHECK(errors.reason == Reason::no_pairs);
    // Errors in one arm are no failures of it.
    PairedCase only_baseline = a_case({}, {0, 0, 0});
    only_baseline.with.errors = 3;
    CHECK(judge_cases(std::vector<PairedCase>(20, only_baseline)).reason == Reason::no_pairs);
    CHECK(to_string(errors.outcome) == "undecided");
    CHECK(to_string(errors.reason) == "no case has a score in both arms");
  }

  TEST_CASE("all the same is undecided, and says what it could have found") {
    const Verdict verdict = judge_cases(std::vector<PairedCase>(20, a_case({1, 1, 0}, {1, 0, 1})));
    CHECK(verdict.outcome == Outcome::undecided);
    CHECK(verdict.reason == Reason::nothing_differs);
    CHECK(verdict.test.p_value == 1);
    CHECK(*verdict.detectable_lift > 0); // that 20 cases vary not at all is no plan for more
    CHECK_FALSE(verdict.more_cases);     // no number of cases finds a lift of nothing
    CHECK_FALSE(verdict.is_beneficial);
  }

  TEST_CASE("one case that turns a corner is chance, and many more would tell") {
    std::vector<PairedCase> cases(19, a_case({1}, {1}));
    cases.push_back(a_case({1}, {0}));
    const Verdict verdict = judge_cases(cases);
    CHECK(verdict.reason == Reason::chance);
    CHECK(verdict.test.p_value == 1);
    CHECK(*verdict.more_cases > 100);
    CHECK_FALSE(verdict.is_beneficial); // .05 exactly
  }

  TEST_CASE("what it would take falls with the lift that was seen") {
    auto seen = [](std::size_t better) {
      std::vector<PairedCase> cases(better, a_case({1}, {0}));
      cases.insert(cases.end(), 4, a_case({0}, {1}));
      cases.insert(cases.end(), 16 - better, a_case({1}, {1}));
      return judge_cases(cases);
    };
    CHECK(seen(6).outcome == Outcome::undecided);
    CHECK(*seen(8).more_cases < *seen(6).more_cases);
    CHECK(seen(16).outcome == Outcome::better); // 16 against 4: p = .012
    CHECK(seen(8).test.p_value == Approx(mcnemar(8, 4)));
  }

  TEST_CASE("the interval has a say") {
    // Six times the same third: the test has p = .031, and six draws leave room for harm.
    const Verdict verdict = judge_cases(std::vector<PairedCase>(6, a_case({1, 0, 0}, {0, 0, 0})));
    CHECK(verdict.test.p_value == Approx(.03125));
    CHECK(verdict.outcome == Outcome::undecided);
    CHECK(verdict.reason == Reason::wide_interval);
  }

  TEST_CASE("a test of some samples that contradicts all of them decides nothing") {
    // The first sample of each case is worse with the skill, and the nine after it are not drawn
    // for the baseline.
    const Verdict verdict =
        judge_cases(std::vector<PairedCase>(20, a_case({0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {.5})));
    CHECK(verdict.test.p_value < .001);
    CHECK(verdict.outcome == Outcome::undecided);
    CHECK(verdict.reason == Reason::chance);
  }

  TEST_CASE("models judged together have Holm's p-values, those without pairs none") {
    const PairedComparison good = *compare_arms(std::vector<PairedCase>(6, a_case({1}, {0})));
    const PairedComparison nothing = *compare_arms({});
    CHECK(judge_family({good, nothing})[0].outcome == Outcome::better);
    const std::vector<Verdict> both = judge_family({good, good, nothing});
    REQUIRE(both.size() == 3);
    CHECK(both[0].adjusted_p_value == Approx(.0625));
    CHECK(both[0].reason == Reason::chance);
    CHECK(both[2].reason == Reason::no_cases);
    CHECK(judge_family({}).empty());
  }

  TEST_CASE("upskill's rule does not hang on rounding") {
    // All pairs of passes of 20 that are one apart: 8 of them are over .05 in doubles, none is.
    int over = 0;
    for (int base = 0; base < 20; ++base) {
      const double lift = (base + 1) / 20.0 - base / 20.0;
      over += lift > .05 ? 1 : 0;
      CHECK_FALSE(is_beneficial(lift, std::nullopt));
      CHECK(is_beneficial((base + 2) / 20.0 - base / 20.0, std::nullopt));
    }
    CHECK(over == 8);
    CHECK(is_beneficial(.3 - (.1 + .2), .5)); // 0 on paper, and below it in doubles
    CHECK_FALSE(is_beneficial(-.01, .9));
    CHECK_FALSE(is_beneficial(0, 1 - .8)); // .2, and a little less
    CHECK_FALSE(is_beneficial(0, 1 - 80 / 100.0));
    CHECK(is_beneficial(0, .21));
    CHECK_FALSE(is_beneficial(0, std::nullopt));
    CHECK(is_beneficial(.06, -5));
  }

  TEST_CASE("upskill's rule is no verdict: without any effect it holds in a third of evaluations") {
    // Single runs; all pairs of passes by their chance.
    struct Row {
      int cases;
      double at_4, at_6, at_8; // by rate
    };

    auto chance = [](int cases, double rate) {
      std::vector<double> passes(static_cast<std::size_t>(cases) + 1, 0);
      passes[0] = 1;
      for (int i = 0; i < cases; ++i) {
        for (std::size_t k = passes.size(); k-- > 0;) {
          passes[k] = passes[k] * (1 - rate) + (k > 0 ? passes[k - 1] * rate : 0);
        }
      }
      double beneficial = 0;
      for (std::size_t with = 0; with < passes.size(); ++with) {
        for (std::size_t baseline = 0; baseline < passes.size(); ++baseline) {
          const double lift =
              static_cast<double>(with) / cases - static_cast<double>(baseline) / cases;
          beneficial += is_beneficial(lift, std::nullopt) ? passes[with] * passes[baseline] : 0;
        }
      }
      return beneficial;
    };
    for (const Row& row : {Row{3, .340, .340, .291},
                           Row{4, .360, .360, .320},
                           Row{5, .374, .374, .340},
                           Row{10, .410, .410, .388}}) {
      CAPTURE(row.cases);
      CHECK(std::abs(chance(row.cases, .4) - row.at_4) <= .0005);
      CHECK(std::abs(chance(row.cases, .6) - row.at_6) <= .0005);
      CHECK(std::abs(chance(row.cases, .8) - row.at_8) <= .0005);
    }
  }

  TEST_CASE("the same cases in another order have the same verdict") {
    Random random(3);
    std::vector<PairedCase> cases;
    for (int i = 0; i < 25; ++i) {
      cases.push_back(draw_case(random, {3, .7}, {2, .5}));
    }
    const Verdict verdict = judge_cases(cases);
    for (int round = 0; round < 5; ++round) {
      random.shuffle(cases);
      const Verdict again = judge_cases(cases);
      CHECK(again.outcome == verdict.outcome);
      CHECK(again.test.p_value == verdict.test.p_value);
      CHECK(again.more_cases == verdict.more_cases);
    }
  }
}
