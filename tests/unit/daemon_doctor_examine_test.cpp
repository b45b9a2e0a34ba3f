#include "daemon/daemon.h"
#include "daemon/doctor/doctor.h"
#include "daemon/sandbox/sandbox.h"
#include "tests/support/skills_world.h"

#include <sys/stat.h>

#include <algorithm>

using namespace upskill;
using tests::SkillsWorld;

namespace {

DoctorResult examine(SkillsWorld& world) {
  auto result = world.call(k_doctor, DoctorParams());
  REQUIRE(result);
  return std::move(*result);
}

std::vector<Finding> of(const DoctorResult& result, std::string_view check) {
  std::vector<Finding> found;
  std::ranges::copy_if(result.findings, std::back_inserter(found), [&](const Finding& finding) {
    return finding.check == check;
  });
  return found;
}

const AgentView& view_of(const DoctorResult& result, std::string_view agent) {
  auto found = std::ranges::find(result.agents, agent, &AgentView::agent);
  REQUIRE(found != result.agents.end());
  return *found;
}

SyncEnableParams enable() {
  return {};
}

} // namespace

TEST_SUITE("doctor") {
  TEST_CASE("with sync off and good skills there is nothing but a word about sync") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    auto result = examine(world);
    CHECK(result.healthy);
    REQUIRE(of(result, "sync").size() == 1);
    CHECK(of(result, "sync")[0].message == "sync is off: every agent's skills are its own");
    CHECK_FALSE(of(result, "sync")[0].hint.empty());
    // Beside it only what is so of the machine that this runs on.
    CHECK(result.findings.size() == 1 + of(result, "sandbox").size());
    CHECK(view_of(result, "codex").lists.size() == 1);
    CHECK(view_of(result, "claude-code").misses == std::vector<std::string>{"a"});
    auto root = std::ranges::find(result.roots, world / ".agents/skills", &RootStatus::path);
    REQUIRE(root != result.roots.end());
    CHECK(root->skills == 1);
  }

  TEST_CASE("a client of another version than the daemon is told, with how to mend it") {
    SkillsWorld world;
    auto asked_by = [&](std::string version) {
      daemon::RequestContext context;
      context.caller.version = std::move(version);
      auto result = world.call(k_doctor, DoctorParams(), std::move(context));
      REQUIRE(result);
      return of(*result, "version");
    };
    std::string own(daemon::version());
    CHECK(asked_by("").empty());
    CHECK(asked_by(own).empty());
    auto other = asked_by("0.0.9");
    REQUIRE(other.size() == 1);
    CHECK(other[0].level == FindingLevel::warning);
    CHECK(other[0].message == "the daemon is version " + own + ", `upskill` is 0.0.9");
    CHECK(other[0].hint.find("`upskill daemon stop`") != std::string::npos);
  }

  TEST_CASE("of agents that could not be run, it says that nobody has tried") {
    SkillsWorld world({".claude", ".codex", ".cursor", ".gemini", ".config/Code"});
    auto untried = of(examine(world), "untried");
    REQUIRE(untried.size() == 2);
    CHECK(untried[0].level == FindingLevel::info);
    CHECK(
        untried[0].message
        == "Cursor is connected as others say it must be: its MCP server, hooks and sessions were "
           "never tried with the program");
    CHECK(untried[0].hint.find("`upskill setup --agent cursor --dry-run`") == 0);
    CHECK(untried[1].message
          == "VS Code is connected as others say it must be: its MCP server was never tried with "
             "the program");
  }

  TEST_CASE("what Cursor will list twice is told, with how to avoid it") {
    SkillsWorld world({".claude", ".codex", ".cursor"});
    world.skill(".agents/skills/a");
    world.skill(".claude/skills/a");
    auto result = examine(world);
    CHECK(view_of(result, "cursor").lists.at(0).times == 2);
    CHECK(view_of(result, "codex").lists.at(0).times == 1);
    auto twice = of(result, "duplicates");
    REQUIRE(twice.size() == 1);
    CHECK(twice[0].message == "Cursor will list 1 skill more than once: `a`");
    CHECK(twice[0].hint.find("import of third-party folders") != std::string::npos);
    CHECK(result.healthy);
  }

  TEST_CASE("skills are listed by the name that they say they have") {
    SkillsWorld world;
    world.file(".agents/skills/outer/SKILL.md", "---\nname: outer\ndescription: d\n---\n");
    world.file(".agents/skills/x1/SKILL.md", "---\nname: outer\ndescription: d\n---\n");
    world.file(".agents/skills/x2/SKILL.md", "---\ndescription: d\n---\n");
    world.file(".claude/skills/x3/SKILL.md", "---\nname: [x\ndescription: d\n---\n");
    auto result = examine(world);
    const AgentView& codex = view_of(result, "codex");
    REQUIRE(codex.lists.size() == 2);
    CHECK(codex.lists[0].skill == "outer");
    CHECK(codex.lists[0].times == 2);
    CHECK(codex.lists[1].skill == "x2"); // it has no name, so its folder's is taken
    CHECK(codex.misses == std::vector<std::string>{"x3"});
    auto twice = of(result, "duplicates");
    REQUIRE(twice.size() == 1);
    CHECK(twice[0].message == "Codex will list 1 skill more than once: `outer`");
    CHECK(twice[0].hint
          == "`outer` is the `name` of different skills, in `outer` and `x1`: give each its own");
  }

  TEST_CASE("a skill that an agent's loader skips is told once, with who skips it") {
    SkillsWorld world;
    world.file(".agents/skills/a/SKILL.md", "---\nname: a\n---\nno description\n");
    auto result = examine(world);
    CHECK_FALSE(result.healthy);
    auto skipped = of(result, "skills");
    REQUIRE(skipped.size() == 1);
    CHECK(skipped[0].level == FindingLevel::warning);
    CHECK(skipped[0].message
          == "`" + (world / ".agents/skills/a") + "` is skipped by Codex: no `description`");
    CHECK(view_of(result, "codex").lists.at(0).times == 0);
  }

  TEST_CASE("what is wrong with folders, links and names is told, the worst first") {
    SkillsWorld world;
    world.skill(".agents/skills/Name");
    world.skill(".agents/skills/name");
    world.file(".agents/skills/empty/SKILL.md", "");
    world.link(".agents/skills/nowhere", "missing");
    world.skill("elsewhere");
    world.link(".agents/skills/outside", world / "elsewhere");
    auto result = examine(world);
    CHECK_FALSE(result.healthy);
    CHECK(std::ranges::is_sorted(result.findings, std::ranges::greater(), &Finding::level));
    CHECK(of(result, "names").size() == 1);
    CHECK(of(result, "folders").size() == 1);
    REQUIRE(of(result, "links").size() == 2);
    CHECK(of(result, "links")[0].message.find("nowhere") != std::string::npos);
    for (const Finding& finding : result.findings) {
      CHECK_FALSE(finding.hint.empty());
    }
  }

  TEST_CASE("a thousand skills with one fault are told in a few lines") {
    SkillsWorld world;
    for (int i = 0; i < 1000; ++i) {
      std::filesystem::create_directories(world / (".agents/skills/s" + std::to_string(i)));
    }
    auto folders = of(examine(world), "folders");
    REQUIRE(folders.size() == 21);
    CHECK(folders.back().message == "980 more of this kind");
  }

  TEST_CASE("conflicts, halted roots and git operations are told with sync on") {
    SkillsWorld world;
    world.skill(".agents/skills/a", "one");
    world.skill(".claude/skills/a", "two");
    world.skill(".agents/skills/b");
    REQUIRE(world.call(k_sync_enable, enable()));
    auto result = examine(world);
    REQUIRE(of(result, "conflicts").size() == 1);
    CHECK(of(result, "conflicts")[0].message == "1 conflict waits for a decision");
    CHECK(of(result, "sync").empty());
    std::filesystem::create_directories(world / ".git");
    world.file(".git/MERGE_HEAD", "x");
    CHECK_FALSE(of(examine(world), "git").empty());
    std::filesystem::remove_all(world / ".git");
    std::filesystem::rename(world / ".claude/skills", world / "gone");
    REQUIRE(world.call(k_sync_now, SyncNowParams()));
    auto halted = of(examine(world), "sync");
    REQUIRE(halted.size() == 1);
    CHECK(halted[0].level == FindingLevel::error);
    CHECK(halted[0].message.find(world / ".claude/skills") != std::string::npos);
  }

  TEST_CASE("a damaged database, a bad table and an open run folder are told") {
    SkillsWorld world;
    world.file(".local/state/upskill/sync.db", std::string(8192, 'x'));
    world.file(".config/upskill/agents.json", "{");
    world.service();
    REQUIRE(::chmod((world / ".local/state/upskill/run").c_str(), 0755) == 0);
    auto result = examine(world);
    CHECK(of(result, "database").size() == 1);
    CHECK(of(result, "agents.json").size() == 1);
    REQUIRE(of(result, "run folder").size() == 1);
    CHECK(of(result, "run folder")[0].level == FindingLevel::error);
    CHECK(result.findings.front().check == "run folder");
  }

  TEST_CASE("a sandbox that does not work is told, as what one can do without") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    doctor::Facts facts;
    auto scene = world.run(world.service().scene());
    REQUIRE(scene);
    facts.scene = *scene;
    facts.places = world.service().context().places;
    facts.environment = world.service().environment();
    facts.no_sandbox = Error{ErrorCode::unavailable, "there is no program `bwrap`", "install it"};
    auto result = doctor::examine(facts, {});
    REQUIRE(result);
    auto told = of(*result, "sandbox");
    REQUIRE(told.size() == 1);
    CHECK(told[0].level == FindingLevel::info);
    CHECK(told[0].message
          == "`upskill eval` can run neither `command` checks nor the student `agent`: there is no "
             "program `bwrap`");
    CHECK(told[0].hint == "install it");
    CHECK(result->healthy);
    facts.no_sandbox.reset();
    result = doctor::examine(facts, {});
    REQUIRE(result);
    CHECK(of(*result, "sandbox").empty());
  }

  TEST_CASE("whether the sandbox works is tried on this machine") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    sandbox::Sandbox sandbox;
    Result<void> works = world.run(sandbox.check());
    auto told = of(examine(world), "sandbox");
    REQUIRE(told.size() == (works ? 0 : 1));
    if (!works) {
      CHECK(told[0].message.ends_with(works.error().message));
      CHECK(told[0].hint == works.error().hint);
    }
  }

  TEST_CASE("where no agent is, that is what is told") {
    SkillsWorld world({});
    auto result = examine(world);
    CHECK(result.agents.empty());
    CHECK(of(result, "agents").size() == 1);
  }
}
