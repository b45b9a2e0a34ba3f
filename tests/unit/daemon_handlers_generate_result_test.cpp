#include "daemon/handlers/generate_result.h"
#include "skills/document/tokens.h"
#include "skills/eval/suite_hash.h"
#include "tests/unit/skills_generate_loop_world.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::daemon;
using generate::Ending;
using generate::LoopArm;
using generate::LoopOptions;
using generate::Step;
using generate::test::draft_of;
using generate::test::World;

namespace {

const generate::Ending& ended(World& world, Ending::Kind kind) {
  const Ending& ending = world.run();
  REQUIRE(ending.kind == kind);
  return ending;
}

GenerateResult result_of(const World& world, const GenerateParams& params = {}) {
  Result<GenerateResult> result = daemon::result_of(params, world.loop);
  REQUIRE(result);
  return *std::move(result);
}

LoopOptions once() {
  LoopOptions options;
  options.attempts = 1;
  return options;
}

LoopOptions of_two_students() {
  LoopOptions options = once();
  options.students = {"haiku", "kimi"};
  options.cases = 40;
  options.more_cases = 0;
  return options;
}

// The first one knows all with the skill and nothing without it. The second one knows nothing in
// either case, or all without it, of which the skill takes most.
void spoil(World& world, bool second_loses) {
  world.outcome = [second_loses](LoopArm arm, std::size_t student, std::size_t number, auto) {
    if (student == 0) {
      return generate::test::passes(arm.has_value());
    }
    return generate::test::passes(second_loses && (!arm || number % 4 == 0));
  };
}

} // namespace

TEST_SUITE("generate_result") {
  TEST_CASE("what is proven is told with its lift, its interval and the cases that decided") {
    LoopOptions options;
    options.cases = 12;
    World world(options);
    const Ending& ending = ended(world, Ending::Kind::better);
    GenerateParams params;
    params.runs = 3;
    GenerateResult result = result_of(world, params);
    CHECK(result.outcome == GenerateOutcome::saved);
    CHECK(result.why == ending.why);
    CHECK(result.stopped.empty());
    CHECK(result.skill == "draft-0");
    CHECK(result.description == "Does it.");
    CHECK(result.runs == 3);
    CHECK(result.train_cases == 2);
    CHECK(result.held_out_cases == 10);
    REQUIRE(result.models.size() == 1);
    const EvalModelReport& model = result.models[0];
    CHECK(model.model == "haiku");
    CHECK(model.verdict == EvalVerdict::better);
    // Each held-out case three times in each arm, and no train case.
    CHECK(model.with_skill.samples == 30);
    CHECK(model.with_skill.rate == 1.0);
    REQUIRE(model.baseline);
    CHECK(model.baseline->samples == 30);
    CHECK(model.baseline->rate == 0.0);
    REQUIRE(model.lift);
    CHECK(model.lift->value == 1.0);
    CHECK(model.lift->low > 0);
    CHECK(model.lift->low <= model.lift->value);
    CHECK(model.lift->high >= model.lift->value);
    CHECK(model.cases.size() == 10);
  }

  TEST_CASE("an interval is as wide as students are unlike from case to case") {
    World world(once());
    world.outcome = [](LoopArm arm, std::size_t, std::size_t number, auto) {
      return generate::test::passes(arm && number % 5 != 0);
    };
    world.run();
    GenerateResult result = result_of(world);
    REQUIRE(result.models.size() == 1);
    REQUIRE(result.models[0].lift);
    const EvalLift& lift = *result.models[0].lift;
    CHECK(lift.value < 1);
    CHECK(lift.low < lift.value);
    CHECK(lift.high > lift.value);
  }

  TEST_CASE("students who do not agree are each told, and one that loses forbids it") {
    World world(of_two_students());
    spoil(world, true);
    const Ending& ending = ended(world, Ending::Kind::worse);
    GenerateResult result = result_of(world);
    CHECK(result.outcome == GenerateOutcome::worse);
    CHECK(result.why.find("`kimi` gets worse") != std::string::npos);
    REQUIRE(result.models.size() == 2);
    CHECK(result.models[0].model == "haiku");
    CHECK(result.models[0].lift->value == 1.0);
    CHECK(result.models[1].model == "kimi");
    CHECK(result.models[1].lift->value < 0);
    CHECK(result.models[1].verdict == EvalVerdict::worse);
    GenerateParams params;
    CHECK_FALSE(is_to_be_saved(params, ending));
    params.keep_anyway = true;
    CHECK(is_to_be_saved(params, ending));
    params.dry_run = true;
    CHECK_FALSE(is_to_be_saved(params, ending));
  }

  TEST_CASE("a student whom it does not help has a lift of nothing beside one whom it does") {
    World world(of_two_students());
    spoil(world, false);
    world.run();
    GenerateResult result = result_of(world);
    REQUIRE(result.models.size() == 2);
    CHECK(result.models[0].lift->value == 1.0);
    CHECK(result.models[0].verdict == EvalVerdict::better);
    CHECK(result.models[1].lift->value == 0.0);
    CHECK(result.models[1].verdict != EvalVerdict::better);
  }

  TEST_CASE("what does not help has its best draft told, and is saved on request alone") {
    World world(once());
    world.outcome = [](auto&&...) { return SampleOutcome::failed; };
    const Ending& ending = ended(world, Ending::Kind::not_better);
    GenerateResult result = result_of(world);
    CHECK(result.outcome == GenerateOutcome::not_better);
    CHECK(result.skill == "draft-0");
    CHECK(result.models.empty()); // it was not worth a look
    GenerateParams params;
    CHECK_FALSE(is_to_be_saved(params, ending));
    params.keep_anyway = true;
    CHECK(is_to_be_saved(params, ending));
  }

  TEST_CASE("without an evaluation nothing is claimed, and it is saved") {
    LoopOptions options;
    options.evaluates = false;
    World world(options);
    const Ending& ending = ended(world, Ending::Kind::unevaluated);
    GenerateResult result = result_of(world);
    CHECK(result.outcome == GenerateOutcome::unevaluated);
    CHECK(result.models.empty());
    CHECK(result.held_out_cases == 0);
    CHECK(is_to_be_saved({}, ending));
  }

  TEST_CASE("where there is no draft nothing is told of one, and nothing can be kept") {
    World world;
    world.write_draft = [](auto&&...) {
      return Result<generate::DraftReply>(generate::NotWarranted{"every model can"});
    };
    const Ending& ending = ended(world, Ending::Kind::not_warranted);
    GenerateResult result = result_of(world);
    CHECK(result.outcome == GenerateOutcome::not_warranted);
    CHECK(result.why == "every model can");
    CHECK(result.skill.empty());
    CHECK(result.description.empty());
    CHECK(result.files.empty());
    GenerateParams params;
    params.keep_anyway = true;
    CHECK_FALSE(is_to_be_saved(params, ending));
  }

  TEST_CASE("too few cases decide nothing, and say so") {
    World world;
    world.write_cases = [](auto&&...) {
      return Result<eval::CaseSuite>(generate::test::cases_of({"task a", "task b"}));
    };
    const Ending& ending = ended(world, Ending::Kind::undecidable);
    GenerateResult result = result_of(world);
    CHECK(result.outcome == GenerateOutcome::undecidable);
    CHECK(result.why.starts_with("2 test cases can be used"));
    CHECK(result.skill == "draft-0");
    CHECK_FALSE(is_to_be_saved({}, ending));
  }

  TEST_CASE("a generation that was stopped says why, and saves nothing by itself") {
    World world;
    world.answer_all(Step::Kind::write_draft);
    world.loop.stop("the budget is spent");
    const Ending& ending = ended(world, Ending::Kind::stopped);
    GenerateResult result = result_of(world);
    CHECK(result.outcome == GenerateOutcome::stopped);
    CHECK(result.stopped == "the budget is spent");
    CHECK(result.skill == "draft-0");
    CHECK_FALSE(is_to_be_saved({}, ending));
  }

  TEST_CASE("each draft is told with what came of it, and which one it is") {
    LoopOptions options;
    options.candidates = 2;
    options.attempts = 2;
    World world(options);
    world.write_draft = [](const Step&, std::size_t number) -> Result<generate::DraftReply> {
      if (number == 1) {
        return fail(ErrorCode::invalid_argument, "it was prose");
      }
      return draft_of(number);
    };
    world.outcome = [](LoopArm arm, auto&&...) {
      return generate::test::passes(arm == std::size_t{2});
    };
    ended(world, Ending::Kind::better);
    GenerateParams params;
    GenerateResult result = result_of(world, params);
    REQUIRE(result.attempts.size() == 3);
    const GenerateAttempt& first = result.attempts[0];
    CHECK(first.attempt == 1);
    CHECK(first.candidate == 1);
    CHECK_FALSE(first.refined);
    CHECK_FALSE(first.chosen);
    CHECK(first.baseline == 0.0);
    CHECK(first.with_skill == 0.0);
    CHECK_FALSE(first.held_out);
    CHECK(first.tokens > 0);
    CHECK(first.document.empty());
    const GenerateAttempt& second = result.attempts[1];
    CHECK(second.candidate == 2);
    CHECK(second.problem == "it was prose");
    CHECK(second.tokens == 0);
    const GenerateAttempt& third = result.attempts[2];
    CHECK(third.attempt == 2);
    CHECK(third.candidate == 1);
    CHECK(third.refined);
    CHECK(third.chosen);
    CHECK(third.with_skill == 1.0);
    CHECK(third.held_out_baseline == 0.0);
    CHECK(third.held_out == 1.0);
    CHECK(result.skill == "draft-2");
    params.verbose = true;
    result = result_of(world, params);
    CHECK(result.attempts[0].document == generate::write_document(draft_of(0)));
    CHECK(result.attempts[1].document.empty()); // there is none
    CHECK(result.attempts[2].document == generate::write_document(draft_of(2)));
  }

  TEST_CASE("tokens are told for each file, and what a draft warns of") {
    World world;
    generate::Draft draft = draft_of(0);
    draft.files["references/long.md"] = {std::string(4000, 'x') + "\n", false};
    draft.warnings = {"what may be a secret is in it"};
    world.write_draft = [&](auto&&...) { return Result<generate::DraftReply>(draft); };
    ended(world, Ending::Kind::better);
    GenerateResult result = result_of(world);
    REQUIRE(result.files.size() == 2);
    CHECK(result.files[0].path == "SKILL.md");
    CHECK(result.files[0].tokens == document::estimate_tokens(generate::write_document(draft)));
    CHECK(result.files[1].path == "references/long.md");
    CHECK(result.files[1].tokens > result.files[0].tokens);
    CHECK(result.attempts[0].tokens == result.files[0].tokens); // what every use costs
    REQUIRE_FALSE(result.warnings.empty());
    CHECK(result.warnings.back() == "what may be a secret is in it");
  }

  TEST_CASE("the evaluation that is kept is that of the held-out cases") {
    World world;
    ended(world, Ending::Kind::better);
    GenerateResult result = result_of(world);
    result.id = "eval-1";
    result.hash = "abc";
    result.runs = 3;
    result.improves = "/home/ada/skills/draft-0";
    result.cost = 0.5;
    result.asked = 120;
    result.cached = 7;
    result.scripted = true;
    result.config = "/home/ada/upskill.config.yaml";
    Result<EvalResult> evaluation = evaluation_of(result, world.loop, "2027-01-15T08:00:00Z");
    REQUIRE(evaluation);
    CHECK(evaluation->id == "eval-1");
    CHECK(evaluation->skill == "draft-0");
    CHECK(evaluation->hash == "abc");
    CHECK(evaluation->started_at == "2027-01-15T08:00:00Z");
    CHECK(evaluation->cases == 10);
    CHECK(evaluation->runs == 3);
    CHECK(evaluation->against == "/home/ada/skills/draft-0");
    CHECK(evaluation->cost == 0.5);
    CHECK(evaluation->asked == 120);
    CHECK(evaluation->cached == 7);
    CHECK(evaluation->scripted);
    CHECK(evaluation->config == "/home/ada/upskill.config.yaml");
    CHECK(evaluation->cases_hash == eval::suite_hash(world.loop.suite()).hex());
    REQUIRE(evaluation->models.size() == 1);
    CHECK(evaluation->models[0].samples.size() == 60);
  }
}
