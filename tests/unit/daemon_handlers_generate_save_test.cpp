#include "daemon/handlers/generate_save.h"
#include "skills/eval/cases.h"
#include "skills/sync/put_skill.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

using namespace upskill;
using namespace upskill::daemon;

namespace {

eval::CaseSuite suite_of(const std::string& text) {
  Result<eval::CaseSuite> suite = eval::read_cases(text);
  REQUIRE(suite);
  return *suite;
}

const std::string k_plain =
    R"({"tests": [{"input": "Box 7?", "expected": {"contains": ["code-7"]}}]})";
const std::string k_judged =
    R"({"cases": [{"input": "Box 8?", "expected": {"contains": ["code-8"]}},)"
    R"( {"input": "Box 9?", "checks": ["it is polite"]}]})";

// Without what makes JSON easy to read; no text of the test holds any of it.
std::string compact(const std::string& json) {
  std::string text;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '\n') {
      i = std::min(json.find_first_not_of(' ', i + 1), json.size()) - 1;
    } else if (json[i] != ' ' || !text.ends_with("\":")) {
      text += json[i];
    }
  }
  return text;
}

generate::Draft draft() {
  generate::Draft draft;
  draft.name = "box-codes";
  draft.description = "Tells codes of boxes.";
  draft.body = "# Boxes\n";
  draft.files["scripts/tell.sh"] = {"#!/bin/sh\n", true};
  return draft;
}

generate::SkillMeta origin() {
  generate::SkillMeta origin;
  origin.generated_by = "sonnet";
  origin.generated_at = "2026-11-01T00:00:00Z";
  origin.source_task = "Tell codes.";
  origin.test_pass_rate = 0.75;
  origin.tests = suite_of(k_plain);
  return origin;
}

struct World {
  tests::TemporaryFolder folder;
  Places places;
  GenerateRequest request;

  World() {
    places.data = folder / "data";
    request.folder = folder / "skills";
    std::filesystem::create_directories(request.folder);
  }

  std::string path() const { return folder / "skills/box-codes"; }

  // A skill that is there, and is to be improved.
  void improve(const std::string& meta) {
    std::filesystem::create_directories(path() + "/assets");
    tests::put_file(path() + "/SKILL.md", "---\nname: box-codes\ndescription: Old.\n---\nOld.\n");
    tests::put_file(path() + "/assets/logo.txt", "logo");
    tests::put_file(path() + "/skill_meta.json", meta);
    Result<std::optional<sync::PlacedSkill>> placed = sync::read_placed(path());
    REQUIRE(placed);
    REQUIRE(*placed);
    ImprovedSkill improved;
    improved.folder = path();
    improved.hash = (*placed)->hash;
    improved.current.name = "box-codes";
    request.improved = std::move(improved);
    request.output = path();
  }

  Result<Saved> save() { return daemon::save(draft(), origin(), request, places, 1); }

  std::string file(const std::string& name) const { return tests::file_text(path() + "/" + name); }
};

} // namespace

TEST_SUITE("generate_save") {
  TEST_CASE("a new skill is whole, with what upskill tells of it") {
    World world;
    Result<Saved> saved = world.save();
    REQUIRE(saved);
    CHECK(saved->folder == world.path());
    CHECK(saved->replaced.empty());
    CHECK(world.file("SKILL.md") == generate::write_document(draft()));
    CHECK((std::filesystem::status(world.path() + "/scripts/tell.sh").permissions()
           & std::filesystem::perms::owner_exec)
          != std::filesystem::perms::none);
    CHECK(compact(world.file("skill_meta.json"))
          == R"({"metadata":{"version":"1.0","generated_by":"sonnet",)"
             R"("generated_at":"2026-11-01T00:00:00Z","source_task":"Tell codes.",)"
             R"("test_pass_rate":0.75},"tests":[{"input":"Box 7?","expected":{"contains":)"
             R"(["code-7"]}}]})");
    Result<Saved> again = world.save();
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::already_exists);
  }

  TEST_CASE("of cases only what upskill's format can say is kept") {
    generate::SkillMeta rich = origin();
    rich.test_pass_rate.reset();
    rich.tests = suite_of(k_judged);
    std::string meta = generate::write_skill_meta(rich);
    CHECK(meta.find("Box 8?") != std::string::npos);
    CHECK(meta.find("Box 9?") == std::string::npos);
    CHECK(meta.find("test_pass_rate") == std::string::npos);
  }

  TEST_CASE("what the draft does not have stays, and what was there lies in the trash") {
    World world;
    world.improve(k_plain);
    Result<Saved> saved = world.save();
    REQUIRE(saved);
    CHECK(world.file("assets/logo.txt") == "logo");
    CHECK(world.file("SKILL.md") == generate::write_document(draft()));
    REQUIRE_FALSE(saved->replaced.empty());
    CHECK(std::filesystem::exists(saved->replaced));
  }

  TEST_CASE("a skill_meta.json that says more than ours stays as it is") {
    for (const std::string& meta : {k_judged, std::string("{\"tests\": 7}"), std::string("{")}) {
      World world;
      world.improve(meta); // none of its cases was asked
      REQUIRE(world.save());
      CHECK(world.file("skill_meta.json") == meta);
    }
    World world;
    world.improve(k_plain);
    REQUIRE(world.save());
    CHECK(compact(world.file("skill_meta.json")) != k_plain);
  }

  TEST_CASE("what was edited meanwhile is not replaced") {
    World world;
    world.improve(k_plain);
    tests::put_file(world.path() + "/SKILL.md", "---\nname: box-codes\ndescription: My.\n---\n");
    Result<Saved> saved = world.save();
    REQUIRE_FALSE(saved);
    CHECK(saved.error().code == ErrorCode::changed);
    CHECK(world.file("SKILL.md") == "---\nname: box-codes\ndescription: My.\n---\n");
  }

  TEST_CASE("no word of a session is in what goes to the inbox") {
    World world;
    GenerateResult result;
    GenerateEvidence evidence;
    evidence.name = "last";
    evidence.session = "session-0123";
    evidence.path = "/home/ada/sessions/private.jsonl";
    result.evidence = {evidence};
    Result<Saved> saved = put_into_inbox(draft(), origin(), result, world.places, 1);
    REQUIRE(saved);
    for (const char* name : {"SKILL.md", "skill_meta.json"}) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(saved->folder)) {
        if (entry.path().filename() == name) {
          std::string text = tests::file_text(entry.path().string());
          CHECK(text.find("session-0123") == std::string::npos);
          CHECK(text.find("private") == std::string::npos);
        }
      }
    }
  }
}
