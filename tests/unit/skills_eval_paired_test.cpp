#include "skills/eval/paired.h"
#include "skills/eval/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace upskill;
using namespace upskill::eval;
using doctest::Approx;

namespace {

PairedCase
a_case(std::vector<double> with, std::vector<double> baseline, std::string cluster = {}) {
  PairedCase made;
  made.cluster = std::move(cluster);
  made.with.scores = std::move(with);
  made.baseline.scores = std::move(baseline);
  return made;
}

PairedCase with_tokens(std::optional<double> with, std::optional<double> baseline) {
  PairedCase made = a_case({1}, {0});
  made.with.tokens = with;
  made.baseline.tokens = baseline;
  return made;
}

// Three runs an arm, with clusters of one to three cases when asked for.
std::vector<PairedCase> some_cases(std::uint64_t seed, std::size_t count, bool clustered) {
  Random random(seed);
  std::vector<PairedCase> cases;
  for (std::size_t i = 0; i < count; ++i) {
    PairedCase made = a_case({}, {}, clustered ? "fixture " + std::to_string(i / 3) : "");
    made.id = std::to_string(i);
    for (int run = 0; run < 3; ++run) {
      made.with.scores.push_back(random.below(4) > 0 ? 1 : 0);
      made.baseline.scores.push_back(random.below(2));
    }
    made.with.tokens = 100 + random.below(1'000);
    made.baseline.tokens = 100 + random.below(1'000);
    cases.push_back(std::move(made));
  }
  return cases;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviations(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - mean(a)) * (b[i] - mean(b));
  }
  return sum;
}

} // namespace

TEST_SUITE("paired") {
  TEST_CASE("the case is the unit, whatever its number of runs") {
    // A hundred runs of one case weigh as much as one run of another.
    const auto comparison = compare_arms(
        {a_case(std::vector<double>(100, 1), {0}), a_case({0}, {1}), a_case({1}, {1})});
    REQUIRE(comparison);
    CHECK(comparison->lift == Approx(0).scale(1));
    CHECK(comparison->with.mean == Approx(2 / 3.0));
    CHECK(comparison->baseline.mean == Approx(2 / 3.0));
    CHECK(comparison->with.samples == 102);
    CHECK(comparison->better == 1);
    CHECK(comparison->worse == 1);
    CHECK(comparison->equal == 1);
    CHECK(comparison->units == 3);
    CHECK(*comparison->gain == Approx(0).scale(1));
    CHECK(comparison->unit_differences == std::vector<double>{-1, 0, 1});
    // For the test, as many samples of each arm: 1 against 0, not 2/3.
    const auto uneven = compare_arms({a_case({1, 1, 0}, {0})});
    CHECK(uneven->unit_differences == std::vector<double>{1});
    CHECK(uneven->lift == Approx(2 / 3.0));
    // d = 1, -1, 0: sqrt(2/(3*2)).
    CHECK(*comparison->standard_error == Approx(std::sqrt(1 / 3.0)));
  }

  TEST_CASE("cases without a score in both arms are left out, and errors are no failures") {
    PairedCase failed = a_case({}, {1});
    failed.with.errors = 3;
    PairedCase partly = a_case({1}, {0, 0});
    partly.with.errors = 2;
    const auto comparison = compare_arms({failed, partly, a_case({1}, {}), a_case({}, {})});
    REQUIRE(comparison);
    CHECK(comparison->cases == 1);
    CHECK(comparison->left_out == 3);
    CHECK(comparison->lift == 1);
    CHECK(comparison->with.mean == 1);
    CHECK(comparison->with.errors == 5);
    CHECK(comparison->baseline.errors == 0);
    CHECK_FALSE(comparison->standard_error);
    CHECK_FALSE(comparison->interval);
    CHECK_FALSE(comparison->tokens);
    CHECK_FALSE(comparison->token_savings);
  }

  TEST_CASE("no case, and no pair") {
    for (const auto& cases :
         {std::vector<PairedCase>{}, std::vector<PairedCase>{a_case({}, {0})}}) {
      const auto comparison = compare_arms(cases);
      REQUIRE(comparison);
      CHECK(comparison->cases == 0);
      CHECK(comparison->units == 0);
      CHECK(comparison->lift == 0);
      CHECK_FALSE(comparison->interval);
      CHECK_FALSE(comparison->gain);
      CHECK_FALSE(comparison->with.standard_error);
    }
  }

  TEST_CASE("the standard error is that of both arms and their correlation") {
    const std::vector<PairedCase> cases = some_cases(4, 40, false);
    const auto comparison = compare_arms(cases);
    std::vector<double> with;
    std::vector<double> baseline;
    for (const PairedCase& paired_case : cases) {
      with.push_back(mean(paired_case.with.scores));
      baseline.push_back(mean(paired_case.baseline.scores));
    }
    const double correlation = deviations(with, baseline)
                               / std::sqrt(deviations(with, with) * deviations(baseline, baseline));
    const double a = *comparison->with.standard_error;
    const double b = *comparison->baseline.standard_error;
    CHECK(a == Approx(std::sqrt(deviations(with, with) / (40.0 * 39))));
    CHECK(*comparison->standard_error
          == Approx(std::sqrt(a * a + b * b - 2 * a * b * correlation)));
    CHECK(comparison->interval->contains(comparison->lift));
  }

  TEST_CASE("clusters count as what they are") {
    // Ten fixtures with four copies of a case each know what ten cases do.
    std::vector<PairedCase> single;
    std::vector<PairedCase> copied;
    std::vector<PairedCase> hidden;
    for (std::size_t i = 0; i < 10; ++i) {
      const PairedCase made = a_case({i % 3 == 0 ? 0.0 : 1.0}, {i % 2 == 0 ? 0.0 : 1.0});
      single.push_back(made);
      for (int copy = 0; copy < 4; ++copy) {
        hidden.push_back(made);
        copied.push_back(made);
        copied.back().cluster = std::to_string(i);
      }
    }
    const auto of_single = compare_arms(single);
    const auto of_copied = compare_arms(copied);
    const auto of_hidden = compare_arms(hidden);
    CHECK(of_copied->cases == 40);
    CHECK(of_copied->units == 10);
    CHECK(of_copied->lift == Approx(of_single->lift));
    CHECK(*of_copied->standard_error == Approx(*of_single->standard_error));
    CHECK(of_copied->interval->low == Approx(of_single->interval->low));
    CHECK(of_copied->interval->high == Approx(of_single->interval->high));
    // Naively, half of it: sqrt(4), but for the 9/39.
    CHECK(*of_hidden->standard_error == Approx(*of_single->standard_error * std::sqrt(9 / 39.0)));
    // A cluster of one is a case without a cluster.
    for (std::size_t i = 0; i < single.size(); ++i) {
      single[i].cluster = "only " + std::to_string(i);
    }
    CHECK(compare_arms(single)->standard_error == of_single->standard_error);
    CHECK(compare_arms(single)->interval == of_single->interval);
  }

  TEST_CASE("the order of cases makes no difference") {
    for (bool clustered : {false, true}) {
      std::vector<PairedCase> cases = some_cases(5, 30, clustered);
      const auto comparison = compare_arms(cases);
      Random random(1);
      for (int round = 0; round < 5; ++round) {
        random.shuffle(cases);
        const auto again = compare_arms(cases);
        CHECK(again->lift == comparison->lift);
        CHECK(again->standard_error == comparison->standard_error);
        CHECK(again->interval == comparison->interval);
        CHECK(again->unit_differences == comparison->unit_differences);
        CHECK(again->tokens->interval == comparison->tokens->interval);
      }
    }
  }

  TEST_CASE("changing places changes the sign") {
    std::vector<PairedCase> cases = some_cases(6, 30, true);
    const auto comparison = compare_arms(cases);
    for (PairedCase& paired_case : cases) {
      std::swap(paired_case.with, paired_case.baseline);
    }
    const auto swapped = compare_arms(cases);
    CHECK(swapped->lift == Approx(-comparison->lift));
    CHECK(*swapped->standard_error == Approx(*comparison->standard_error));
    CHECK(swapped->better == comparison->worse);
    CHECK(swapped->interval->low == Approx(-comparison->interval->high).epsilon(.02).scale(1));
    CHECK(swapped->tokens->ratio == Approx(1 / comparison->tokens->ratio));
  }

  TEST_CASE("a cost is the median of what cases cost, not that of the longest") {
    const auto comparison = compare_arms({with_tokens(200, 100),
                                          with_tokens(300, 100),
                                          with_tokens(100, 100'000), // which saves nearly all
                                          with_tokens(400, 100),
                                          with_tokens(150, 100),
                                          with_tokens(std::nullopt, 1),
                                          with_tokens(5'000, std::nullopt),
                                          with_tokens(50, 0)});
    REQUIRE(comparison->tokens);
    CHECK(comparison->tokens->ratio == Approx(2));
    CHECK(comparison->tokens->cases == 5);
    CHECK(comparison->tokens->interval->contains(2));
    CHECK(comparison->tokens->interval->low >= .001);
    CHECK(comparison->tokens->interval->high <= 4);
    // What upskill says; 50 against 0 is known.
    CHECK(*comparison->token_savings == Approx(1 - 1'200 / 100'400.0));
    CHECK_FALSE(comparison->lift_per_thousand_tokens);
    CHECK_FALSE(comparison->cost);
    CHECK_FALSE(comparison->seconds);
  }

  TEST_CASE("lift has a price") {
    const auto comparison = compare_arms({with_tokens(3'000, 1'000), with_tokens(5'000, 1'000)});
    CHECK(*comparison->lift_per_thousand_tokens == Approx(1 / 3.0));
    CHECK(*comparison->token_savings == Approx(-3));
    // upskill's 0 where the baseline took no tokens.
    CHECK(*compare_arms({with_tokens(10, 0)})->token_savings == 0);
    // An even number of cases: the geometric mean of the two in the middle.
    CHECK(comparison->tokens->ratio == Approx(std::sqrt(15.0)));
  }

  TEST_CASE("what cannot be is refused, and says which case") {
    PairedCase bad = a_case({1}, {0});
    bad.id = "parse dates";
    const double infinity = std::numeric_limits<double>::infinity();
    for (double score : {-.1, 1.1, infinity, std::nan("")}) {
      PairedCase broken = bad;
      broken.baseline.scores.push_back(score);
      const auto comparison = compare_arms({broken});
      REQUIRE_FALSE(comparison);
      CHECK(comparison.error().code == ErrorCode::invalid_argument);
      CHECK(comparison.error().message.find("`parse dates`") != std::string::npos);
    }
    for (double tokens : {-1.0, infinity, std::nan("")}) {
      PairedCase broken = bad;
      broken.with.tokens = tokens;
      CHECK_FALSE(compare_arms({broken}));
    }
    CHECK_FALSE(compare_arms({bad}, {.confidence = 1}));
    CHECK_FALSE(compare_arms({bad}, {.confidence = std::nan("")}));
  }
}
