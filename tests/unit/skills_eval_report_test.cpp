#include "skills/eval/random.h"
#include "skills/eval/report.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace upskill;
using namespace upskill::eval;
using doctest::Approx;

namespace {

CaseSuite suite_of(std::size_t cases) {
  CaseSuite suite;
  for (std::size_t i = 0; i < cases; ++i) {
    Case one;
    one.id = "case " + std::to_string(i);
    suite.cases.push_back(std::move(one));
  }
  return suite;
}

EvalSample sample_of(std::size_t case_number, EvalArm arm, SampleOutcome outcome) {
  EvalSample sample;
  sample.case_id = "case " + std::to_string(case_number);
  sample.arm = arm;
  sample.outcome = outcome;
  return sample;
}

// What the runs of one case gave in one arm: `+` passed, `-` failed, `e` ended in an error.
void add(std::vector<EvalSample>& samples,
         std::size_t case_number,
         EvalArm arm,
         std::string_view outcomes) {
  std::int64_t run = 0;
  for (char c : outcomes) {
    SampleOutcome outcome = c == '+'   ? SampleOutcome::passed
                            : c == '-' ? SampleOutcome::failed
                                       : SampleOutcome::error;
    samples.push_back(sample_of(case_number, arm, outcome));
    samples.back().run = ++run;
  }
}

// One word for each case.
std::vector<EvalSample> drawn(const std::vector<std::string>& with,
                              const std::vector<std::string>& baseline) {
  std::vector<EvalSample> samples;
  for (std::size_t i = 0; i < with.size(); ++i) {
    add(samples, i, EvalArm::with_skill, with[i]);
  }
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    add(samples, i, EvalArm::baseline, baseline[i]);
  }
  return samples;
}

std::vector<std::string> times(std::size_t count, const std::string& outcomes) {
  return std::vector<std::string>(count, outcomes);
}

std::vector<EvalModelReport>
reports(std::size_t cases, std::vector<std::vector<EvalSample>> of_models, bool baseline = true) {
  std::vector<ModelSamples> models;
  for (std::vector<EvalSample>& samples : of_models) {
    models.push_back({"model " + std::to_string(models.size()), "chat", std::move(samples)});
  }
  auto made = report_models(suite_of(cases), std::move(models), baseline, 1);
  REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message));
  return std::move(*made);
}

EvalModelReport
report_of(std::size_t cases, std::vector<EvalSample> samples, bool baseline = true) {
  return reports(cases, {std::move(samples)}, baseline).front();
}

void check_same(const EvalArmReport& one, const EvalArmReport& other) {
  CHECK(one.samples == other.samples);
  CHECK(one.passed == other.passed);
  CHECK(one.errors == other.errors);
  CHECK(one.rate == other.rate);
  CHECK(one.low == other.low);
  CHECK(one.high == other.high);
  CHECK(one.tokens.total == other.tokens.total);
  CHECK(one.cost == other.cost);
}

} // namespace

TEST_SUITE("report_models") {
  TEST_CASE("a rate is the mean of the cases' means, however many runs each has") {
    // With: 3/4, 0/1, 1/1. Without: 1/2, 0/2, 0/1.
    const auto report = report_of(3, drawn({"++-+", "-", "+"}, {"+-", "--", "-"}));
    CHECK(report.model == "model 0");
    CHECK(report.student == "chat");
    CHECK(report.with_skill.samples == 6);
    CHECK(report.with_skill.passed == 4);
    CHECK(report.with_skill.errors == 0);
    CHECK(*report.with_skill.rate == Approx(1.75 / 3)); // and not 4/6
    REQUIRE(report.baseline);
    CHECK(report.baseline->samples == 5);
    CHECK(report.baseline->passed == 1);
    CHECK(*report.baseline->rate == Approx(.5 / 3)); // and not 1/5
    REQUIRE(report.lift);
    CHECK(report.lift->value == Approx((.25 + 0 + 1) / 3));
    CHECK(report.lift->low <= report.lift->value);
    CHECK(report.lift->high >= report.lift->value);
    CHECK(report.is_beneficial);
    CHECK(report.samples.size() == 11);
  }

  TEST_CASE("the interval of a rate counts cases, not runs") {
    // Wilson of 2 out of 2, whatever the number of runs: 2/(2 + 1.96^2).
    for (const std::string runs : {"+", "++++++++"}) {
      const auto report = report_of(2, drawn({runs, runs}, {"-", "-"}));
      CHECK(*report.with_skill.low == Approx(2 / (2 + 3.8415)).epsilon(.001));
      CHECK(*report.with_skill.high == Approx(1));
      CHECK(*report.baseline->low == Approx(0).scale(1));
    }
  }

  TEST_CASE("twenty clear cases decide, three do not") {
    const auto many = report_of(20, drawn(times(20, "+"), times(20, "-")));
    CHECK(many.verdict == EvalVerdict::better);
    CHECK(many.reason.empty());
    CHECK(*many.p_value == Approx(std::pow(2, -19))); // both signs of 2^20
    CHECK_FALSE(many.more_cases);
    const auto worse = report_of(20, drawn(times(20, "-"), times(20, "+")));
    CHECK(worse.verdict == EvalVerdict::worse);
    CHECK(worse.lift->value == -1);
    CHECK_FALSE(worse.is_beneficial);
    const auto few = report_of(3, drawn(times(3, "+"), times(3, "-")));
    CHECK(few.verdict == EvalVerdict::undecided);
    CHECK(few.reason == "too few cases for any verdict");
    CHECK(*few.p_value == Approx(.25));
    CHECK(few.lift->value == 1);
    REQUIRE(few.more_cases);
    CHECK(*few.more_cases >= 3); // six are the fewest that can
    CHECK_FALSE(few.detectable); // none shows, however large
  }

  TEST_CASE("errors are no failures") {
    const auto without = report_of(20, drawn(times(20, "+"), times(20, "-")));
    const auto with = report_of(20, drawn(times(20, "e+ee"), times(20, "-e")));
    CHECK(with.with_skill.errors == 60);
    CHECK(with.baseline->errors == 20);
    CHECK(with.with_skill.samples == 20);
    CHECK(with.with_skill.passed == 20);
    CHECK(with.with_skill.rate == without.with_skill.rate);
    CHECK(with.lift->value == without.lift->value);
    CHECK(with.p_value == without.p_value);
    CHECK(with.verdict == EvalVerdict::better);
  }

  TEST_CASE("a case with nothing but errors in one arm is left out of the comparison") {
    // The second would have been a loss.
    const auto report = report_of(2, drawn({"+", "ee"}, {"-", "+"}));
    CHECK(report.lift->value == 1);
    CHECK(*report.with_skill.rate == 1);
    CHECK(*report.baseline->rate == .5); // what is known of an arm is told all the same
    CHECK(report.with_skill.errors == 2);
  }

  TEST_CASE("nothing but errors, and nothing at all") {
    const auto report = report_of(2, drawn({"e", "e"}, {"+", "-"}));
    CHECK(report.with_skill.samples == 0);
    CHECK_FALSE(report.with_skill.rate);
    CHECK_FALSE(report.with_skill.low);
    CHECK_FALSE(report.with_skill.high);
    CHECK_FALSE(report.with_skill.tokens.total);
    CHECK_FALSE(report.with_skill.cost);
    CHECK_FALSE(report.lift);
    CHECK_FALSE(report.p_value);
    CHECK(report.verdict == EvalVerdict::undecided);
    CHECK(report.reason == "no case has a score in both arms");
    const auto none = report_of(0, {});
    CHECK_FALSE(none.lift);
    CHECK(none.reason == "there are no cases");
    CHECK(reports(3, {}).empty());
  }

  TEST_CASE("what is known is added up") {
    auto samples = drawn({"+", "-"}, {"-", "-"});
    for (EvalSample& sample : samples) {
      const bool has_skill = sample.arm == EvalArm::with_skill;
      sample.tokens = {has_skill ? 300 : 100, 20, 10, has_skill ? 320 : 120};
      sample.cost = has_skill ? .5 : .25;
    }
    auto report = report_of(2, samples);
    CHECK(report.with_skill.tokens.input == 600);
    CHECK(report.with_skill.tokens.output == 40);
    CHECK(report.with_skill.tokens.cached == 20);
    CHECK(report.with_skill.tokens.total == 640);
    CHECK(report.with_skill.cost == 1);
    CHECK(report.baseline->tokens.total == 240);
    CHECK(report.baseline->cost == .5);
    CHECK(*report.token_ratio == Approx(320 / 120.0));
    // Nothing is known of a sample that ended in an error, and the sum is of the others.
    samples.push_back(sample_of(0, EvalArm::with_skill, SampleOutcome::error));
    report = report_of(2, samples);
    CHECK(report.with_skill.tokens.total == 640);
    CHECK(report.with_skill.cost == 1);
  }

  TEST_CASE("the token ratio is that of the median case") {
    auto samples = drawn(times(3, "+"), times(3, "-"));
    const std::vector<std::int64_t> totals{200, 300, 9000, 100, 100, 100};
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i].tokens.total = totals[i];
    }
    CHECK(*report_of(3, samples).token_ratio == Approx(3));
  }

  TEST_CASE("what is unknown stays unknown, and is never 0") {
    auto samples = drawn({"+", "+"}, {"-", "-"});
    const auto unknown = report_of(2, samples);
    CHECK_FALSE(unknown.with_skill.tokens.input);
    CHECK_FALSE(unknown.with_skill.tokens.output);
    CHECK_FALSE(unknown.with_skill.tokens.cached);
    CHECK_FALSE(unknown.with_skill.tokens.total);
    CHECK_FALSE(unknown.with_skill.cost);
    CHECK_FALSE(unknown.token_ratio);
    // One that does not tell makes the sum unknown, but only that sum.
    for (EvalSample& sample : samples) {
      sample.tokens.total = 100;
      sample.tokens.output = 7;
      sample.cost = 1;
    }
    samples[0].tokens.total.reset();
    samples[0].cost.reset();
    const auto partly = report_of(2, samples);
    CHECK_FALSE(partly.with_skill.tokens.total);
    CHECK(partly.with_skill.tokens.output == 14);
    CHECK_FALSE(partly.with_skill.cost);
    CHECK(partly.baseline->tokens.total == 200);
    CHECK(partly.baseline->cost == 2);
    CHECK(*partly.token_ratio == Approx(1)); // of the other case
  }

  TEST_CASE("without a baseline there is no lift, and a reason") {
    const auto report = report_of(20, drawn(times(20, "+"), {}), false);
    CHECK(*report.with_skill.rate == 1);
    CHECK_FALSE(report.baseline);
    CHECK_FALSE(report.lift);
    CHECK_FALSE(report.p_value);
    CHECK_FALSE(report.token_ratio);
    CHECK(report.verdict == EvalVerdict::undecided);
    CHECK(report.reason == "nothing was asked without the skill");
    CHECK_FALSE(report.is_beneficial);
  }

  TEST_CASE("samples of cases that the suite does not have say nothing") {
    auto samples = drawn({"+"}, {"-"});
    for (EvalSample& sample : samples) {
      sample.tokens.total = 10;
      sample.cost = 1;
    }
    const auto before = report_of(1, samples);
    for (EvalArm arm : {EvalArm::with_skill, EvalArm::baseline}) {
      samples.push_back(sample_of(7, arm, SampleOutcome::passed));
      samples.back().tokens.total = 1000;
      samples.push_back(sample_of(8, arm, SampleOutcome::error));
    }
    const auto after = report_of(1, samples);
    check_same(before.with_skill, after.with_skill);
    check_same(*before.baseline, *after.baseline);
    CHECK(after.with_skill.tokens.total == 10);
    CHECK(after.with_skill.cost == 1);
    CHECK(after.lift->value == before.lift->value);
  }

  TEST_CASE("cases of one cluster are one unit") {
    CaseSuite suite = suite_of(6);
    const auto samples = drawn(times(6, "+"), times(6, "-"));
    const auto apart = report_models(suite, {{"m", "chat", samples}}, true, 1);
    CHECK(apart->front().verdict == EvalVerdict::better);
    for (Case& one : suite.cases) {
      one.cluster = "the same fixture";
    }
    const auto together = report_models(suite, {{"m", "chat", samples}}, true, 1);
    CHECK(together->front().verdict == EvalVerdict::undecided);
    CHECK(together->front().reason == "too few cases for any verdict");
  }

  TEST_CASE("models that are judged together need more") {
    const auto clear = drawn(times(6, "+"), times(6, "-")); // p = 2/64
    const auto alone = report_of(6, clear);
    CHECK(*alone.p_value == Approx(.03125));
    CHECK(alone.verdict == EvalVerdict::better);
    const auto both = reports(6, {clear, clear});
    REQUIRE(both.size() == 2);
    for (const EvalModelReport& report : both) {
      CHECK(*report.p_value == Approx(.0625));
      CHECK(report.verdict == EvalVerdict::undecided);
      CHECK(report.reason == "chance alone may have done it");
      CHECK(report.lift->value == 1);
    }
    CHECK(both[0].model == "model 0");
    CHECK(both[1].model == "model 1");
  }

  TEST_CASE("the order of samples makes no difference") {
    Random random(11);
    for (int round = 0; round < 20; ++round) {
      CAPTURE(round);
      // Errors leave the arms with unlike numbers of scores.
      std::vector<std::string> with(8);
      std::vector<std::string> baseline(8);
      for (std::size_t i = 0; i < 8; ++i) {
        for (int run = 0; run < 4; ++run) {
          with[i] += "++-e"[random.below(4)];
          baseline[i] += "+--e"[random.below(4)];
        }
      }
      auto samples = drawn(with, baseline);
      for (EvalSample& sample : samples) {
        sample.tokens.total = 100 + random.below(1000);
        sample.cost = random.fraction();
      }
      const auto report = report_of(8, samples);
      for (int shuffled = 0; shuffled < 5; ++shuffled) {
        random.shuffle(samples);
        const auto again = report_of(8, samples);
        check_same(report.with_skill, again.with_skill);
        check_same(*report.baseline, *again.baseline);
        CHECK(report.lift->value == again.lift->value);
        CHECK(report.lift->low == again.lift->low);
        CHECK(report.lift->high == again.lift->high);
        CHECK(report.p_value == again.p_value);
        CHECK(report.verdict == again.verdict);
        CHECK(report.reason == again.reason);
        CHECK(report.more_cases == again.more_cases);
        CHECK(report.detectable == again.detectable);
        CHECK(report.token_ratio == again.token_ratio);
        CHECK(report.cost_ratio == again.cost_ratio);
        CHECK(report.gain == again.gain);
        CHECK(report.lift_per_1k_tokens == again.lift_per_1k_tokens);
        CHECK(report.pass_all == again.pass_all);
        CHECK(report.cases_better == again.cases_better);
        CHECK(report.cases.back().with_skill == again.cases.back().with_skill);
      }
    }
  }

  TEST_CASE("a cost that cannot be is refused") {
    auto samples = drawn({"+"}, {"-"});
    samples[0].cost = -1;
    const auto made = report_models(suite_of(1), {{"m", "chat", samples}}, true, 1);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code == ErrorCode::invalid_argument);
    CHECK(made.error().message.find("`case 0`") != std::string::npos);
  }

  TEST_CASE("what a skill costs and gains, case by case") {
    // Cases: lost, equal, two gained; medians of the ratios of tokens 2, cost 4, time 1/2.
    auto samples = drawn({"-", "+", "+", "+"}, {"+", "+", "-", "-"});
    for (EvalSample& sample : samples) {
      const bool has_skill = sample.arm == EvalArm::with_skill;
      sample.tokens.total = has_skill ? 2000 : 1000;
      sample.cost = has_skill ? .4 : .1;
      sample.milliseconds = has_skill ? 500 : 1000;
    }
    const auto report = report_of(4, samples);
    CHECK(*report.token_ratio == Approx(2));
    CHECK(*report.cost_ratio == Approx(4));
    CHECK(*report.time_ratio == Approx(.5));
    CHECK(report.cases_better == 2);
    CHECK(report.cases_worse == 1);
    CHECK(*report.gain == Approx(.5)); // a quarter of the half that was left
    CHECK(*report.lift_per_1k_tokens == Approx(.25));
  }

  TEST_CASE("no gain at a ceiling, no lift by tokens that were saved") {
    auto samples = drawn({"+", "-"}, {"+", "+"});
    for (EvalSample& sample : samples) {
      sample.tokens.total = sample.arm == EvalArm::with_skill ? 10 : 20;
    }
    const auto report = report_of(2, samples);
    CHECK_FALSE(report.gain);
    CHECK_FALSE(report.lift_per_1k_tokens);
    CHECK_FALSE(report.cost_ratio);
    CHECK_FALSE(report.time_ratio);
    CHECK(report.cases_better == 0);
    CHECK(report.cases_worse == 1);
  }

  TEST_CASE("cases that pass in every run") {
    // Of three runs: all, two; the third case has an error, so it is not known.
    const auto report = report_of(3, drawn({"+++", "++-", "++e"}, {"---", "---", "---"}));
    REQUIRE(report.pass_all);
    CHECK(*report.pass_all == Approx(.5));
    CHECK(*report_of(2, drawn({"+", "-"}, {})).pass_all == Approx(.5));
    // Nobody has a third score in the arm with the skill, though three were meant.
    CHECK_FALSE(report_of(2, drawn({"++", "+e"}, {"---", "---"})).pass_all);
    CHECK_FALSE(report_of(2, {}).pass_all);
  }

  TEST_CASE("each case is told as it went") {
    CaseSuite suite = suite_of(3);
    suite.cases[1].input = "do it";
    const auto made =
        report_models(suite, {{"m", "chat", drawn({"+-", "e", ""}, {"--", "+", "e"})}}, true, 1);
    const auto& cases = made->front().cases;
    REQUIRE(cases.size() == 3);
    CHECK(cases[0].case_id == "case 0");
    CHECK(*cases[0].with_skill == .5);
    CHECK(*cases[0].baseline == 0);
    CHECK(cases[0].errors == 0);
    CHECK(cases[1].input == "do it");
    CHECK_FALSE(cases[1].with_skill);
    CHECK(*cases[1].baseline == 1);
    CHECK(cases[1].errors == 1);
    CHECK_FALSE(cases[2].with_skill);
    CHECK_FALSE(cases[2].baseline);
    CHECK(cases[2].errors == 1);
  }

  TEST_CASE("triggers are told where there are queries") {
    CaseSuite suite = suite_of(2);
    auto samples = drawn({"+", "+"}, {"-", "-"});
    CHECK_FALSE(report_models(suite, {{"m", "chat", samples}}, true, 1)->front().trigger);
    suite.cases[0].should_trigger = true;
    samples[0].skill_used = true;
    const auto made = report_models(suite, {{"m", "chat", samples}}, true, 1);
    REQUIRE(made->front().trigger);
    CHECK(made->front().trigger->true_positives == 1);
  }

  TEST_CASE("adding tokens to what is unknown") {
    const EvalTokens sum = add_tokens({1, 2, std::nullopt, 3}, {10, std::nullopt, 5, 0});
    CHECK(sum.input == 11);
    CHECK_FALSE(sum.output);
    CHECK_FALSE(sum.cached);
    CHECK(sum.total == 3);
  }
}
