#include "daemon/handlers/generate_finish.h"
#include "daemon/handlers/generate_result.h"
#include "skills/eval/cases.h"
#include "skills/store/inbox.h"
#include "skills/sync/put_skill.h"
#include "tests/unit/daemon_handlers_generate_world.h"
#include "tests/unit/skills_generate_loop_world.h"

using namespace upskill;
using namespace upskill::daemon;
using generate::LoopArm;
using tests::has_line;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_old = "---\nname: draft-0\ndescription: Old.\n---\nOld words.\n";

generate::LoopOptions once() {
  generate::LoopOptions options;
  options.attempts = 1;
  options.more_cases = 0;
  return options;
}

eval::CaseSuite plain_cases(int first, std::size_t count) {
  std::string cases;
  for (std::size_t i = 0; i < count; ++i) {
    cases += (i == 0 ? "" : ", ") + std::string(R"({"input": "Box )")
             + std::to_string(first + static_cast<int>(i))
             + R"(?", "expected": {"contains": ["x"]}})";
  }
  return tests::needed(eval::read_cases(R"({"cases": [)" + cases + "]}"));
}

// A loop that has come to its end, and what is to be done with it.
struct World {
  tests::GenerateWorld home;
  generate::test::World made;
  GenerateParams params;
  GenerateRequest request;
  EvalOutputs outputs;
  bool is_person = true;
  GenerateResult result;

  explicit World(generate::LoopOptions options = once())
      : made(std::move(options)) {
    made.write_cases = [](const generate::Step& step) {
      return Result<eval::CaseSuite>(plain_cases(1, step.count));
    };
    params.model = "sonnet";
    params.task = "Tell the codes of boxes.";
    request.folder = home.skills / "skills";
  }

  // Too little is known of it: it helps in some cases, and in the others nothing does.
  void is_not_proven() {
    made.outcome = [](LoopArm arm, std::size_t, std::size_t number, auto) {
      return generate::test::passes(arm && number % 3 == 0);
    };
  }

  // A skill of old that is improved, as it lies there now.
  void improve(const std::string& path) {
    home.skills.file(path + "/SKILL.md", k_old);
    ImprovedSkill improved;
    improved.folder = home.skills / path;
    improved.hash = tests::needed(sync::read_placed(improved.folder))->hash;
    improved.current.name = "draft-0";
    request.improved = std::move(improved);
    request.output = home.skills / path;
  }

  Result<void> finish() {
    made.run();
    REQUIRE(made.loop.ending());
    result = tests::needed(result_of(params, made.loop));
    result.id = "eval-1";
    std::optional<generate::Draft> draft;
    if (std::optional<std::size_t> best = made.loop.ending()->draft) {
      draft = made.loop.attempts()[*best].draft;
    }
    GenerateFinish finish{home.room,
                          home.skills.library().pool(home.context),
                          params,
                          request,
                          outputs,
                          made.loop,
                          std::move(draft),
                          tests::k_generated_ms,
                          is_person};
    return home.skills.run(finish_generation(std::move(finish), result));
  }

  std::string text(const std::string& path) const {
    return read_file(path, 1u << 20).value_or("nothing");
  }

  std::string saved(const std::string& name) const { return text(result.saved + "/" + name); }

  std::vector<store::InboxEntry> inbox() {
    return tests::needed(store::Inbox(home.places().data + "/inbox").list());
  }

  EvalResult kept(const std::string& id) {
    auto find = [&](store::EvalStore& store) { return store.find_evaluation(id); };
    Result<std::optional<store::EvaluationRow>> row = home.skills.run(home.journal.with(find));
    REQUIRE(row);
    REQUIRE(*row);
    rpc::JsonParser parser;
    return tests::needed(rpc::decode_arguments<EvalResult>(parser, (*row)->result));
  }
};

} // namespace

TEST_SUITE("generate_finish") {
  TEST_CASE("what is proven is saved, with where it is from") {
    World world;
    REQUIRE(world.finish());
    const GenerateResult& result = world.result;
    CHECK(result.outcome == GenerateOutcome::saved);
    CHECK(result.saved == world.home.skills / "skills/draft-0");
    CHECK_FALSE(result.hash.empty());
    CHECK(result.replaced.empty());
    CHECK(result.failed.empty());
    CHECK(result.document.empty());
    CHECK(world.saved("SKILL.md") == generate::write_document(generate::test::draft_of(0)));
    std::string meta = world.saved("skill_meta.json");
    for (const char* part :
         {"\"sonnet\"", "2027-01-15T08:00:00.000Z", "Tell the codes of boxes.", "Box 20?"}) {
      CAPTURE(part);
      CHECK(meta.find(part) != std::string::npos);
    }
    CHECK(world.inbox().empty());
  }

  TEST_CASE("the rate that is saved with it is that of the held-out cases") {
    World world;
    world.made.outcome = [](LoopArm arm, std::size_t, std::size_t, std::int64_t run) {
      return generate::test::passes(arm && run != 3);
    };
    REQUIRE(world.finish());
    REQUIRE_FALSE(world.result.saved.empty());
    REQUIRE(world.result.models.size() == 1);
    CHECK(world.saved("skill_meta.json").find("0.666") != std::string::npos);
  }

  TEST_CASE("the evaluation that decided is kept with its samples, which are not told") {
    World world;
    REQUIRE(world.finish());
    std::vector<store::EvaluationRow> rows = world.home.evaluations();
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].id == "eval-1");
    CHECK(rows[0].skill == "draft-0");
    CHECK(rows[0].skill_hash == world.result.hash);
    CHECK(rows[0].started_ms == tests::k_generated_ms);
    CHECK(rows[0].finished_ms == tests::k_generated_ms);
    EvalResult kept = world.kept("eval-1");
    REQUIRE(kept.models.size() == 1);
    CHECK(kept.models[0].samples.size() == 60);
    CHECK(kept.models[0].cases.size() == 10);
    REQUIRE(world.result.models.size() == 1);
    CHECK(world.result.models[0].samples.empty());
    CHECK(world.result.models[0].cases.empty());
    CHECK(world.result.models[0].lift->value == 1.0);
    CHECK(world.result.warnings.empty());
  }

  TEST_CASE("what is not proven is told and not saved, and its evaluation is kept") {
    World world;
    world.is_not_proven();
    REQUIRE(world.finish());
    CHECK(world.result.outcome == GenerateOutcome::not_better);
    CHECK(world.result.saved.empty());
    CHECK(world.result.failed == world.made.loop.ending()->why);
    CHECK(world.result.document == generate::write_document(generate::test::draft_of(0)));
    CHECK_FALSE(fs::exists(world.request.folder));
    CHECK(world.home.evaluations().size() == 1);
  }

  TEST_CASE("saved all the same is no proof, and a proof is no favour") {
    World unproven;
    unproven.is_not_proven();
    unproven.params.keep_anyway = true;
    REQUIRE(unproven.finish());
    CHECK(unproven.result.outcome == GenerateOutcome::kept_anyway);
    CHECK(unproven.result.failed.empty());
    CHECK(unproven.saved("SKILL.md") != "nothing");
    World proven;
    proven.params.keep_anyway = true;
    REQUIRE(proven.finish());
    CHECK(proven.result.outcome == GenerateOutcome::saved);
  }

  TEST_CASE("without an evaluation there is none to keep, and no rate") {
    generate::LoopOptions options = once();
    options.evaluates = false;
    World world(options);
    world.params.keep_anyway = true;
    world.outputs.logs = world.home.project + "/runs";
    REQUIRE(world.finish());
    CHECK(world.result.outcome == GenerateOutcome::unevaluated);
    CHECK(world.saved("skill_meta.json").find("test_pass_rate") == std::string::npos);
    CHECK(world.home.evaluations().empty());
    CHECK(world.result.logs.empty());
  }

  TEST_CASE("where there is no draft nothing can be kept anyway") {
    World world;
    world.made.write_draft = [](auto&&...) {
      return Result<generate::DraftReply>(generate::NotWarranted{"every model can"});
    };
    world.params.keep_anyway = true;
    REQUIRE(world.finish());
    CHECK(world.result.outcome == GenerateOutcome::not_warranted);
    CHECK(world.result.failed == "every model can");
    CHECK(world.result.document.empty());
    CHECK(world.result.saved.empty());
  }

  TEST_CASE("a skill that cannot be saved is an error that says what is left") {
    World world;
    world.home.skills.file("plain", "a file");
    world.request.output = world.home.skills / "plain/draft-0";
    world.outputs.logs = world.home.project + "/runs";
    Result<void> finished = world.finish();
    REQUIRE_FALSE(finished);
    CHECK(finished.error().hint.find("what models answered is kept") != std::string::npos);
    CHECK(finished.error().hint.find("--output") != std::string::npos);
    CHECK(world.home.evaluations().empty());
    CHECK_FALSE(fs::exists(world.outputs.logs));
    CHECK(world.text(world.home.skills / "plain") == "a file");
  }

  TEST_CASE("what came there meanwhile is not replaced") {
    World world;
    world.home.skills.file("skills/draft-0/SKILL.md", k_old);
    Result<void> finished = world.finish();
    REQUIRE_FALSE(finished);
    CHECK(finished.error().code == ErrorCode::already_exists);
    CHECK(world.text(world.home.skills / "skills/draft-0/SKILL.md") == k_old);
  }

  TEST_CASE("a folder that was named is the skill's own") {
    World world;
    world.request.output = world.home.skills / "elsewhere/draft-0";
    REQUIRE(world.finish());
    CHECK(world.result.saved == world.request.output);
    CHECK_FALSE(fs::exists(world.request.folder));
  }

  TEST_CASE("what an agent has made waits in the inbox, unless it named a folder") {
    World world;
    world.is_person = false;
    REQUIRE(world.finish());
    CHECK(world.result.outcome == GenerateOutcome::saved);
    std::vector<store::InboxEntry> waiting = world.inbox();
    REQUIRE(waiting.size() == 1);
    CHECK(world.result.saved == waiting[0].folder);
    CHECK(waiting[0].origin.reason == "an agent asked for it: Tell the codes of boxes.");
    CHECK(waiting[0].origin.model == "sonnet");
    CHECK(has_line(world.result.warnings, "`upskill inbox accept draft-0`"));
    CHECK_FALSE(world.result.synced);
    CHECK_FALSE(fs::exists(world.request.folder));
    World named;
    named.is_person = false;
    named.request.output = named.home.skills / "skills/draft-0";
    REQUIRE(named.finish());
    CHECK(named.result.saved == named.request.output);
    CHECK(named.inbox().empty());
    CHECK(named.result.warnings.empty());
  }

  TEST_CASE("an agent's skill that is not proven waits too where it is kept anyway") {
    World world;
    world.is_not_proven();
    world.is_person = false;
    REQUIRE(world.finish());
    CHECK(world.inbox().empty());
    world.params.keep_anyway = true;
    REQUIRE(world.finish());
    CHECK(world.result.outcome == GenerateOutcome::kept_anyway);
    CHECK(world.inbox().size() == 1);
  }

  TEST_CASE("an inbox that cannot be written is an error, and an agent has nothing saved") {
    World world;
    world.is_person = false;
    world.home.skills.file(".local/share/upskill/inbox", "a file");
    Result<void> finished = world.finish();
    REQUIRE_FALSE(finished);
    CHECK(world.result.saved.empty());
    CHECK_FALSE(fs::exists(world.request.folder));
  }

  TEST_CASE("run logs say beside the samples who did what") {
    World world;
    world.outputs.logs = world.home.project + "/runs";
    REQUIRE(world.finish());
    REQUIRE(world.result.logs.starts_with(world.outputs.logs));
    std::string generation = world.text(world.result.logs + "/generation.json");
    CHECK(generation.find("\"attempts\":[{") != std::string::npos);
    CHECK(generation.find(world.result.saved) != std::string::npos);
    CHECK(generation.find("\"case\":") == std::string::npos);
    std::string evaluation = world.text(world.result.logs + "/evaluation.json");
    CHECK(evaluation.find("\"case\":") != std::string::npos);
  }

  TEST_CASE("logs and reports that cannot be written are warnings, and the skill is saved") {
    World world;
    world.home.skills.file("plain", "a file");
    world.outputs.logs = world.home.skills / "plain/runs";
    fs::create_directories(world.home.skills / "state/evals.db"); // no database can be there
    REQUIRE(world.finish());
    CHECK(world.saved("SKILL.md") != "nothing");
    CHECK(world.result.logs.empty());
    REQUIRE(world.result.warnings.size() == 2);
    CHECK(world.result.warnings[0].find("plain") != std::string::npos);
    CHECK(world.result.warnings[1].starts_with("it is not kept for `upskill report`: "));
  }

  TEST_CASE("an improved skill keeps its own cases, and gets the new ones") {
    World world;
    world.improve("skills/draft-0");
    world.request.improved->own_cases = plain_cases(901, 1);
    world.made.loop.add_own_cases(world.request.improved->own_cases);
    world.made.outcome = [](LoopArm arm, std::size_t, std::size_t number, auto) {
      return generate::test::passes(arm || number == 0); // it can do its own case already
    };
    REQUIRE(world.finish());
    CHECK(world.result.outcome == GenerateOutcome::saved);
    CHECK(world.text(world.result.replaced + "/SKILL.md") == k_old);
    std::string meta = world.saved("skill_meta.json");
    std::size_t own = meta.find("Box 901?");
    REQUIRE(own != std::string::npos);
    CHECK(meta.find("Box 901?", own + 1) == std::string::npos);
    CHECK(meta.find("Box 1?") > own);
    CHECK(meta.find("Box 20?") != std::string::npos);
  }

  TEST_CASE("what sync carries on is taken back everywhere by its undo") {
    World world;
    tests::SkillsWorld& skills = world.home.skills;
    world.improve(".claude/skills/draft-0");
    REQUIRE(skills.call(k_sync_enable, SyncEnableParams{}));
    skills.wait_idle();
    std::string copy = skills / ".agents/skills/draft-0/SKILL.md";
    REQUIRE(world.text(copy) == k_old);
    REQUIRE(world.finish());
    CHECK(world.result.synced);
    std::string written = generate::write_document(generate::test::draft_of(0));
    skills.wait_idle();
    CHECK(world.text(copy) == written);
    REQUIRE(skills.call(k_sync_undo, SyncUndoParams{}));
    skills.wait_idle();
    CHECK(world.text(copy) == k_old);
    CHECK(world.saved("SKILL.md") == k_old);
  }

  TEST_CASE("what sync leaves alone has no way back there") {
    World off;
    off.improve(".claude/skills/draft-0");
    REQUIRE(off.finish());
    CHECK_FALSE(off.result.replaced.empty());
    CHECK_FALSE(off.result.synced);
    // Of all agents, or of all that read the folder.
    for (const char* rule : {"draft-*", "*:draft-*"}) {
      World excluded;
      excluded.improve(".claude/skills/draft-0");
      SyncEnableParams enable;
      enable.exclude = std::vector<std::string>{rule};
      REQUIRE(excluded.home.skills.call(k_sync_enable, enable));
      REQUIRE(excluded.finish());
      CAPTURE(rule);
      CHECK_FALSE(excluded.result.synced);
    }
    World elsewhere;
    elsewhere.improve("skills/draft-0");
    REQUIRE(elsewhere.home.skills.call(k_sync_enable, SyncEnableParams{}));
    REQUIRE(elsewhere.finish());
    CHECK_FALSE(elsewhere.result.synced);
  }
}
