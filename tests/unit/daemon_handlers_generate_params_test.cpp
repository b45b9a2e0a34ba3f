#include "daemon/handlers/generate_request.h"
#include "tests/support/skills_world.h"

#include <limits>

using namespace upskill;
using namespace upskill::daemon;

namespace {

GenerateParams good() {
  GenerateParams params;
  params.task = "Write build files.";
  params.model = "sonnet";
  params.test_gen_model = "sonnet";
  params.eval_model = {"haiku"};
  return params;
}

using Change = void (*)(GenerateParams&);

Error refusal_of(Change change, bool is_person) {
  GenerateParams params = good();
  change(params);
  Result<void> checked = check_params(params, {is_person, "/"});
  REQUIRE_FALSE(checked);
  return checked.error();
}

bool is_fine(Change change, bool is_person) {
  GenerateParams params = good();
  change(params);
  return check_params(params, {is_person, "/"}).has_value();
}

} // namespace

TEST_SUITE("generate_params") {
  TEST_CASE("what is left open is settled by the configuration, then by the teacher") {
    config::Config config;
    config.skill_generation_model = "opus";
    config.test_gen_model = "";
    config.eval_model = "haiku";
    config.num_runs = 2;
    config.max_refine_attempts = 4;
    GenerateParams params;
    settle(params, config);
    CHECK(params.model == "opus");
    CHECK(params.test_gen_model == "opus");
    CHECK(params.eval_model == std::vector<std::string>{"haiku"});
    CHECK(params.student == "chat");
    CHECK(params.runs == 3); // fewer decide nothing
    CHECK(params.attempts == 5);
    CHECK(params.cases == 20);
    CHECK(params.candidates == 1);
    GenerateParams named = good();
    named.runs = 7;
    named.attempts = 2;
    settle(named, config);
    CHECK(named.model == "sonnet");
    CHECK(named.runs == 7);
    CHECK(named.attempts == 2);
    config.eval_model.clear();
    GenerateParams own;
    settle(own, config);
    CHECK(own.eval_model == std::vector<std::string>{"opus"});
  }

  TEST_CASE("what a person may say, and an agent may not") {
    for (Change change :
         {Change([](GenerateParams& p) { p.model = "scripted:/etc/passwd"; }),
          Change([](GenerateParams& p) { p.test_gen_model = "scripted:a"; }),
          Change([](GenerateParams& p) { p.eval_model = {"scripted:a"}; }),
          Change([](GenerateParams& p) { p.counterexamples = "scripted:a"; }),
          Change([](GenerateParams& p) { p.judge_model = "scripted:a"; }),
          Change([](GenerateParams& p) { p.model = "cli.claude-code"; }),
          Change([](GenerateParams& p) { p.judge_model = "cli.claude-code"; }),
          Change([](GenerateParams& p) { p.base_url = "https://evil.example"; }),
          Change([](GenerateParams& p) { p.eval_base_url = "https://evil.example"; }),
          Change([](GenerateParams& p) { p.tool = {"/etc/passwd"}; }),
          Change([](GenerateParams& p) { p.runs_dir = "/tmp"; }),
          Change([](GenerateParams& p) { p.record = "/tmp"; }),
          Change([](GenerateParams& p) { p.replay = "/tmp"; }),
          Change([](GenerateParams& p) {
            p.output = "/tmp/a";
            p.no_eval = true;
          }),
          Change([](GenerateParams& p) {
            p.output = "/tmp/a";
            p.keep_anyway = true;
          })}) {
      CHECK(is_fine(change, true));
      CHECK(refusal_of(change, false).code == ErrorCode::refused);
    }
    for (Change change : {Change([](GenerateParams&) {}),
                          Change([](GenerateParams& p) { p.model = "sampling"; }),
                          Change([](GenerateParams& p) { p.base_url = "http://127.0.0.1:8080"; }),
                          Change([](GenerateParams& p) { p.no_eval = true; })}) {
      CHECK(is_fine(change, false));
    }
  }

  TEST_CASE("an error names its parameter") {
    CHECK(refusal_of([](GenerateParams& p) { p.eval_base_url = "https://evil.example"; }, false)
              .message
          == "params.eval_base_url: only a person may name a server of another machine");
    CHECK(refusal_of([](GenerateParams& p) { p.task = " \n"; }, true).message
          == "params.task: is empty");
    CHECK(refusal_of([](GenerateParams& p) { p.cases = 11; }, true).message
          == "params.cases: must be from 12 to 200");
  }

  TEST_CASE("what makes no sense is said at once") {
    for (Change change :
         {Change([](GenerateParams& p) { p.task.assign((16u << 10) + 1, 'a'); }),
          Change([](GenerateParams& p) { p.example.assign(51, "a"); }),
          Change([](GenerateParams& p) { p.from.assign(21, "a"); }),
          Change([](GenerateParams& p) {
            p.eval_model = {"a", "b", "a"};
          }),
          Change([](GenerateParams& p) { p.eval_model = {"cli.claude-code"}; }),
          Change([](GenerateParams& p) { p.eval_model = {"sampling"}; }),
          Change([](GenerateParams& p) { p.student = "person"; }),
          Change([](GenerateParams& p) { p.runs = 2; }),
          Change([](GenerateParams& p) { p.candidates = 0; }),
          Change([](GenerateParams& p) { p.attempts = 21; }),
          Change([](GenerateParams& p) { p.jobs = 0; }),
          Change([](GenerateParams& p) { p.evidence_tokens = 999; }),
          Change([](GenerateParams& p) { p.seed = -1; }),
          Change([](GenerateParams& p) { p.budget = -0.5; }),
          Change([](GenerateParams& p) { p.budget = std::numeric_limits<double>::infinity(); }),
          Change([](GenerateParams& p) { p.token_budget = -1; }),
          Change([](GenerateParams& p) { p.time_budget = 0; }),
          Change([](GenerateParams& p) { p.executor = "remote"; }),
          Change([](GenerateParams& p) { p.record = p.replay = "/tmp"; }),
          Change([](GenerateParams& p) {
            p.model = "cli.claude-code";
            p.budget = 1;
          }),
          Change([](GenerateParams& p) {
            p.model = "sampling";
            p.tune_description = true;
          }),
          Change([](GenerateParams& p) { p.judge_model = "sampling"; }),
          Change([](GenerateParams& p) {
            p.counterexamples = "haiku";
            p.attempts = 1;
          }),
          Change([](GenerateParams& p) { p.no_eval = p.tune_description = true; })}) {
      CHECK(refusal_of(change, true).code == ErrorCode::invalid_argument);
    }
  }
}

TEST_SUITE("generate_request") {
  TEST_CASE("what is named is improved, or learned from, and lies where it may") {
    tests::SkillsWorld world;
    world.skill(".claude/skills/git-commit", "Writes commit messages");
    world.file(".claude/skills/git-commit/references/more.md", "More.\n");
    world.file(".claude/skills/git-commit/scripts/do.sh", "#!/bin/sh\n");
    world.file(".claude/skills/git-commit/evals/evals.json", "{}");
    world.file("notes/other.md", "Not a skill.\n");
    world.wait_idle();
    Result<std::shared_ptr<const Catalogue>> catalogue = world.run(world.library().catalogue({}));
    REQUIRE(catalogue);
    FoundConfig config;
    config.skills_dir = world / "skills";
    auto read = [&](GenerateParams params, bool is_person) {
      return read_request(**catalogue, params, config, {is_person, world.home()});
    };
    GenerateParams params = good();
    params.from = {"git-commit", "0123abc"};
    std::filesystem::remove_all(world / ".claude/skills/git-commit/evals");
    Result<GenerateRequest> request = read(params, false);
    REQUIRE(request);
    REQUIRE(request->improved);
    CHECK(request->improved->current.name == "git-commit");
    CHECK(request->improved->current.files.size() == 2);
    CHECK(request->improved->current.files.at("scripts/do.sh").is_program);
    CHECK(request->output == request->improved->folder);
    CHECK(request->sessions == std::vector<std::string>{"0123abc"});
    CHECK(request->names.contains("git-commit"));

    // Without a proof nobody but a person replaces what agents are told.
    for (bool GenerateParams::*unproven :
         {&GenerateParams::no_eval, &GenerateParams::keep_anyway}) {
      GenerateParams bold = params;
      bold.*unproven = true;
      CHECK(read(bold, true));
      Result<GenerateRequest> refused = read(bold, false);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::refused);
    }

    GenerateParams elsewhere = good();
    elsewhere.output = world / "notes/new";
    CHECK(read(elsewhere, true));
    Result<GenerateRequest> refused = read(elsewhere, false);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    elsewhere.output = world / ".claude/skills/new";
    CHECK(read(elsewhere, false));
    elsewhere.output = world / "notes";
    Result<GenerateRequest> taken = read(elsewhere, true);
    REQUIRE_FALSE(taken);
    CHECK(taken.error().code == ErrorCode::already_exists);

    GenerateParams file = good();
    file.from = {world / "notes/other.md"};
    CHECK(read(file, true)->sessions == std::vector<std::string>{world / "notes/other.md"});
    refused = read(file, false);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);

    GenerateParams twice = good();
    twice.from = {"git-commit", "git-commit"};
    Result<GenerateRequest> two = read(twice, true);
    REQUIRE_FALSE(two);
    CHECK(two.error().code == ErrorCode::invalid_argument);
  }
}
