#include "skills_generate_loop_world.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::generate;
using namespace upskill::generate::test;
using doctest::Approx;
using Kind = Step::Kind;
using Outcome = SampleOutcome;

TEST_SUITE("loop errors") {
  TEST_CASE("a student of whom nothing is known is an error, and no failure of the skill") {
    World world({.students = {"haiku", "kimi"}});
    world.trouble = [](const Step& step) {
      return step.kind == Kind::evaluate && step.student == 1 ? std::optional(away("kimi"))
                                                              : std::nullopt;
    };
    CHECK(world.run().kind == Ending::Kind::failed);
    CHECK(world.loop.ending()->error == away("kimi"));
    CHECK(world.loop.ending()->why == "kimi is away");
    CHECK(world.loop.warnings()[0] == "`kimi` was not asked: kimi is away");
    World silent;
    silent.outcome = [](LoopArm arm, std::size_t, std::size_t, std::int64_t) {
      return arm ? Outcome::error : Outcome::failed;
    };
    CHECK(silent.run().kind == Ending::Kind::failed);
    CHECK(silent.loop.ending()->why == "no sample of `haiku` has an outcome: the server is away");
  }

  TEST_CASE("so it is on held-out cases and on own ones") {
    for (CasePart part : {CasePart::held_out, CasePart::own}) {
      World world;
      world.loop.add_own_cases(test::cases_of({"a", "b"}));
      world.trouble = [&](const Step& step) {
        return step.kind == Kind::evaluate && step.draft && world.is(part, step.cases.front())
                   ? std::optional(away("haiku"))
                   : std::nullopt;
      };
      CHECK(world.run().kind == Ending::Kind::failed);
      CHECK(world.loop.ending()->draft == 0);
    }
  }

  TEST_CASE("samples that are errors are left out, and the others decide") {
    World world;
    world.outcome = [](LoopArm arm, std::size_t, std::size_t number, std::int64_t run) {
      return number % 5 == 0 && run > 1 ? Outcome::error : passes(arm.has_value());
    };
    CHECK(world.run().kind == Ending::Kind::better);
    CHECK(world.loop.attempts()[0].train == Approx(1));
    const std::vector<EvalModelReport> report = *world.loop.held_out_report(0);
    CHECK(report[0].with_skill.errors > 0);
    CHECK(report[0].with_skill.passed == report[0].with_skill.samples);
    World torn; // of no case are there three runs
    torn.outcome = [](LoopArm arm, std::size_t, std::size_t, std::int64_t run) {
      return run == 1 ? Outcome::error : passes(arm.has_value());
    };
    CHECK(torn.run().kind == Ending::Kind::not_better);
  }

  TEST_CASE("held-out cases of which only errors are known do not decide, and more are written") {
    for (std::size_t more : {std::size_t{0}, std::size_t{10}}) {
      World world({.attempts = 1, .more_cases = more});
      std::size_t broken = 0; // one of the first ten that are held out
      world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
        broken = world.loop.cases_of(CasePart::held_out).front();
        return number == broken ? Outcome::error : passes(arm.has_value());
      };
      CHECK((world.run().kind == Ending::Kind::better) == (more > 0));
      CHECK((*world.loop.held_out_report(0))[0].verdict
            == (more > 0 ? EvalVerdict::better : EvalVerdict::undecided));
    }
  }

  TEST_CASE("samples of other cases, and arms that are wrong, do not count") {
    World world;
    world.answer_all(Kind::write_cases);
    world.answer_all(Kind::write_draft);
    for (const Step& step : std::exchange(world.waiting, {})) {
      std::vector<EvalSample> samples = world.samples_of(step);
      for (EvalSample& sample : samples) {
        sample.arm = step.draft ? EvalArm::baseline : EvalArm::with_skill;
      }
      samples.push_back(samples.front());
      samples.back().case_id = "unknown";
      world.loop.evaluated(step.id, std::move(samples));
    }
    CHECK(world.run().kind == Ending::Kind::better);
    CHECK((*world.loop.held_out_report(0))[0].samples.size() == 60);
  }
}

TEST_SUITE("loop stop") {
  TEST_CASE("nothing begins any more, and the end waits for what is under way") {
    World world({.candidates = 2});
    world.take();
    world.loop.stop("the budget is spent");
    CHECK_FALSE(world.loop.ending());
    world.answer(0);
    CHECK(world.loop.take_steps().empty());
    world.answer(0);
    CHECK_FALSE(world.loop.ending());
    world.answer(0);
    REQUIRE(world.loop.ending());
    CHECK(world.loop.ending()->kind == Ending::Kind::stopped);
    CHECK(world.loop.ending()->why == "the budget is spent");
    CHECK(world.loop.ending()->draft == 0); // the first, since none was evaluated
  }

  TEST_CASE("before anything began it ends at once") {
    World world;
    world.loop.stop("cancelled");
    CHECK(world.loop.take_steps().empty());
    REQUIRE(world.loop.ending());
    CHECK(world.loop.ending()->kind == Ending::Kind::stopped);
    CHECK_FALSE(world.loop.ending()->draft);
    CHECK(world.loop.attempts()[0].problem == "not written: cancelled");
  }

  // Runs until the draft is under way on held-out cases.
  void run_to_look(World & world) {
    world.take();
    auto is_look = [&] {
      return !world.waiting.empty() && world.waiting[0].draft
             && world.is(CasePart::held_out, world.waiting[0].cases[0]);
    };
    while (!is_look()) {
      world.answer(0);
      world.take();
    }
  }

  TEST_CASE("what is known by then may prove it better") {
    World world;
    run_to_look(world);
    world.loop.stop("the budget is spent");
    world.answer(0);
    REQUIRE(world.loop.ending());
    CHECK(world.loop.ending()->kind == Ending::Kind::better);
    World unproven;
    unproven.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
      return passes(arm && unproven.is(CasePart::train, number));
    };
    run_to_look(unproven);
    unproven.loop.stop("the budget is spent");
    unproven.answer(0);
    CHECK(unproven.loop.ending()->kind == Ending::Kind::stopped);
    CHECK(unproven.loop.attempts()[0].held_out == Approx(0));
  }

  TEST_CASE("but not while own cases are not asked, and not by errors") {
    World world;
    world.loop.add_own_cases(test::cases_of({"a", "b"}));
    run_to_look(world);
    world.loop.stop("the budget is spent");
    world.answer(0);
    CHECK(world.loop.ending()->kind == Ending::Kind::stopped);
    CHECK(world.loop.ending()->draft == 0);
    World cut;
    run_to_look(cut);
    cut.loop.stop("the budget is spent");
    cut.loop.evaluated(cut.waiting[0].id, fail(away("haiku")));
    CHECK(cut.loop.ending()->kind == Ending::Kind::stopped);
    CHECK_FALSE(cut.loop.ending()->error);
  }

  TEST_CASE("after the end it changes nothing") {
    World world;
    world.run();
    world.loop.stop("late");
    CHECK(world.loop.ending()->kind == Ending::Kind::better);
  }
}
