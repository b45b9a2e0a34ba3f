#include "skills_generate_loop_world.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::generate;
using namespace upskill::generate::test;
using doctest::Approx;
using Kind = Step::Kind;
using Outcome = SampleOutcome;

TEST_SUITE("loop refinement") {
  // Drafts that pass so many of ten train cases, and no held-out one in particular.
  struct Ladder {
    std::vector<std::size_t> passed; // of ten train cases, by draft
  };

  std::vector<std::size_t> climb(World & world, const Ladder& ladder) {
    world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
      const std::vector<std::size_t> train = world.loop.cases_of(CasePart::train);
      auto at = std::ranges::find(train, number);
      if (!arm || at == train.end()) {
        return Outcome::failed; // nothing differs on held-out cases
      }
      return passes(static_cast<std::size_t>(at - train.begin()) < ladder.passed[*arm]);
    };
    world.run();
    std::vector<std::size_t> refined;
    for (const Step& step : world.given_of(Kind::refine)) {
      refined.push_back(*step.draft);
    }
    return refined;
  }

  TEST_CASE("as long as it gains, up to so many attempts") {
    World world;
    CHECK(climb(world, {{2, 4, 6, 8}}) == std::vector<std::size_t>{0, 1});
    REQUIRE(world.loop.attempts().size() == 3);
    CHECK(world.loop.attempts()[2].attempt == 3);
    CHECK(world.loop.attempts()[2].from == 1);
    CHECK(world.loop.attempts()[2].train == Approx(.6));
    CHECK(world.loop.attempts()[2].train_baseline == Approx(0));
    World more({.attempts = 5});
    CHECK(climb(more, {{2, 4, 6, 8, 9}}).size() == 4);
    World one({.attempts = 1});
    CHECK(climb(one, {{2}}).empty());
  }

  TEST_CASE("a refinement that gains too little is the last, the first draft never is") {
    World plateau({.attempts = 9});
    CHECK(climb(plateau, {{2, 2, 9}}).size() == 1);
    World fall({.attempts = 9});
    CHECK(climb(fall, {{4, 1, 9}}).size() == 1);
    CHECK(fall.loop.ending()->draft == 0);
    World zero({.attempts = 9});
    CHECK(climb(zero, {{0, 5, 5, 9}}).size() == 2);
    World strict({.attempts = 9, .plateau = .15});
    CHECK(climb(strict, {{0, 1, 9}}).size() == 1);
    CHECK(strict.loop.looks() == 1); // at the last, which is the first above the baseline
  }

  TEST_CASE("where nothing fails there is nothing to refine") {
    World world({.attempts = 9});
    CHECK(climb(world, {{10}}).empty());
    CHECK(world.loop.ending()->kind == Ending::Kind::not_better);
  }

  TEST_CASE("of several candidates the best one on train is refined, of equal ones the first") {
    World world({.candidates = 3, .attempts = 2});
    CHECK(climb(world, {{2, 5, 5, 7}}) == std::vector<std::size_t>{1});
    CHECK(world.loop.attempts()[3].candidate == 1);
    CHECK(world.loop.attempts()[3].attempt == 2);
    CHECK(world.loop.looks() == 2); // of the best one, and of what became of it
  }

  TEST_CASE("a refinement that fails or is not warranted ends the line with what there is") {
    World world;
    world.trouble = [](const Step& step) {
      return step.kind == Kind::refine ? std::optional(away("the teacher")) : std::nullopt;
    };
    climb(world, {{3}});
    CHECK(world.loop.ending()->kind == Ending::Kind::not_better);
    CHECK(world.loop.ending()->draft == 0);
    CHECK(world.loop.attempts()[1].problem == "the teacher is away");
    World refused;
    refused.write_draft = [](const Step& step, std::size_t number) {
      return step.kind == Kind::refine ? Result<DraftReply>(NotWarranted{"enough"})
                                       : Result<DraftReply>(draft_of(number));
    };
    climb(refused, {{3}});
    CHECK(refused.loop.ending()->draft == 0);
    CHECK(refused.loop.attempts()[1].problem == "not warranted: enough");
  }

  TEST_CASE("failures are all samples of train cases that failed, and no errors") {
    World world({.students = {"haiku", "kimi"}});
    world.outcome = [&](LoopArm arm, std::size_t student, std::size_t number, std::int64_t run) {
      if (!arm) {
        return passes(student == 1 && run < 3);
      }
      const std::size_t first = world.loop.cases_of(CasePart::train).front();
      if (number == first && student == 0) {
        return run == 2 ? Outcome::error : Outcome::failed;
      }
      return passes(world.is(CasePart::train, number)); // all held-out samples fail
    };
    world.take();
    while (world.count(Kind::refine) == 0 && !world.loop.ending()) {
      world.answer(0);
      world.take();
    }
    const std::vector<Failure> failures = world.loop.failures_of(0);
    const eval::Case& failed = world.loop.suite().cases[world.loop.cases_of(CasePart::train)[0]];
    REQUIRE(failures.size() == 2);
    CHECK(
        failures[0]
        == Failure{failed.id, failed.input, "haiku", "run 1", {"contains `x`: not found"}, false});
    CHECK(failures[1].output == "run 3");
  }

  TEST_CASE("a case that passes in all runs without the skill says so where it fails with it") {
    World world({.runs = 2});
    world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t run) {
      const std::vector<std::size_t> train = world.loop.cases_of(CasePart::train);
      if (!arm) {
        return passes(number == train[0] || (number == train[1] && run == 1));
      }
      return passes(number != train[0] && number != train[1]);
    };
    world.run();
    const std::vector<Failure> failures = world.loop.failures_of(0);
    REQUIRE(failures.size() == 4);
    CHECK(failures[0].passes_without);
    CHECK(failures[1].passes_without);
    CHECK_FALSE(failures[2].passes_without);
    CHECK_FALSE(failures[3].passes_without);
  }

  TEST_CASE("counterexamples join train, and what fails there is refined") {
    World world({.attempts = 2, .counterexamples = true});
    world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t) {
      if (number >= 20) { // a counterexample
        return passes(!arm || *arm == 1);
      }
      return passes(arm && world.is(CasePart::train, number));
    };
    world.run();
    const std::vector<Step> asked = world.given_of(Kind::counterexamples);
    REQUIRE(asked.size() == 1); // no refinement comes after the last attempt
    CHECK(asked[0].draft == 0);
    CHECK(asked[0].count == 5);
    CHECK(world.loop.train_cases() == 15);
    CHECK(world.loop.held_out_cases() == 10);
    CHECK(world.count(Kind::refine) == 1); // nothing else failed
    CHECK(world.loop.failures_of(0).size() == 15);
    CHECK(world.loop.failures_of(0)[0].passes_without);
    const std::vector<Step> evaluated = world.given_of(Kind::evaluate);
    CHECK(evaluated.back().draft == 1);
    CHECK(world.loop.attempts()[0].train == Approx(10.0 / 15));
    CHECK(world.loop.attempts()[0].train_baseline == Approx(5.0 / 15));
    CHECK(world.loop.attempts()[1].train == Approx(1));
  }

  TEST_CASE("who finds no counterexamples does not stop anything") {
    World world({.attempts = 2, .counterexamples = true});
    world.trouble = [](const Step& step) {
      return step.kind == Kind::counterexamples ? std::optional(away("it")) : std::nullopt;
    };
    CHECK(climb(world, {{2, 4}}).size() == 1);
    CHECK(world.loop.warnings() == std::vector<std::string>{"no counterexamples: it is away"});
  }
}
