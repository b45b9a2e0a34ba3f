#include "daemon/handlers/short_answers.h"
#include "tests/support/skills_world.h"

#include <algorithm>
#include <fstream>
#include <set>

using namespace upskill;
using namespace upskill::daemon;
using tests::SkillsWorld;

namespace {

RequestContext agent() {
  RequestContext context;
  context.principal = "an agent";
  return context;
}

void add_skills(SkillsWorld& world, int count) {
  for (int i = 0; i < count; ++i) {
    std::string folder = world / (".agents/skills/skill-" + std::to_string(i));
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/SKILL.md")
        << "---\nname: skill-" << i << "\ndescription: " << std::string(1000, 'd') << "\n---\n";
  }
}

} // namespace

TEST_SUITE("answers for models") {
  TEST_CASE("a list of 1,000 skills does not flood a context") {
    SkillsWorld world;
    add_skills(world, 1000);
    auto first = world.call(k_skill_list, SkillListParams{}, agent());
    REQUIRE(first);
    CHECK(encode(*first).size() < 16'000);
    CHECK(first->total == 1000);
    CHECK(first->skills.size() > 20);
    CHECK(first->skills[0].description == std::string(200, 'd') + "…");
    CHECK(first->skills[0].hash.empty());
    SkillListParams all;
    all.limit = 1000;
    CHECK(encode(*world.call(k_skill_list, all, agent())).size() < 16'000);
    auto for_people = world.call(k_skill_list, all);
    CHECK(for_people->skills.size() == 1000);
    CHECK(for_people->skills[0].description == std::string(1000, 'd'));
    CHECK(for_people->skills[0].hash.size() == 64);
  }

  TEST_CASE("the pages of a short list have every skill once") {
    SkillsWorld world;
    add_skills(world, 130);
    std::set<std::string> seen;
    SkillListParams params;
    int pages = 0;
    do {
      auto page = world.call(k_skill_list, params, agent());
      REQUIRE(page);
      for (const SkillSummary& skill : page->skills) {
        CHECK(seen.insert(skill.skill).second);
      }
      params.cursor = page->next_cursor;
      REQUIRE(++pages < 20);
    } while (!params.cursor.empty());
    CHECK(seen.size() == 130);
    CHECK(pages > 1);
  }

  TEST_CASE("many files of a skill come in parts") {
    SkillsWorld world;
    world.skill(".agents/skills/many");
    for (int i = 0; i < 500; ++i) {
      world.file(".agents/skills/many/data/file-" + std::to_string(i), "x");
    }
    SkillReadParams params;
    params.skill = "many";
    auto part = world.call(k_skill_read, params, agent());
    REQUIRE(part);
    CHECK(part->text.starts_with("---\n"));
    CHECK(encode(*part).size() < 10'000);
    std::set<std::string> seen;
    while (true) {
      for (const SkillFile& file : part->files) {
        CHECK(seen.insert(file.path).second);
      }
      if (!part->more_files) {
        break;
      }
      CHECK(*part->more_files == 501 - static_cast<std::int64_t>(seen.size()));
      params.files_after = part->files.back().path;
      part = world.call(k_skill_read, params, agent());
      REQUIRE(part);
      REQUIRE_FALSE(part->files.empty());
      CHECK(part->text.empty());
    }
    CHECK(seen.size() == 501);
  }

  TEST_CASE("of many skills that are validated, those with findings come first") {
    SkillsWorld world;
    add_skills(world, 200);
    world.file(".agents/skills/zz/SKILL.md", "---\nname: yy\ndescription: wrong name\n---\n");
    SkillValidateParams params{{world / ".agents/skills"}};
    auto result = world.call(k_skill_validate, params, agent());
    REQUIRE(result);
    CHECK_FALSE(result->valid);
    REQUIRE_FALSE(result->skills.empty());
    CHECK(result->skills[0].skill == "zz");
    CHECK(encode(*result).size() < 16'000);
    REQUIRE(result->more);
    CHECK(static_cast<std::int64_t>(result->skills.size()) + *result->more == 201);
    CHECK(world.call(k_skill_validate, params)->skills.size() == 201);
  }
}

TEST_SUITE("shorten") {
  TEST_CASE("texts are cut between code points") {
    std::string text = "абвгд";
    cut_text(text, 5);
    CHECK(text == "абвгд");
    cut_text(text, 3);
    CHECK(text == "абв…");
  }

  TEST_CASE("of conflicts an overview shows the beginning, and a skill that is named more") {
    SyncConflictsResult result;
    Conflict conflict;
    conflict.versions.resize(2);
    conflict.versions[1].text = std::string(5000, 't');
    for (int i = 0; i < 300; ++i) {
      conflict.versions[1].diff += "+ line\n";
    }
    result.conflicts.assign(100, conflict);
    SyncConflictsResult overview = result;
    shorten(overview, ConflictDetail::overview);
    CHECK(encode(overview).size() < 16'000);
    CHECK_FALSE(overview.conflicts[0].versions[1].text);
    CHECK(overview.conflicts[0].versions[1].diff.ends_with("\n… name the `skill` for all of it\n"));
    REQUIRE(overview.more);
    CHECK(static_cast<std::int64_t>(overview.conflicts.size()) + *overview.more == 100);
    result.conflicts.resize(1);
    SyncConflictsResult named = result;
    shorten(named, ConflictDetail::of_one_skill);
    CHECK(encode(named) == encode(result));
    result.conflicts[0].versions.assign(50, conflict.versions[1]);
    shorten(result, ConflictDetail::of_one_skill);
    CHECK(result.conflicts[0].versions.front().text);
    CHECK_FALSE(result.conflicts[0].versions.back().text);
    CHECK(encode(result).size() < 150'000);
  }

  TEST_CASE("many steps are counted") {
    SyncNowResult result;
    result.steps.assign(3000, SyncStep{SyncAction::update, "pdf", std::string(80, 'p')});
    shorten(result);
    CHECK(encode(result).size() < 16'000);
    CHECK(static_cast<std::int64_t>(result.steps.size()) + result.more_steps.value_or(0) == 3000);
  }
}
