#include "tests/unit/daemon_handlers_generate_world.h"

using namespace upskill;
using namespace upskill::daemon;
using tests::GenerateWorld;
using tests::has_line;
using tests::needed;
namespace fs = std::filesystem;

namespace {

std::string text_of(const std::string& path) {
  return read_file(path, 1u << 20).value_or("nothing");
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Nobody is asked to show that it helps.
GenerateParams unproven() {
  GenerateParams params = GenerateWorld::params();
  params.no_eval = true;
  return params;
}

std::vector<std::string> roles_of(const GenerateResult& result) {
  std::vector<std::string> roles;
  for (const GenerateRole& role : result.roles) {
    roles.push_back(role.role + ": " + role.model);
  }
  return roles;
}

} // namespace

TEST_SUITE("generate_run") {
  TEST_CASE("from a task to a skill that is saved, and a report of who was asked") {
    GenerateWorld world;
    GenerateResult result = needed(world.generate(GenerateWorld::params()));
    CHECK(result.outcome == GenerateOutcome::saved);
    CHECK(result.saved == world.project + "/skills/box-codes");
    CHECK(result.id.starts_with("eval-"));
    CHECK(roles_of(result)
          == std::vector<std::string>{"teacher: scripted:teacher.json",
                                      "test cases: scripted:writer.json",
                                      "student: scripted:student.json"});
    // The teacher and the writer once, and 20 cases three times with the skill and without.
    CHECK(result.asked == 2 + 120);
    CHECK(result.cached == 0);
    CHECK(result.cost == 0.25);
    CHECK(result.scripted);
    CHECK(result.stopped.empty());
    REQUIRE(result.models.size() == 1);
    CHECK(result.models[0].student == "chat");
    CHECK(result.models[0].resolved == "scripted answers of `student.json`, no model");
    CHECK(world.evaluations().size() == 1);
  }

  TEST_CASE("options and roles of those who take part on request") {
    GenerateWorld world;
    world.script("other", R"({"answer": "no"})");
    world.script("adversary", R"({"answer": {"cases": []}})");
    GenerateParams params = GenerateWorld::params();
    params.eval_model.push_back("scripted:other.json");
    params.judge_model = "scripted:writer.json";
    params.counterexamples = "scripted:adversary.json";
    params.cases = 30;
    params.attempts = 2; // with one, nobody would be asked for counterexamples
    params.candidates = 2;
    params.runs = 4;
    world.script("writer", R"({"answer": )" + GenerateWorld::cases_text(1, 30) + "}");
    GenerateResult result = needed(world.generate(params));
    CHECK(roles_of(result)
          == std::vector<std::string>{"teacher: scripted:teacher.json",
                                      "test cases: scripted:writer.json",
                                      "student: scripted:student.json",
                                      "student: scripted:other.json",
                                      "judge: scripted:writer.json",
                                      "counterexamples: scripted:adversary.json"});
    CHECK(result.train_cases + result.held_out_cases == 30);
    CHECK(result.runs == 4);
    CHECK(result.attempts.size() == 2);
    REQUIRE(result.models.size() == 2);
    CHECK(result.models[0].with_skill.samples == 4 * result.held_out_cases);
    // Nobody but the teacher has a part where nothing is evaluated.
    params = unproven();
    params.output = "out/box-codes";
    CHECK(roles_of(needed(world.generate(params)))
          == std::vector<std::string>{"teacher: scripted:teacher.json"});
  }

  TEST_CASE("a name that an agent's skill has is taken") {
    GenerateWorld world;
    world.skills.skill(".claude/skills/box-codes", "Of somebody else.");
    GenerateResult result = needed(world.generate(unproven()));
    CHECK(result.skill == "box-codes-2");
    CHECK(result.saved == world.project + "/skills/box-codes-2");
    CHECK(has_line(result.warnings, "the name `box-codes` is taken by another skill"));
    CHECK(result.asked == 2); // the teacher was asked for another one first
    CHECK(has(text_of(result.saved + "/SKILL.md"), "name: box-codes-2\n"));
    CHECK(has(text_of(world.skills / ".claude/skills/box-codes/SKILL.md"), "Of somebody else."));
  }

  TEST_CASE("a name is taken by whatever lies where it would go, also a link to nothing") {
    GenerateWorld world;
    world.skills.link("project/skills/box-codes", "nowhere");
    GenerateResult result = needed(world.generate(unproven()));
    CHECK(result.skill == "box-codes-2");
    CHECK(fs::is_symlink(world.project + "/skills/box-codes"));
  }

  TEST_CASE("a folder that is named names the skill, whatever names are taken") {
    GenerateWorld world;
    world.skills.skill(".claude/skills/box-codes", "Of somebody else.");
    GenerateParams params = unproven();
    params.output = "out/box-codes";
    GenerateResult result = needed(world.generate(params));
    CHECK(result.skill == "box-codes");
    CHECK(result.saved == world.project + "/out/box-codes");
    CHECK(result.asked == 1);
    params.output = "out/codes";
    result = needed(world.generate(params));
    CHECK(result.skill == "codes");
    CHECK(has(text_of(world.project + "/out/codes/SKILL.md"), "name: codes\n"));
    CHECK_FALSE(fs::exists(world.project + "/skills"));
  }

  TEST_CASE("a skill that is improved keeps its name and place, and its old version") {
    GenerateWorld world;
    world.skills.skill(".claude/skills/old-name", "Of old.");
    GenerateParams params = GenerateWorld::params();
    params.from = {world.skills / ".claude/skills/old-name"};
    GenerateResult result = needed(world.generate(params));
    CHECK(result.outcome == GenerateOutcome::saved);
    CHECK(result.skill == "old-name");
    CHECK(result.saved == params.from[0]);
    CHECK(result.improves == params.from[0]);
    CHECK(has(text_of(result.replaced + "/SKILL.md"), "Of old."));
    CHECK(has(text_of(result.saved + "/SKILL.md"), "Its code ends as the box does."));
  }

  TEST_CASE("an improved version in another folder has that folder's name, and the old one stays") {
    GenerateWorld world;
    world.skills.skill(".claude/skills/old-name", "Of old.");
    GenerateParams params = unproven();
    params.from = {world.skills / ".claude/skills/old-name"};
    params.output = "out/new-name";
    GenerateResult result = needed(world.generate(params));
    CHECK(result.skill == "new-name");
    CHECK(result.improves == params.from[0]);
    CHECK(result.replaced.empty());
    CHECK(has(text_of(params.from[0] + "/SKILL.md"), "Of old."));
  }

  TEST_CASE("a skill with what it has to beat is measured against itself") {
    GenerateWorld world;
    world.skills.file(".claude/skills/box-codes/SKILL.md", GenerateWorld::skill_text());
    GenerateParams params = GenerateWorld::params();
    params.from = {world.skills / ".claude/skills/box-codes"};
    GenerateResult result = needed(world.generate(params));
    CHECK(result.outcome == GenerateOutcome::not_warranted);
    CHECK(result.why == "the students pass every case with the skill as it is");
    CHECK(result.saved.empty());
  }

  TEST_CASE("a teacher or students who cannot be asked are an error, and nothing is saved") {
    for (const char* who : {"teacher", "student"}) {
      GenerateWorld world;
      world.script(who, R"({"fault": "unavailable"})");
      Result<GenerateResult> result = world.generate(GenerateWorld::params());
      CAPTURE(who);
      REQUIRE_FALSE(result);
      CHECK(result.error().code == ErrorCode::unavailable);
      CHECK_FALSE(fs::exists(world.project + "/skills"));
      CHECK(world.evaluations().empty());
    }
  }

  TEST_CASE("a budget that ends it proves nothing, and says so") {
    GenerateWorld world;
    world.script("student", R"({"answer": "no", "cost": 0.01})");
    GenerateParams params = GenerateWorld::params();
    params.budget = 0.3;
    params.jobs = 1;
    GenerateResult result = needed(world.generate(params));
    CHECK(result.outcome == GenerateOutcome::stopped);
    CHECK(result.stopped == result.why);
    CHECK(result.failed == result.why);
    CHECK(result.asked < 20);
    CHECK(has(result.document, "name: box-codes"));
    CHECK_FALSE(fs::exists(world.project + "/skills"));
  }

  TEST_CASE("a proof that was there before the budget ended it counts, and the end is told") {
    GenerateWorld world;
    // Of 24 cases 12 are held out; the last two samples of them are not paid for, and the cases
    // that have all of theirs are proof enough.
    std::string skill = GenerateWorld::json(GenerateWorld::skill_text());
    world.script("teacher", R"({"answer": )" + skill + R"(, "cost": 0.01})");
    world.script("writer", R"({"answer": )" + GenerateWorld::cases_text(1, 24) + "}");
    world.script("student",
                 R"({"system": "Its code ends as", "answer": "pass", "cost": 0.01},)"
                 R"( {"answer": "no", "cost": 0.01})");
    GenerateParams params = GenerateWorld::params();
    params.cases = 24;
    params.budget = 0.01 + 1.425; // 142 of 144 samples
    params.jobs = 1;
    GenerateResult result = needed(world.generate(params));
    CHECK(result.outcome == GenerateOutcome::saved);
    CHECK(result.stopped.empty());
    CHECK(has_line(result.warnings, "it ended early: "));
  }

  TEST_CASE("where a description cannot be tuned it is as it was drafted, and saved") {
    GenerateWorld world;
    GenerateParams params = GenerateWorld::params();
    params.tune_description = true; // the writer has no queries to tell
    GenerateResult result = needed(world.generate(params));
    CHECK(result.outcome == GenerateOutcome::saved);
    CHECK_FALSE(result.triggers);
    CHECK(result.description == "Tells the codes of boxes.");
    CHECK(has_line(result.warnings, "the description is as it was drafted: "));
  }

  TEST_CASE("the description of what is not saved is not tuned") {
    GenerateWorld world;
    world.script("student", R"({"answer": "no"})");
    GenerateParams params = GenerateWorld::params();
    params.tune_description = true;
    GenerateResult result = needed(world.generate(params));
    CHECK(result.outcome == GenerateOutcome::not_better);
    CHECK_FALSE(has_line(result.warnings, "the description"));
  }

  TEST_CASE("what the configuration and a skill's files warn of is told") {
    GenerateWorld world;
    world.skills.file("project/upskill.config.yaml", "no_such_field: 1\n");
    world.skills.skill(".claude/skills/box-codes", "Of old.");
    world.skills.file(".claude/skills/box-codes/skill_meta.json",
                      R"({"cases": [{"input": "Box 9?", "checks": ["it is polite"]}]})");
    GenerateParams params = unproven();
    params.from = {world.skills / ".claude/skills/box-codes"};
    GenerateResult result = needed(world.generate(params));
    CHECK(result.config == world.project + "/upskill.config.yaml");
    CHECK(has_line(result.warnings, "no_such_field"));
    CHECK(has_line(result.warnings, "1 of the skill's own cases need a judge"));
  }

  TEST_CASE("sessions are told with what the teacher read of them, and not in the skill") {
    GenerateWorld world;
    world.script("teacher",
                 R"({"user": "granite-7x is missing", "answer": )"
                     + GenerateWorld::json(GenerateWorld::skill_text()) + "}");
    world.keep("s1", [](tests::ClaudeSession& session) {
      session.prompt("Build the widget");
      session.runs("c1", "make widget");
      session.fails("c1", "error: granite-7x is missing");
      session.runs("c2", "make widget GRANITE=7");
      session.gives("c2", "ok");
      session.says("Done.");
    });
    GenerateParams params = unproven();
    params.from = {"s1"};
    GenerateResult result = needed(world.generate(params));
    REQUIRE(result.evidence.size() == 1);
    CHECK(result.evidence[0].session == "s1");
    CHECK(result.evidence[0].tokens > 0);
    CHECK(result.evidence[0].counts.errors == 1);
    CHECK_FALSE(has(text_of(result.saved + "/skill_meta.json"), "granite-7x"));
  }

  TEST_CASE("where the caller teaches, it is asked before anything is saved") {
    GenerateWorld world;
    GenerateParams params = unproven();
    params.model = "sampling";
    world.context.client.sampling = true;
    mcp::Answer asked = needed(world.ask(params));
    auto* required = std::get_if<mcp::InputRequired>(&asked);
    REQUIRE(required != nullptr);
    REQUIRE(required->requests.size() == 1);
    CHECK(required->requests[0].kind == mcp::InputKind::sampling);
    CHECK(has(required->requests[0].params, "Tell the code of a box."));
    CHECK_FALSE(fs::exists(world.project + "/skills"));
    // The answer in two blocks, as a client of a newer version may give it.
    std::string skill = GenerateWorld::skill_text();
    world.context.input_responses =
        R"({")" + required->requests[0].key + R"(": {"model": "theirs", "content": [)"
        + R"({"type": "text", "text": )" + GenerateWorld::json(skill.substr(0, 40))
        + R"(}, {"type": "text", "text": )" + GenerateWorld::json(skill.substr(40)) + "}]}}";
    GenerateResult result = needed(world.generate(params));
    CHECK(result.skill == "box-codes");
    CHECK(has(text_of(result.saved + "/SKILL.md"), "Its code ends as the box does."));
    // Made once more, the answer is known.
    world.context.input_responses = "";
    params.output = "out/box-codes";
    CHECK(needed(world.generate(params)).cached == 1);
  }
}
