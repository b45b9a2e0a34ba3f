#include "daemon/handlers/generate_evidence.h"
#include "daemon/handlers/propose_draft.h"
#include "skills/generate/prompts.h"
#include "tests/support/planted_secrets.h"
#include "tests/unit/daemon_handlers_generate_world.h"

using namespace upskill;
using namespace upskill::daemon;
using tests::ClaudeSession;
using tests::GenerateWorld;
using tests::has_line;
using tests::needed;

namespace {

// A topic of sessions that are kept, and who drafts its skill.
struct World {
  GenerateWorld home;
  DraftTopic drafter = topic_drafter(home.room);
  TopicToDraft topic = {};

  World() {
    topic.topic.intent = "build the widget";
    topic.params.model = "scripted:teacher.json";
    keep("s1", "granite-1x");
  }

  // A session in which something is missing.
  void keep(const std::string& id, const std::string& missing) {
    home.keep(id, [&](ClaudeSession& session) {
      session.prompt("Build the widget " + id);
      session.runs("c1", "make " + id);
      session.fails("c1", "error: " + missing + " is missing");
      session.runs("c2", "make " + id + " FORCE=1");
      session.gives("c2", "ok");
      session.says("Done.");
    });
    topic.topic.sessions.push_back("claude-code/" + id);
  }

  // The teacher knows what to write where its prompt has these words alone.
  void knows_by(const std::string& words) {
    home.script("teacher",
                R"({"user": ")" + words + R"(", "answer": )"
                    + GenerateWorld::json(GenerateWorld::skill_text()) + "}");
  }

  // By which a teacher tells its files from what it was shown.
  std::string mark() {
    auto gather = [this](archive::Archive& archive) {
      return gather_evidence(archive, topic.topic.sessions, 24'000, home.context, 0);
    };
    generate::Brief brief;
    brief.task = "What comes up again and again in these sessions: build the widget";
    brief.evidence = needed(home.skills.run(home.desk.with(std::move(gather)))).texts.at(0);
    return generate::draft_prompt(brief).mark;
  }

  Result<DraftedTopic> draft() { return home.skills.run(drafter(topic, home.context)); }

  DraftedSkill skill() {
    DraftedTopic drafted = needed(draft());
    REQUIRE(std::holds_alternative<DraftedSkill>(drafted.reply));
    return std::get<DraftedSkill>(std::move(drafted.reply));
  }
};

} // namespace

TEST_SUITE("propose_draft") {
  TEST_CASE("a teacher drafts it from what the sessions say, and nothing is saved") {
    World world;
    world.knows_by("granite-1x is missing");
    DraftedSkill skill = world.skill();
    CHECK(skill.name == "box-codes");
    CHECK(skill.model == "scripted:teacher.json");
    REQUIRE(skill.files.size() == 1);
    CHECK(skill.files.at("SKILL.md").bytes.find("Its code ends as the box does.")
          != std::string::npos);
    CHECK(skill.warnings.empty());
    CHECK_FALSE(std::filesystem::exists(world.home.project + "/skills"));
    CHECK_FALSE(std::filesystem::exists(world.home.places().data + "/inbox"));
  }

  TEST_CASE("what comes up is the task") {
    World world;
    world.knows_by("in these sessions: build the widget");
    CHECK(world.skill().name == "box-codes");
  }

  TEST_CASE("what it cost is told, of a refusal to write as well") {
    World world;
    CHECK(needed(world.draft()).cost == 0.25);
    world.home.script("teacher", R"({"answer": "NO SKILL: every model can", "cost": 0.5})");
    DraftedTopic drafted = needed(world.draft());
    CHECK(drafted.cost == 0.5);
    REQUIRE(std::holds_alternative<generate::NotWarranted>(drafted.reply));
    CHECK(std::get<generate::NotWarranted>(drafted.reply).reason == "every model can");
  }

  TEST_CASE("files go along") {
    World world;
    std::string reply = GenerateWorld::skill_text() + "\nFILE " + world.mark()
                        + " references/boxes.md\n````\nAll boxes.\n````\n";
    world.home.script("teacher", R"({"answer": )" + GenerateWorld::json(reply) + "}");
    DraftedSkill skill = world.skill();
    REQUIRE(skill.files.contains("references/boxes.md"));
    CHECK(skill.files.at("references/boxes.md").bytes == "All boxes.\n");
    CHECK_FALSE(skill.files.at("references/boxes.md").is_program);
  }

  TEST_CASE("it is called otherwise than the skills that are there") {
    World world;
    world.topic.known = {{"box-codes", "Something else."}};
    DraftedSkill skill = world.skill();
    CHECK(skill.name == "box-codes-2");
    CHECK(skill.files.at("SKILL.md").bytes.find("name: box-codes-2\n") != std::string::npos);
    CHECK(has_line(skill.warnings, "the name `box-codes` is taken"));
  }

  TEST_CASE("of several sessions each is drawn a lesson from, of five at most") {
    World world;
    // Written by the lessons alone; a lesson is drawn from one session at a time.
    world.home.script("teacher",
                      R"({"user": ["lesson-of-1", "lesson-of-5"], "answer": )"
                          + GenerateWorld::json(GenerateWorld::skill_text()) + R"(, "cost": 1},)"
                          + R"({"user": "granite-1x", "answer": "- lesson-of-1", "cost": 1},)"
                          + R"({"user": "granite-5x", "answer": "- lesson-of-5", "cost": 1},)"
                          + R"({"answer": "- another lesson", "cost": 1})");
    for (int i = 2; i <= 5; ++i) {
      world.keep("s" + std::to_string(i), "granite-" + std::to_string(i) + "x");
    }
    world.topic.topic.sessions.push_back("claude-code/not-there"); // the sixth
    DraftedTopic drafted = needed(world.draft());
    REQUIRE(std::holds_alternative<DraftedSkill>(drafted.reply));
    CHECK(drafted.cost == 6.0);
  }

  TEST_CASE("a session that is not there is an error") {
    World world;
    world.topic.topic.sessions.push_back("claude-code/not-there");
    Result<DraftedTopic> drafted = world.draft();
    REQUIRE_FALSE(drafted);
    CHECK(drafted.error().code == ErrorCode::not_found);
  }

  TEST_CASE("what may be a secret is shown to no model") {
    World world;
    std::string suspicious = " {\"auth\": \"" + tests::Plants(7).letters('W', 32) + "\"}";
    world.home.keep("s9", [&](ClaudeSession& session) {
      session.prompt("Build the widget" + suspicious);
      session.says("Done.");
    });
    world.topic.topic.sessions.push_back("claude-code/s9");
    Result<DraftedTopic> drafted = world.draft();
    REQUIRE_FALSE(drafted);
    CHECK(drafted.error().code == ErrorCode::refused);
  }

  TEST_CASE("a secret that the teacher writes goes out of it") {
    World world;
    std::string token = tests::Plants(3)
                            .grow("gh"
                                  "p_{W36}")
                            .text;
    std::string reply = GenerateWorld::skill_text() + "\nLog in with " + token + ".\n";
    world.home.script("teacher", R"({"answer": )" + GenerateWorld::json(reply) + "}");
    DraftedSkill skill = world.skill();
    CHECK(skill.files.at("SKILL.md").bytes.find(token) == std::string::npos);
  }

  TEST_CASE("the teacher is the configuration's where the call names none") {
    World world;
    world.topic.params.model = "";
    world.home.skills.file("project/upskill.config.yaml",
                           "skill_generation_model: scripted:teacher.json\n");
    CHECK(world.skill().model == "scripted:teacher.json");
  }

  TEST_CASE("a teacher who is not there, or fails, is an error") {
    World world;
    world.topic.params.model = "scripted:nobody.json";
    CHECK(world.draft().error().code == ErrorCode::not_found);
    world.topic.params.model = "no-such-provider.model";
    CHECK_FALSE(world.draft());
    world.topic.params.model = "scripted:teacher.json";
    world.home.script("teacher", R"({"fault": "unavailable"})");
    CHECK(world.draft().error().code == ErrorCode::unavailable);
    world.home.script("teacher", R"({"answer": "I would rather not."})");
    CHECK_FALSE(world.draft());
    world.home.script("teacher", "{");
    CHECK(world.draft().error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("with nothing left to spend it ends for all topics") {
    World world;
    world.keep("s2", "granite-2x"); // a lesson of each, and no draft any more
    world.home.script("teacher", R"({"answer": "- a lesson", "cost": 1})");
    world.topic.budget = 0.5;
    Result<DraftedTopic> drafted = world.draft();
    REQUIRE_FALSE(drafted);
    CHECK(drafted.error().code == ErrorCode::refused);
  }
}
