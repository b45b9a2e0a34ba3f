#include "skills_generate_loop_world.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::generate;
using namespace upskill::generate::test;
using doctest::Approx;
using Kind = Step::Kind;
using Outcome = SampleOutcome;

namespace {

// Which of the held-out cases this is, from 0.
std::size_t place(const World& world, std::size_t number) {
  const std::vector<std::size_t> held_out = world.loop.cases_of(CasePart::held_out);
  return static_cast<std::size_t>(std::ranges::find(held_out, number) - held_out.begin());
}

} // namespace

TEST_SUITE("loop looks") {
  TEST_CASE("a draft that is proven better is the end, whatever could be refined") {
    World world;
    world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
      return passes(arm && number != world.loop.cases_of(CasePart::train)[0]);
    };
    const Ending& ending = world.run();
    CHECK(ending.kind == Ending::Kind::better);
    CHECK(ending.why == "10 held-out cases prove it: `haiku` +100%");
    CHECK(ending.draft == 0);
    CHECK(world.count(Kind::refine) == 0);
    CHECK(world.loop.looks() == 1);
    CHECK(world.loop.attempts()[0].held_out == Approx(1));
    CHECK(world.loop.attempts()[0].held_out_baseline == Approx(0));
    CHECK(world.loop.attempts()[0].train == Approx(.9));
  }

  TEST_CASE("a draft below the baseline on train is not looked at") {
    World world({.attempts = 1});
    world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t run) {
      return passes(world.is(CasePart::held_out, number) ? arm.has_value() : !arm || run == 1);
    };
    const Ending& ending = world.run();
    CHECK(ending.kind == Ending::Kind::not_better);
    CHECK(ending.why == "students pass 33.3% of the train cases with it, and 100% without a skill");
    CHECK(world.loop.looks() == 0);
    CHECK(world.loop.held_out_report(0)->empty());
    CHECK(ending.draft == 0);
    World equal({.attempts = 1});
    equal.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t run) {
      return passes(equal.is(CasePart::held_out, number) ? arm.has_value() : run == 1);
    };
    equal.run();
    CHECK(equal.loop.looks() == 0);
  }

  // Better in `first` of the ten held-out cases, and in `more` of those that came later.
  void help_some(World & world, std::size_t first, std::size_t more) {
    world.outcome =
        [&world, first, more](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
          if (world.is(CasePart::train, number)) {
            return passes(arm.has_value());
          }
          const std::size_t at = place(world, number);
          return passes(arm && (at < first || (at >= 10 && at < 10 + more)));
        };
  }

  TEST_CASE("six of ten better is too little for the first look, and a second set is drawn") {
    // Six of ten: p = 2/64 = .031, over the .025 of the first look. Twelve of twenty: .0005.
    World world;
    help_some(world, 6, 6);
    CHECK(world.run().kind == Ending::Kind::better);
    CHECK(world.loop.looks() == 2);
    CHECK(world.loop.held_out_cases() == 20);
    CHECK(world.loop.train_cases() == 10);
    CHECK(world.given_of(Kind::write_cases).back().count == 10);
    const std::vector<Step> evaluated = world.given_of(Kind::evaluate);
    REQUIRE(evaluated.size() == 5);
    CHECK_FALSE(evaluated[3].draft); // the baseline, on the new ones only
    CHECK(evaluated[4].draft == 0);
    CHECK(evaluated[3].cases == evaluated[4].cases);
    CHECK(evaluated[3].cases.size() == 10);
    CHECK(evaluated[3].cases.front() == 20);
    // Seven of ten: p = 2/128 = .016.
    World seven;
    help_some(seven, 7, 0);
    CHECK(seven.run().kind == Ending::Kind::better);
    CHECK(seven.loop.looks() == 1);
  }

  TEST_CASE("the second look has half of the alpha of the first") {
    // Seven of twenty: p = .016, over the .0125 of the second look.
    World world;
    help_some(world, 6, 1);
    CHECK(world.run().kind == Ending::Kind::not_better);
    CHECK(world.loop.ending()->why == "20 held-out cases do not prove it: `haiku` +35%");
    CHECK(world.loop.looks() == 2);
    const std::vector<EvalModelReport> report = *world.loop.held_out_report(0);
    REQUIRE(report.size() == 1);
    CHECK(report[0].verdict == EvalVerdict::undecided);
    CHECK(report[0].reason
          == "chance alone may have done it (look 2 at held-out cases, which may err in 1.2%)");
    CHECK(report[0].p_value == Approx(2.0 / 128));
    CHECK(report[0].more_cases.value_or(0) > 0);
    // Eight of twenty: p = .0078.
    World eight;
    help_some(eight, 6, 2);
    CHECK(eight.run().kind == Ending::Kind::better);
  }

  TEST_CASE("one second set is drawn at most, and none where nothing was gained or wanted") {
    World refined({.attempts = 3});
    refined.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
      if (refined.is(CasePart::train, number)) {
        return passes(arm && number % 3 <= *arm); // each draft gains
      }
      return passes(arm && place(refined, number) < 3);
    };
    CHECK(refined.run().kind == Ending::Kind::not_better);
    CHECK(refined.count(Kind::write_cases) == 2);
    CHECK(refined.loop.looks() == refined.loop.attempts().size() + 1);
    World nothing;
    help_some(nothing, 0, 10);
    CHECK(nothing.run().kind == Ending::Kind::not_better);
    CHECK(nothing.count(Kind::write_cases) == 1);
    World unwanted({.more_cases = 0});
    help_some(unwanted, 6, 0);
    CHECK(unwanted.run().kind == Ending::Kind::not_better);
    CHECK(unwanted.loop.looks() == 1);
  }

  TEST_CASE("where nobody writes a second set, the first look stands") {
    World world;
    help_some(world, 6, 6);
    world.trouble = [&](const Step& step) {
      return step.kind == Kind::write_cases && world.loop.looks() > 0
                 ? std::optional(away("the writer"))
                 : std::nullopt;
    };
    CHECK(world.run().kind == Ending::Kind::not_better);
    CHECK(world.loop.looks() == 1);
    CHECK(world.loop.warnings() == std::vector<std::string>{"no test cases: the writer is away"});
  }

  TEST_CASE("the draft is kept that did best on held-out cases, of equal ones the earlier") {
    World world({.more_cases = 0});
    std::vector<std::size_t> helped = {2, 4, 3};
    world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
      if (world.is(CasePart::train, number)) {
        return passes(arm && number % 4 <= *arm);
      }
      return passes(arm && place(world, number) < helped[*arm]);
    };
    CHECK(world.run().kind == Ending::Kind::not_better);
    CHECK(world.loop.looks() == 3);
    CHECK(world.loop.ending()->draft == 1);
  }

  TEST_CASE("a report is of the cases that the draft was asked") {
    World world({.attempts = 2});
    world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
      if (world.is(CasePart::train, number)) {
        return passes(arm && number % 2 < *arm + 1);
      }
      // The first changes nothing, the second is better in six cases of the first set.
      return passes(arm == 1 && place(world, number) < 6);
    };
    world.run();
    CHECK(world.loop.held_out_cases() == 20);
    const std::vector<EvalModelReport> first = *world.loop.held_out_report(0);
    CHECK(first[0].cases.size() == 10);
    CHECK(first[0].baseline->samples == 30);
    CHECK(first[0].reason == "every case is as good with the skill as without");
    const std::vector<EvalModelReport> second = *world.loop.held_out_report(1);
    CHECK(second[0].cases.size() == 20);
    CHECK(second[0].samples.size() == 120);
    CHECK(second[0].model == "haiku");
    for (const EvalCaseReport& one : second[0].cases) {
      CHECK(world.is(CasePart::held_out, std::stoul(one.case_id) - 1));
    }
  }
}

TEST_SUITE("loop harm") {
  TEST_CASE("better for one student and worse for another is worse") {
    World world({.students = {"haiku", "kimi"}, .attempts = 1});
    world.outcome = [&](LoopArm arm, std::size_t student, std::size_t number, std::int64_t) {
      if (world.is(CasePart::train, number)) {
        return passes(arm.has_value());
      }
      return passes(student == 0 ? arm.has_value() : !arm || place(world, number) >= 8);
    };
    const Ending& ending = world.run();
    CHECK(ending.kind == Ending::Kind::worse);
    CHECK(ending.why == "`kimi` gets worse on 10 held-out cases: `haiku` +100%, `kimi` -80%");
    const std::vector<EvalModelReport> report = *world.loop.held_out_report(0);
    CHECK(report[0].verdict == EvalVerdict::better);
    CHECK(report[1].verdict == EvalVerdict::worse);
    CHECK(report[1].reason.empty());
  }

  TEST_CASE("harm is looked for at an alpha of its own, in each look") {
    // Six of ten worse: p = .031, over what the look has, and under .05.
    World world({.students = {"haiku", "kimi"}, .attempts = 1});
    world.outcome = [&](LoopArm arm, std::size_t student, std::size_t number, std::int64_t) {
      if (world.is(CasePart::train, number)) {
        return passes(arm.has_value());
      }
      return passes(student == 0 ? arm.has_value() : !arm || place(world, number) >= 6);
    };
    CHECK(world.run().kind == Ending::Kind::worse);
    CHECK(world.count(Kind::write_cases) == 1); // and no second set is drawn for it
    CHECK((*world.loop.held_out_report(0))[1].verdict == EvalVerdict::worse);
  }

  TEST_CASE("better for one student and nothing for another is better") {
    World world({.students = {"haiku", "kimi"}});
    world.outcome = [&](LoopArm arm, std::size_t student, std::size_t, std::int64_t run) {
      return passes(student == 0 ? arm.has_value() : run == 1);
    };
    CHECK(world.run().kind == Ending::Kind::better);
    CHECK(world.loop.ending()->why == "10 held-out cases prove it: `haiku` +100%, `kimi` 0%");
  }

  // Of a skill with eight cases of its own, the draft loses `lost`.
  eval::CaseSuite own_cases() {
    eval::CaseSuite own = test::cases_of({"a", "b", "c", "d", "e", "f", "g", "h"});
    own.cases[0].id = "9"; // one that a new case would have
    return own;
  }

  void lose_own(World & world, std::size_t lost) {
    world.loop.add_own_cases(own_cases());
    world.outcome = [lost](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
      return passes(number < 8 ? !arm || number >= lost : arm.has_value());
    };
  }

  TEST_CASE("own cases are asked before anything is saved, and may only get worse by chance") {
    World world;
    lose_own(world, 5); // p = .0625
    CHECK(world.run().kind == Ending::Kind::better);
    const std::vector<Step> evaluated = world.given_of(Kind::evaluate);
    REQUIRE(evaluated.size() == 5);
    CHECK_FALSE(evaluated[3].draft);
    CHECK(evaluated[4].draft == 0);
    CHECK(evaluated[3].cases == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(evaluated[4].cases == evaluated[3].cases);
    CHECK(world.loop.train_cases() == 10);
    CHECK(world.loop.held_out_cases() == 10);
    CHECK(world.loop.suite().cases[0].id == "9");
    World harmed;
    lose_own(harmed, 8);
    CHECK(harmed.run().kind == Ending::Kind::worse);
    CHECK(harmed.loop.ending()->why == "`haiku` gets worse on the skill's own cases");
    CHECK(harmed.loop.ending()->draft == 0);
  }

  TEST_CASE("a draft that is not saved is not asked on own cases") {
    World world({.attempts = 1});
    lose_own(world, 0);
    world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
      return passes(arm && world.is(CasePart::train, number));
    };
    CHECK(world.run().kind == Ending::Kind::not_better);
    CHECK(world.count(Kind::evaluate) == 3);
  }

  TEST_CASE("a new case must not repeat an own one") {
    World world;
    world.loop.add_own_cases(test::cases_of({"TASK 3 "}));
    world.answer_all(Kind::write_cases);
    CHECK(world.given_of(Kind::write_cases)[1].count == 1); // for the one that is missing
    CHECK(world.loop.suite().cases.size() == 21);
    CHECK(world.loop.inputs()[3] == "task 4");
  }
}
