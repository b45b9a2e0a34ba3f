#include "tests/support/skills_world.h"

#include <algorithm>
#include <fstream>
#include <set>

using namespace upskill;
using tests::SkillsWorld;

namespace {

std::vector<std::string> names(const SkillListResult& result) {
  std::vector<std::string> all;
  for (const SkillSummary& skill : result.skills) {
    all.push_back(skill.skill);
  }
  return all;
}

SkillListParams query(std::string words) {
  SkillListParams params;
  params.query = std::move(words);
  return params;
}

using Names = std::vector<std::string>;

} // namespace

TEST_SUITE("skill_list") {
  TEST_CASE("skills of all agents' folders are listed with sync off") {
    SkillsWorld world;
    world.skill(".claude/skills/b", "second");
    world.skill(".agents/skills/a", "first");
    world.skill(".agents/skills/b", "second");
    auto result = world.call(k_skill_list, SkillListParams());
    REQUIRE(result);
    CHECK(names(*result) == Names{"a", "b"});
    CHECK(result->total == 2);
    CHECK(result->next_cursor.empty());
    CHECK(result->skills[0].description == "first");
    CHECK(result->skills[0].agents == Names{"codex"});
    CHECK(result->skills[0].hash.size() == 64);
    CHECK(result->skills[0].tokens > 0);
    CHECK(result->skills[0].replicas.empty());
    CHECK(result->skills[1].agents == Names{"claude-code", "codex"});
    CHECK(result->skills[1].in_sync);
  }

  TEST_CASE("a query after a write is true, also for a folder that did not exist") {
    SkillsWorld world;
    CHECK(world.call(k_skill_list, SkillListParams())->total == 0);
    world.skill(".agents/skills/new");
    CHECK(names(*world.call(k_skill_list, SkillListParams())) == Names{"new"});
    world.skill(".agents/skills/new", "now told otherwise");
    CHECK(world.call(k_skill_list, SkillListParams())->skills[0].description
          == "now told otherwise");
    std::filesystem::remove_all(world / ".agents/skills/new");
    CHECK(world.call(k_skill_list, SkillListParams())->total == 0);
  }

  TEST_CASE("copies that differ are not in sync, and the newest is the one described") {
    SkillsWorld world;
    world.skill(".agents/skills/a", "older");
    world.skill(".claude/skills/a", "newer");
    auto past = std::filesystem::last_write_time(world / ".claude/skills/a/SKILL.md")
                - std::chrono::hours(1);
    std::filesystem::last_write_time(world / ".agents/skills/a/SKILL.md", past);
    SkillListParams params;
    params.replicas = true;
    auto result = world.call(k_skill_list, params);
    REQUIRE(result);
    REQUIRE(result->skills.size() == 1);
    const SkillSummary& skill = result->skills[0];
    CHECK(skill.description == "newer");
    CHECK_FALSE(skill.in_sync);
    REQUIRE(skill.replicas.size() == 2);
    CHECK(skill.replicas[0].path == (world / ".agents/skills/a"));
    CHECK(skill.replicas[0].hash != skill.replicas[1].hash);
    CHECK(skill.hash == skill.replicas[1].hash);
    world.skill(".agents/skills/a", "newer");
    CHECK(world.call(k_skill_list, params)->skills[0].in_sync);
  }

  TEST_CASE("all words of a query must occur in name or description, whatever their case") {
    SkillsWorld world;
    world.skill(".agents/skills/pdf-forms", "Fills in FORMS of documents");
    world.skill(".agents/skills/pdf-merge", "Merges documents");
    world.skill(".agents/skills/cyrillic", "Проверяет НАВЫК и café");
    auto found = [&](const char* words) { return names(*world.call(k_skill_list, query(words))); };
    CHECK(found("PDF") == Names{"pdf-forms", "pdf-merge"});
    CHECK(found("  documents\tforms ") == Names{"pdf-forms"});
    CHECK(found("навык") == Names{"cyrillic"});
    CHECK(found("CAFE\xCC\x81") == Names{"cyrillic"}); // decomposed and in capitals
    CHECK(found("merges forms") == Names{});
    CHECK(found("  ").size() == 3);
  }

  TEST_CASE("an agent sees what lies in its folders, and what links lead to if it follows them") {
    SkillsWorld world({".claude", ".codex", ".cursor"});
    world.skill(".agents/skills/shared");
    world.link(".claude/skills/shared", "../../.agents/skills/shared");
    world.skill(".claude/skills/own");
    auto seen_by = [&](const char* agent) {
      SkillListParams params;
      params.agent = agent;
      return names(*world.call(k_skill_list, params));
    };
    CHECK(seen_by("claude-code") == Names{"own", "shared"});
    CHECK(seen_by("codex") == Names{"shared"});
    CHECK(seen_by("cursor") == Names{"own", "shared"});
    SkillListParams params;
    params.agent = "zed";
    auto absent = world.call(k_skill_list, params);
    REQUIRE_FALSE(absent);
    CHECK(absent.error().message
          == "params.agent: `zed` was not found on this machine, or takes no part");
    params.agent = "nonsense";
    CHECK(world.call(k_skill_list, params).error().message
          == "params.agent: `nonsense` is no agent that we know");
  }

  TEST_CASE("pages follow each other whatever comes and goes between them") {
    SkillsWorld world;
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      world.skill(std::string(".agents/skills/") + name);
    }
    SkillListParams params;
    params.limit = 2;
    auto first = world.call(k_skill_list, params);
    REQUIRE(first);
    CHECK(names(*first) == Names{"a", "b"});
    CHECK(first->total == 5);
    std::filesystem::remove_all(world / ".agents/skills/b");
    params.cursor = first->next_cursor;
    auto second = world.call(k_skill_list, params);
    CHECK(names(*second) == Names{"c", "d"});
    params.cursor = second->next_cursor;
    auto third = world.call(k_skill_list, params);
    CHECK(names(*third) == Names{"e"});
    CHECK(third->next_cursor.empty());
    for (const char* wrong : {"x", "0", "61", "6100zz", "\xff"}) {
      params.cursor = wrong;
      auto refused = world.call(k_skill_list, params);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::invalid_argument);
    }
  }

  TEST_CASE("bounds of parameters are kept") {
    SkillsWorld world;
    SkillListParams params;
    for (std::int64_t wrong : {0, -1, 1001}) {
      params.limit = wrong;
      CHECK(world.call(k_skill_list, params).error().message
            == "params.limit: must be from 1 to 1000");
    }
    params = SkillListParams();
    params.scope = "all";
    CHECK(world.call(k_skill_list, params).error().message
          == "params.scope: must be `user`, `project` or empty");
    CHECK(world.call(k_skill_list, query(std::string(2000, 'x'))).error().code
          == ErrorCode::invalid_argument);
    CHECK(world.call(k_skill_list, query("a b c d e f g h i j k l m n o p q r s t"))->total == 0);
  }

  TEST_CASE("skills of a project are told from the user's") {
    SkillsWorld world;
    world.skill(".agents/skills/both", "of the user");
    world.skill("work/.agents/skills/both", "of the project");
    SyncEnableParams enable;
    enable.project = world / "work";
    REQUIRE(world.call(k_sync_enable, enable));
    SkillListParams params;
    auto all = world.call(k_skill_list, params);
    CHECK(names(*all) == Names{"both", "both"});
    CHECK(all->skills[0].description == "of the user");
    params.scope = "project";
    auto projects = world.call(k_skill_list, params);
    REQUIRE(projects->skills.size() == 1);
    CHECK(projects->skills[0].description == "of the project");
    params.scope = "user";
    CHECK(world.call(k_skill_list, params)->skills[0].description == "of the user");
  }

  TEST_CASE("what is odd is told in short, and nothing odd hides the rest") {
    SkillsWorld world;
    world.skill(".agents/skills/good");
    world.skill(".agents/skills/Case");
    world.skill(".agents/skills/case");
    world.file(".agents/skills/half/SKILL.md", "");
    world.file(".claude/skills/half/SKILL.md", "---\nname: half\ndescription: whole here\n---\n");
    world.file(".agents/skills/huge/SKILL.md",
               "---\nname: huge\ndescription: " + std::string(100'000, 'd') + "\n---\n");
    world.file(".agents/skills/broken/SKILL.md", "---\nname: [\n\xff\xfe\x01 description\n");
    world.skill(".agents/skills/\xff\xfe");
    world.link(".agents/skills/loop", "loop");
    auto result = world.call(k_skill_list, SkillListParams());
    REQUIRE(result);
    CHECK(names(*result) == Names{"Case", "broken", "case", "good", "half", "huge"});
    CHECK(result->skills[0].warnings.size() == 1);
    CHECK(result->skills[0].warnings[0].find("`case`") != std::string::npos);
    CHECK(result->skills[4].description == "whole here");
    CHECK_FALSE(result->skills[4].in_sync);
    CHECK(result->skills[5].description.size() <= 1536);
    CHECK(result->skills[5].description.ends_with("…"));
    for (const SkillSummary& skill : result->skills) {
      for (const std::string& warning : skill.warnings) {
        CHECK(warning.size() <= 240);
      }
    }
  }

  TEST_CASE("calls at the same time get the same answer from one look") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    std::vector<std::shared_ptr<const daemon::Catalogue>> seen;
    auto ask = [&]() -> asio::awaitable<void> {
      auto task = world.library().catalogue({});
      auto catalogue = co_await std::move(task);
      REQUIRE(catalogue);
      seen.push_back(*catalogue);
    };
    auto both = [&]() -> asio::awaitable<void> {
      auto executor = co_await asio::this_coro::executor;
      runtime::Condition done(executor);
      int left = 3;
      auto ended = [&](std::exception_ptr failure) {
        CHECK_FALSE(failure);
        --left;
        done.notify_all();
      };
      for (int i = 0; i < 3; ++i) {
        asio::co_spawn(executor, ask(), ended);
      }
      while (left > 0) {
        co_await done.wait();
      }
    };
    // What the start still does would count as a change between them.
    REQUIRE(world.run(world.service().wait_idle(std::chrono::seconds(60))));
    world.run(both());
    REQUIRE(seen.size() == 3);
    CHECK(seen[0] == seen[1]);
    CHECK(seen[1] == seen[2]);
  }

  TEST_CASE("1,000 skills in three folders are listed, 50 at a time unless told") {
    SkillsWorld world({".claude", ".codex", ".cursor"});
    for (int i = 0; i < 1000; ++i) {
      std::string name = "skill-" + std::to_string(i);
      for (const char* root : {".agents", ".claude", ".cursor"}) {
        std::filesystem::create_directories(world / (std::string(root) + "/skills/" + name));
        std::ofstream(world / (std::string(root) + "/skills/" + name + "/SKILL.md"))
            << "---\nname: " << name << "\ndescription: does number " << i << "\n---\n";
      }
    }
    auto result = world.call(k_skill_list, SkillListParams());
    REQUIRE(result);
    CHECK(result->total == 1000);
    CHECK(result->skills.size() == 50);
    CHECK(encode(*result).size() < 20'000);
    SkillListParams all;
    all.limit = 1000;
    auto page = world.call(k_skill_list, all);
    CHECK(page->skills.size() == 1000);
    CHECK(std::ranges::all_of(page->skills, &SkillSummary::in_sync));
    CHECK(names(*world.call(k_skill_list, query("NUMBER 999"))) == Names{"skill-999"});
  }
}
