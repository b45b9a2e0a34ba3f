#include "tests/support/skills_world.h"

#include <algorithm>
#include <fstream>

using namespace upskill;
using tests::SkillsWorld;

namespace {

daemon::RequestContext in_folder(std::string cwd) {
  daemon::RequestContext context;
  context.caller.cwd = std::move(cwd);
  return context;
}

SkillValidateParams paths(std::vector<std::string> all) {
  SkillValidateParams params;
  params.paths = std::move(all);
  return params;
}

} // namespace

TEST_SUITE("skill_validate") {
  TEST_CASE("names, folders, SKILL.md files and folders of skills are understood") {
    SkillsWorld world;
    world.skill(".agents/skills/known");
    world.skill("work/skills/one");
    world.file("work/skills/two/SKILL.md", "---\nname: other\ndescription: d\n---\n");
    world.file("work/skills/readme.md", "no skill");
    auto here = in_folder(world / "work");
    auto known = world.call(k_skill_validate, paths({"known"}));
    REQUIRE(known);
    CHECK(known->valid);
    REQUIRE(known->skills.size() == 1);
    CHECK(known->skills[0].path == (world / ".agents/skills/known"));
    CHECK(known->skills[0].loaders.size() >= 5);
    auto one = world.call(k_skill_validate, paths({"skills/one/SKILL.md", "./skills/one"}), here);
    CHECK(one->skills.size() == 2);
    CHECK(one->valid);
    auto all = world.call(k_skill_validate, paths({"skills"}), here);
    REQUIRE(all->skills.size() == 2);
    CHECK_FALSE(all->valid);
    CHECK(all->skills[0].valid);
    CHECK(all->skills[1].errors
          == std::vector<std::string>{"Directory name 'two' must match skill name 'other'"});
  }

  TEST_CASE("what is not there is told in the reference's words") {
    SkillsWorld world;
    std::filesystem::create_directories(world / "empty");
    world.file("file.txt", "x");
    auto error = [&](const std::string& path) {
      auto result = world.call(k_skill_validate, paths({path}));
      REQUIRE(result);
      CHECK_FALSE(result->valid);
      REQUIRE(result->skills.size() == 1);
      return result->skills[0].errors.at(0);
    };
    CHECK(error(world / "none") == "Path does not exist: " + (world / "none"));
    CHECK(error(world / "file.txt") == "Not a directory: " + (world / "file.txt"));
    CHECK(error(world / "empty") == "Missing required file: SKILL.md");
    auto name = world.call(k_skill_validate, paths({"no-such-name"}));
    REQUIRE_FALSE(name);
    CHECK(name.error().message == "`no-such-name` is no skill that is known here");
    CHECK(world.call(k_skill_validate, paths({})).error().code == ErrorCode::invalid_argument);
    CHECK(world.call(k_skill_validate, paths({""})).error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("1,000 files and a file of 20 MB in a skill do no harm") {
    SkillsWorld world;
    world.file("big/SKILL.md",
               "---\nname: big\ndescription: d\n---\nSee [x](references/5.md) and "
               "[y](references/none.md).\n");
    for (int i = 0; i < 1000; ++i) {
      std::filesystem::create_directories(world / "big/references");
      std::ofstream(world / ("big/references/" + std::to_string(i) + ".md")) << i;
    }
    std::ofstream(world / "big/data.bin") << std::string(20u << 20, 'x');
    auto result = world.call(k_skill_validate, paths({world / "big"}));
    REQUIRE(result);
    CHECK(result->valid);
    const std::vector<std::string>& warnings = result->skills[0].warnings;
    CHECK(std::ranges::count_if(warnings,
                                [](const std::string& text) {
                                  return text.find("references/none.md") != std::string::npos;
                                })
          == 1);
    CHECK(std::ranges::none_of(warnings, [](const std::string& text) {
      return text.find("references/5.md") != std::string::npos;
    }));
    world.file("large/SKILL.md",
               "---\nname: large\ndescription: d\n---\n" + std::string(20u << 20, 'x'));
    CHECK(world.call(k_skill_validate, paths({world / "large"}))->valid);
  }

  TEST_CASE("what takes long is a turn, progress is told, and a call that was cancelled ends") {
    SkillsWorld world;
    world.file("many/a-large/SKILL.md",
               "---\nname: a-large\ndescription: d\n---\n" + std::string(20u << 20, 'x'));
    for (int i = 0; i < 60; ++i) {
      world.skill("many/s" + std::to_string(i));
    }
    std::vector<double> done;
    daemon::RequestContext context;
    context.progress = [&](double now, std::optional<double> total, std::string_view) {
      done.push_back(now);
      CHECK(total == 61.0);
    };
    REQUIRE(world.call(k_skill_validate, paths({world / "many"}), context));
    REQUIRE_FALSE(done.empty());
    CHECK(done.front() == 1); // others have their turn after 20 MiB
    CHECK(done.back() == 61);
    CHECK(std::ranges::is_sorted(done));
    std::stop_source stop;
    context.stopping = stop.get_token();
    context.progress = [&](double, std::optional<double>, std::string_view) {
      stop.request_stop();
    };
    auto cancelled = world.call(k_skill_validate, paths({world / "many"}), context);
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error().code == ErrorCode::cancelled);
  }
}

TEST_SUITE("skill_show") {
  TEST_CASE("a skill is shown with all there is to know") {
    SkillsWorld world;
    world.file(".agents/skills/a/SKILL.md",
               "---\nname: a\ndescription: uses: a colon\n---\n# Title\n");
    world.file(".agents/skills/a/data.txt", "12345");
    world.file(".claude/skills/a/SKILL.md", "---\nname: a\ndescription: other\n---\n");
    auto past = std::filesystem::last_write_time(world / ".agents/skills/a/SKILL.md")
                - std::chrono::hours(1);
    std::filesystem::last_write_time(world / ".claude/skills/a/SKILL.md", past);
    SkillShowParams params;
    params.skill = "a";
    auto result = world.call(k_skill_show, params);
    REQUIRE(result);
    CHECK(result->front_matter == "name: a\ndescription: uses: a colon\n");
    CHECK(result->body == "# Title\n");
    CHECK(result->summary.skill == "a");
    CHECK(result->summary.replicas.size() == 2);
    CHECK_FALSE(result->summary.in_sync);
    CHECK(result->summary.description == "uses: a colon");
    CHECK(result->files.size() == 2);
    CHECK(result->errors.size() == 1);
    auto codex = std::ranges::find(result->loaders, "Codex", &LoaderReport::loader);
    REQUIRE(codex != result->loaders.end());
    CHECK(codex->verdict == LoaderVerdict::repaired);
  }

  TEST_CASE("a skill anywhere is shown by its path") {
    SkillsWorld world;
    world.skill("work/draft", "not yet installed");
    SkillShowParams params;
    params.skill = "draft";
    auto result = world.call(k_skill_show, params, in_folder(world / "work"));
    REQUIRE(result);
    CHECK(result->summary.description == "not yet installed");
    CHECK(result->summary.hash.size() == 64);
    CHECK(result->summary.replicas.at(0).path == (world / "work/draft"));
    CHECK(world.call(k_skill_show, params).error().code == ErrorCode::not_found);
    params.skill = world / "work";
    CHECK(world.call(k_skill_show, params).error().message
          == "`" + (world / "work") + "` has no `SKILL.md`");
  }

  TEST_CASE("a body of megabytes is cut") {
    SkillsWorld world;
    world.file(".agents/skills/a/SKILL.md",
               "---\nname: a\ndescription: d\n---\n" + std::string(3u << 20, 'x'));
    SkillShowParams params;
    params.skill = "a";
    CHECK(world.call(k_skill_show, params)->body.size() == 256u << 10);
  }
}

TEST_SUITE("agent_list") {
  TEST_CASE("agents that are here are listed with their folders and why") {
    SkillsWorld world({".claude", ".codex"});
    auto result = world.call(k_agent_list, AgentListParams());
    REQUIRE(result);
    REQUIRE(result->agents.size() == 2);
    CHECK(result->agents[0].agent == "claude-code");
    CHECK(result->agents[0].detected);
    CHECK(result->agents[0].enabled);
    CHECK(result->agents[0].writes == (world / ".claude/skills"));
    CHECK(result->agents[0].evidence.find(".claude") != std::string::npos);
    CHECK(result->agents[1].reads.front() == (world / ".agents/skills"));
  }

  TEST_CASE("an agent that came since is here, and all are listed on request") {
    SkillsWorld world({".claude"});
    CHECK(world.call(k_agent_list, AgentListParams())->agents.size() == 1);
    std::filesystem::create_directories(world / ".cursor");
    auto now = world.call(k_agent_list, AgentListParams());
    REQUIRE(now->agents.size() == 2);
    CHECK(now->agents[1].agent == "cursor");
    CHECK(now->agents[1].detected);
    AgentListParams all;
    all.all = true;
    auto every = world.call(k_agent_list, all);
    CHECK(every->agents.size() >= 79);
    CHECK(std::ranges::is_sorted(every->agents, {}, &AgentStatus::agent));
  }
}
