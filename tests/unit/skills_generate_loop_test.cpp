#include "skills_generate_loop_world.h"

#include <doctest/doctest.h>

#include <set>

using namespace upskill;
using namespace upskill::generate;
using namespace upskill::generate::test;
using Kind = Step::Kind;
using Outcome = SampleOutcome;

namespace {

std::vector<std::string> numbered(std::size_t first, std::size_t last) {
  std::vector<std::string> inputs;
  for (std::size_t i = first; i <= last; ++i) {
    inputs.push_back("input " + std::to_string(i));
  }
  return inputs;
}

// Each reply of a test writer after the other.
auto replies(std::vector<Result<eval::CaseSuite>> suites) {
  return [suites = std::move(suites), next = std::size_t{0}](const Step&) mutable {
    return suites[next++];
  };
}

} // namespace

TEST_SUITE("loop first steps") {
  TEST_CASE("cases and first drafts are asked for together") {
    World world({.candidates = 3});
    world.take();
    REQUIRE(world.given.size() == 4);
    CHECK(world.given[0].kind == Kind::write_cases);
    CHECK(world.given[0].count == 20);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(world.given[i + 1].kind == Kind::write_draft);
      CHECK(world.given[i + 1].candidate == i);
    }
    CHECK(world.loop.take_steps().empty()); // each is given out once
    CHECK_FALSE(world.loop.ending());
  }

  TEST_CASE("the baseline is asked on all cases while drafts are written, each student apart") {
    World world({.students = {"haiku", "kimi"}, .runs = 2});
    world.answer_all(Kind::write_cases);
    REQUIRE(world.waiting.size() == 3);
    CHECK(world.waiting[0].kind == Kind::write_draft);
    for (std::size_t student = 0; student < 2; ++student) {
      const Step& step = world.waiting[student + 1];
      CHECK(step.kind == Kind::evaluate);
      CHECK_FALSE(step.draft);
      CHECK(step.student == student);
      CHECK(step.cases.size() == 20);
    }
    CHECK(world.loop.planned_samples() == 2 * 20 * 2);
  }

  TEST_CASE("a draft is asked on train as soon as it is there, whatever else is not") {
    World world;
    world.answer_all(Kind::write_cases);
    world.answer_all(Kind::write_draft);
    REQUIRE(world.waiting.size() == 2); // the baseline is under way
    CHECK(world.waiting[1].draft == 0);
    CHECK(world.waiting[1].cases == world.loop.cases_of(CasePart::train));
    World late;
    late.answer_all(Kind::write_draft);
    CHECK(late.waiting.size() == 1);
    late.answer_all(Kind::write_cases);
    CHECK(late.waiting.size() == 2);
    CHECK(late.waiting[1].draft == 0);
  }

  TEST_CASE("half of the cases are held out, which half is the seed's, and no case is in both") {
    std::set<std::vector<std::size_t>> splits;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      World world({.seed = seed});
      world.answer_all(Kind::write_cases);
      std::vector<std::size_t> all = world.loop.cases_of(CasePart::train);
      const std::vector<std::size_t> held_out = world.loop.cases_of(CasePart::held_out);
      CHECK(all.size() == 10);
      CHECK(held_out.size() == 10);
      all.insert(all.end(), held_out.begin(), held_out.end());
      CHECK(std::set<std::size_t>(all.begin(), all.end()).size() == 20);
      splits.insert(held_out);
      World again({.seed = seed});
      again.answer_all(Kind::write_cases);
      CHECK(again.loop.cases_of(CasePart::held_out) == held_out);
    }
    CHECK(splits.size() > 15);
  }

  TEST_CASE("few cases: as many as decide are held out, and the rest is to learn from") {
    World world;
    world.write_cases = replies({cases_of(numbered(1, 8)), cases_of(numbered(9, 12))});
    world.answer_all(Kind::write_cases);
    CHECK(world.count(Kind::write_cases) == 2);
    CHECK(world.given.back().kind == Kind::evaluate);
    CHECK(world.loop.held_out_cases() == 10);
    CHECK(world.loop.train_cases() == 2);
    REQUIRE(world.loop.warnings().size() == 1); // who asked for 20 is told
    CHECK(world.loop.warnings()[0].starts_with("it is tested by 12 cases: of the 20 "));
  }

  TEST_CASE("missing cases are asked for once more, and inputs that are there are not repeated") {
    World world;
    world.write_cases = replies({cases_of(numbered(1, 11)), cases_of(numbered(4, 20))});
    world.answer_all(Kind::write_cases);
    REQUIRE(world.count(Kind::write_cases) == 2);
    CHECK(world.given_of(Kind::write_cases)[1].count == 9);
    CHECK(world.loop.suite().cases.size() == 20);
    CHECK(world.loop.inputs() == numbered(1, 20));
    REQUIRE(world.loop.warnings().size() == 1);
    CHECK(world.loop.warnings()[0].starts_with("8 of 17 written cases are left out"));
    std::set<std::string> ids;
    for (const eval::Case& one : world.loop.suite().cases) {
      ids.insert(one.id);
    }
    CHECK(ids.size() == 20); // both replies count from 1
  }

  TEST_CASE("inputs that differ in letter case and outer white space are one") {
    World world;
    world.write_cases = replies({cases_of({"Parse it", " parse IT\n", "Parse  it"}), cases_of({})});
    world.answer_all(Kind::write_cases);
    CHECK(world.loop.inputs() == std::vector<std::string>{"Parse it", "Parse  it"});
  }

  TEST_CASE("more cases than were asked for are left out") {
    World world;
    world.write_cases = replies({cases_of(numbered(1, 50))});
    world.answer_all(Kind::write_cases);
    CHECK(world.loop.suite().cases.size() == 20);
  }

  TEST_CASE("with too few cases nothing is evaluated") {
    World world;
    world.write_cases = replies({cases_of(numbered(1, 8)), cases_of(numbered(9, 11))});
    const Ending& ending = world.run();
    CHECK(ending.kind == Ending::Kind::undecidable);
    CHECK(ending.why
          == "11 test cases can be used, and it takes 12: 10 to decide by and 2 to learn from");
    CHECK(ending.draft == 0);
    CHECK(world.count(Kind::evaluate) == 0);
    CHECK(world.count(Kind::write_cases) == 2);
  }

  TEST_CASE("a test writer who is away is an error, unless enough cases came before") {
    World world;
    world.trouble = [](const Step& step) {
      return step.kind == Kind::write_cases ? std::optional(away("the writer")) : std::nullopt;
    };
    const Ending& ending = world.run();
    CHECK(ending.kind == Ending::Kind::failed);
    CHECK(ending.error == away("the writer"));
    World enough;
    enough.write_cases = replies({cases_of(numbered(1, 12)), fail(away("the writer"))});
    CHECK(enough.run().kind == Ending::Kind::better);
  }

  TEST_CASE("students who pass every case without a skill need none") {
    World world({.students = {"haiku", "kimi"}});
    world.outcome = [](LoopArm, std::size_t, std::size_t, std::int64_t) { return Outcome::passed; };
    const Ending& ending = world.run();
    CHECK(ending.kind == Ending::Kind::not_warranted);
    CHECK(ending.why == "the students pass every case without a skill");
    // One sample of one student is a reason to go on.
    World almost({.students = {"haiku", "kimi"}});
    almost.outcome = [](LoopArm arm, std::size_t student, std::size_t number, std::int64_t run) {
      return passes(arm || student == 0 || number != 3 || run != 2);
    };
    CHECK(almost.run().kind == Ending::Kind::not_better);
  }

  TEST_CASE("a teacher who finds no skill warranted is believed, if no candidate says otherwise") {
    auto refusal = [](const Step&, std::size_t number) {
      return Result<DraftReply>(NotWarranted{"reason " + std::to_string(number)});
    };
    World world({.candidates = 2});
    world.write_draft = refusal;
    CHECK(world.run().kind == Ending::Kind::not_warranted);
    CHECK(world.loop.ending()->why == "reason 0");
    CHECK(world.loop.attempts()[1].problem == "not warranted: reason 1");
    World half({.candidates = 2});
    half.write_draft = [&](const Step& step, std::size_t number) {
      return number == 0 ? refusal(step, number) : Result<DraftReply>(draft_of(number));
    };
    CHECK(half.run().kind == Ending::Kind::better);
    CHECK(half.loop.ending()->draft == 1);
  }

  TEST_CASE("once the end is known nothing more is asked, and what is under way is waited for") {
    World needless;
    needless.outcome = [](LoopArm, std::size_t, std::size_t, std::int64_t) {
      return Outcome::passed;
    };
    needless.answer_all(Kind::write_cases);
    needless.answer_all(Kind::evaluate);
    CHECK_FALSE(needless.loop.ending()); // the draft is being written
    CHECK(needless.run().kind == Ending::Kind::not_warranted);
    CHECK(needless.count(Kind::evaluate) == 1);
    CHECK(needless.loop.attempts()[0].draft == draft_of(0));
    World refused;
    refused.write_draft = [](const Step&, std::size_t) {
      return Result<DraftReply>(NotWarranted{"no"});
    };
    refused.answer_all(Kind::write_draft);
    CHECK_FALSE(refused.loop.ending()); // the cases are
    CHECK(refused.run().kind == Ending::Kind::not_warranted);
    CHECK(refused.count(Kind::evaluate) == 0);
  }

  TEST_CASE("a draft that failed is told, and the others go on") {
    World world({.candidates = 3});
    world.trouble = [](const Step& step) {
      return step.kind == Kind::write_draft && step.candidate != 1 ? std::optional(away("teacher"))
                                                                   : std::nullopt;
    };
    CHECK(world.run().kind == Ending::Kind::better);
    REQUIRE(world.loop.attempts().size() == 3);
    CHECK(world.loop.attempts()[0].problem == "teacher is away");
    CHECK(world.loop.attempts()[1].problem.empty());
    CHECK(world.loop.attempts()[1].draft == draft_of(1));
    World none({.candidates = 2});
    none.trouble = [](const Step& step) {
      return step.kind == Kind::write_draft ? std::optional(away("teacher")) : std::nullopt;
    };
    CHECK(none.run().kind == Ending::Kind::failed);
    CHECK(none.loop.ending()->error == away("teacher"));
    CHECK_FALSE(none.loop.ending()->draft);
  }

  TEST_CASE("without an evaluation one draft is written, and nobody is asked") {
    World world({.candidates = 3, .evaluates = false});
    CHECK(world.run().kind == Ending::Kind::unevaluated);
    CHECK(world.loop.ending()->draft == 0);
    CHECK(world.given.size() == 1);
    World refused({.evaluates = false});
    refused.write_draft = [](const Step&, std::size_t) {
      return Result<DraftReply>(NotWarranted{"no"});
    };
    CHECK(refused.run().kind == Ending::Kind::not_warranted);
  }

  TEST_CASE("without students there is no evaluation") {
    Loop loop({});
    REQUIRE(loop.ending());
    CHECK(loop.ending()->kind == Ending::Kind::failed);
    CHECK(loop.take_steps().empty());
  }

  TEST_CASE("what nobody waits for is ignored") {
    World world;
    world.loop.cases_written(99, cases_of({"a"}));
    world.loop.evaluated(0, std::vector<EvalSample>());
    world.take();
    world.loop.draft_written(world.given[0].id, Result<DraftReply>(draft_of(0))); // those are cases
    CHECK(world.loop.suite().cases.empty());
    CHECK(world.run().kind == Ending::Kind::better);
  }
}
