#include "skills/eval/interval.h"
#include "skills/eval/random.h"
#include "skills/eval/trigger.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::eval;
using doctest::Approx;

namespace {

// A query for each character: `+` should trigger, `-` should not, `.` is none.
CaseSuite queries(std::string_view wanted) {
  CaseSuite suite;
  for (char c : wanted) {
    Case& one = suite.cases.emplace_back();
    one.id = "query " + std::to_string(suite.cases.size());
    if (c != '.') {
      one.should_trigger = c == '+';
    }
  }
  return suite;
}

// Samples of the n-th query: `y` picked it, `n` did not, `?` does not say; in upper case it ended
// in an error.
void add(std::vector<EvalSample>& samples,
         std::size_t number,
         std::string_view runs,
         EvalArm arm = EvalArm::with_skill) {
  std::int64_t run = 0;
  for (char c : runs) {
    EvalSample& sample = samples.emplace_back();
    sample.case_id = "query " + std::to_string(number);
    sample.arm = arm;
    sample.run = ++run;
    sample.outcome = c == 'Y' || c == 'N' ? SampleOutcome::error : SampleOutcome::passed;
    if (c != '?') {
      sample.skill_used = c == 'y' || c == 'Y';
    }
  }
}

std::optional<EvalTrigger> trigger(const CaseSuite& suite, const std::vector<EvalSample>& samples) {
  return trigger_of(suite, in_order(suite, samples));
}

} // namespace

TEST_SUITE("trigger") {
  TEST_CASE("counts, precision, recall and F1 of single runs") {
    const CaseSuite suite = queries("+++++---");
    std::vector<EvalSample> samples;
    for (std::size_t i = 1; i <= 8; ++i) {
      add(samples, i, i <= 4 || i == 6 ? "y" : "n"); // four of five, and one of three
    }
    const auto seen = trigger(suite, samples);
    REQUIRE(seen);
    CHECK(seen->true_positives == 4);
    CHECK(seen->false_negatives == 1);
    CHECK(seen->false_positives == 1);
    CHECK(seen->true_negatives == 2);
    CHECK(seen->unknown == 0);
    // Wilson's interval of 4/5: evals facts, 7.
    for (const auto& share : {seen->precision, seen->recall}) {
      REQUIRE(share);
      CHECK(share->value == Approx(.8));
      CHECK(share->low == Approx(.3755).epsilon(.001));
      CHECK(share->high == Approx(.9638).epsilon(.001));
    }
    CHECK(*seen->f1 == Approx(.8));
  }

  TEST_CASE("runs of a query are counted, and widen no knowledge") {
    const CaseSuite suite = queries("++-");
    std::vector<EvalSample> samples;
    add(samples, 1, "yyyy");
    add(samples, 2, "yynn");
    add(samples, 3, "ynnn");
    const auto seen = trigger(suite, samples);
    CHECK(seen->true_positives == 6);
    CHECK(seen->false_negatives == 2);
    CHECK(seen->false_positives == 1);
    CHECK(seen->true_negatives == 3);
    CHECK(seen->recall->value == Approx(.75));
    // Two queries, 1.5 of them picked: as two of two.
    CHECK(seen->recall->low == Approx(wilson(2, 2).low));
    CHECK(seen->precision->value == Approx(6 / 7.0));
    CHECK(seen->precision->low == Approx(wilson(3, 3).low)); // three queries picked it at all
    CHECK(*seen->f1 == Approx(12 / 15.0));
    CHECK(seen->recall->low <= seen->recall->value);
    CHECK(seen->recall->high >= seen->recall->value);
  }

  TEST_CASE("of a sample that ended in an error only a pick is known") {
    const CaseSuite suite = queries("+-");
    std::vector<EvalSample> samples;
    add(samples, 1, "YN?n");
    add(samples, 2, "YN?");
    const auto seen = trigger(suite, samples);
    CHECK(seen->true_positives == 1);
    CHECK(seen->false_negatives == 1);
    CHECK(seen->false_positives == 1);
    CHECK(seen->true_negatives == 0);
    CHECK(seen->unknown == 4);
  }

  TEST_CASE("the baseline has no skill to pick, and other cases no wish") {
    const CaseSuite suite = queries("+.");
    std::vector<EvalSample> samples;
    add(samples, 1, "yyy", EvalArm::baseline);
    add(samples, 2, "yyy");
    CHECK_FALSE(trigger(suite, samples));
    add(samples, 1, "n");
    const auto seen = trigger(suite, samples);
    CHECK(seen->false_negatives == 1);
    CHECK(seen->true_positives + seen->false_positives + seen->true_negatives == 0);
    CHECK_FALSE(seen->precision); // nothing was picked
    CHECK(seen->recall->value == 0);
    CHECK_FALSE(seen->f1);
  }

  TEST_CASE("nothing known is nothing claimed") {
    const CaseSuite suite = queries("+-");
    std::vector<EvalSample> samples;
    add(samples, 1, "??");
    add(samples, 2, "?N");
    const auto seen = trigger(suite, samples);
    CHECK(seen->unknown == 4);
    CHECK_FALSE(seen->precision);
    CHECK_FALSE(seen->recall);
    CHECK_FALSE(seen->f1);
    CHECK_FALSE(trigger(suite, {}));
  }

  TEST_CASE("picked only where it should not be has an F1 of 0") {
    const CaseSuite suite = queries("+-");
    std::vector<EvalSample> samples;
    add(samples, 1, "n");
    add(samples, 2, "y");
    const auto seen = trigger(suite, samples);
    CHECK(seen->precision->value == 0);
    CHECK(seen->recall->value == 0);
    CHECK(*seen->f1 == 0);
  }

  TEST_CASE("the order of samples makes no difference, and shares lie in their intervals") {
    Random random(3);
    const CaseSuite suite = queries("++++----+-");
    for (int round = 0; round < 50; ++round) {
      std::vector<EvalSample> samples;
      for (std::size_t i = 1; i <= 10; ++i) {
        std::string runs;
        for (std::uint32_t k = random.below(4); k > 0; --k) {
          runs += "yn?YN"[random.below(5)];
        }
        add(samples, i, runs);
      }
      const auto one = trigger(suite, samples);
      random.shuffle(samples);
      const auto other = trigger(suite, samples);
      REQUIRE(one.has_value() == other.has_value());
      if (!one) {
        continue;
      }
      CHECK(one->true_positives == other->true_positives);
      CHECK(one->unknown == other->unknown);
      CHECK(one->f1 == other->f1);
      for (const auto& share : {one->precision, one->recall}) {
        if (share) {
          CHECK(share->low <= share->value);
          CHECK(share->value <= share->high);
        }
      }
    }
  }

  TEST_CASE("without queries the cases are the skill's own, and it should be picked in each") {
    const CaseSuite suite = queries("...");
    std::vector<EvalSample> samples;
    add(samples, 1, "yy");
    add(samples, 2, "yn");
    add(samples, 3, "??");
    const auto seen = trigger(suite, samples);
    REQUIRE(seen);
    CHECK(seen->true_positives == 3);
    CHECK(seen->false_negatives == 1);
    CHECK(seen->unknown == 2);
    CHECK_FALSE(seen->precision); // nothing could have been picked wrongly
    REQUIRE(seen->recall);
    CHECK(seen->recall->value == Approx(0.75));
    std::vector<EvalSample> silent;
    add(silent, 1, "??");
    CHECK_FALSE(trigger(suite, silent)); // of a student that is given the skill
  }
}
