#include "skills/agents/table.h"
#include "skills/agents/view.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::agents;

namespace {

const Agent& agent(const char* id) {
  static const AgentTable table = AgentTable::built_in().value();
  return *table.find(id);
}

PresentSkill copy(const std::string& name, const std::string& root, std::uint64_t inode) {
  std::string path = root + "/" + name;
  return {.name = name, .path = path, .real_path = path, .device = 1, .inode = inode};
}

PresentSkill link(const PresentSkill& to, const std::string& root) {
  PresentSkill skill = to;
  skill.path = root + "/" + to.name;
  skill.link = true;
  return skill;
}

const ListedSkill& only(const AgentView& view) {
  REQUIRE(view.lists.size() == 1);
  return view.lists.front();
}

// A skill in .agents with a link to it in .claude, as the minimal cover has it.
std::vector<ReadRoot> twin() {
  PresentSkill original = copy("x", "/h/.agents/skills", 7);
  return {{"/h/.agents/skills", {original}},
          {"/h/.claude/skills", {link(original, "/h/.claude/skills")}}};
}

// Two copies of one skill.
std::vector<ReadRoot> copies() {
  return {{"/h/.agents/skills", {copy("x", "/h/.agents/skills", 7)}},
          {"/h/.claude/skills", {copy("x", "/h/.claude/skills", 8)}}};
}

const std::vector<std::string> k_x = {"x"};

} // namespace

TEST_SUITE("AgentView") {
  TEST_CASE("Claude Code takes a link and its target for one, by inode") {
    AgentView view = view_of(agent("claude-code"), twin(), k_x);
    CHECK(view.agent == "claude-code");
    CHECK(only(view).times == 1);
    CHECK(only(view).path == "/h/.agents/skills/x");
    CHECK(
        only(view).note
        == "`/h/.claude/skills/x` is the same folder as `/h/.agents/skills/x` and is listed once");
    CHECK(view.misses.empty());
  }

  TEST_CASE("in Claude Code the user's copy hides the project's") {
    std::vector<ReadRoot> roots = {{"/h/.claude/skills", {copy("x", "/h/.claude/skills", 1)}},
                                   {"/p/.claude/skills", {copy("x", "/p/.claude/skills", 2)}}};
    AgentView view = view_of(agent("claude-code"), roots, k_x);
    CHECK(only(view).times == 1);
    CHECK(only(view).path == "/h/.claude/skills/x");
    CHECK(only(view).note == "the first copy wins; `/p/.claude/skills/x` is not used");
  }

  TEST_CASE("Codex lists copies twice and a link once: it compares canonical paths only") {
    CHECK(only(view_of(agent("codex"), twin(), k_x)).times == 1);
    AgentView view = view_of(agent("codex"), copies(), k_x);
    CHECK(only(view).times == 2);
    CHECK(only(view).note
          == "also lies in `/h/.claude/skills/x`; Codex takes copies for one only where they are "
             "one folder");
  }

  TEST_CASE("a root that is itself a link shows its skills once where paths are compared") {
    PresentSkill original = copy("x", "/h/.agents/skills", 7);
    PresentSkill again = original;
    again.path = "/h/.codex/skills/x"; // .codex/skills -> ../.agents/skills: not a link itself
    std::vector<ReadRoot> roots = {{"/h/.agents/skills", {original}},
                                   {"/h/.codex/skills", {again}}};
    CHECK(only(view_of(agent("codex"), roots, k_x)).times == 1);
    CHECK(only(view_of(agent("cursor"), roots, k_x)).times == 2);
  }

  TEST_CASE("Cursor may list each copy, and nobody knows about its links") {
    AgentView view = view_of(agent("cursor"), copies(), k_x);
    CHECK(only(view).times == 2);
    CHECK(only(view).note == "also lies in `/h/.claude/skills/x`; Cursor may list each copy");
    CHECK(only(view_of(agent("cursor"), twin(), k_x)).times == 1);
    CHECK(only(view_of(agent("cursor"), twin(), k_x)).note
          == "`/h/.claude/skills/x` is a link, and it is not known whether Cursor follows links");
  }

  TEST_CASE("Gemini CLI and OpenCode take the last copy") {
    for (const char* id : {"gemini-cli", "opencode"}) {
      CAPTURE(id);
      AgentView view = view_of(agent(id), copies(), k_x);
      CHECK(only(view).times == 1);
      CHECK(only(view).path == "/h/.claude/skills/x");
      CHECK(only(view).note == "the last copy wins; `/h/.agents/skills/x` is not used");
    }
  }

  TEST_CASE("Pi takes the first copy and is silent about a link") {
    CHECK(only(view_of(agent("pi"), copies(), k_x)).path == "/h/.agents/skills/x");
    CHECK(only(view_of(agent("pi"), copies(), k_x)).note
          == "the first copy wins; `/h/.claude/skills/x` is not used");
    CHECK(only(view_of(agent("pi"), twin(), k_x)).times == 1);
  }

  TEST_CASE("an unknown loader sees no link, and the skill is among what it misses") {
    std::vector<ReadRoot> roots = {twin()[1]};
    AgentView view = view_of(agent("goose"), roots, k_x);
    CHECK(only(view).times == 0);
    CHECK(only(view).path == "/h/.claude/skills/x");
    CHECK(only(view).note
          == "`/h/.claude/skills/x` is a link, and it is not known whether Goose follows links");
    CHECK(view.misses == k_x);
  }

  TEST_CASE("nested skills are seen by those who look deep enough") {
    PresentSkill nested = copy("x", "/h/.agents/skills/group", 7);
    nested.depth = 2;
    std::vector<ReadRoot> roots = {{"/h/.agents/skills", {nested}}};
    CHECK(only(view_of(agent("codex"), roots, k_x)).times == 1);
    CHECK(only(view_of(agent("opencode"), roots, k_x)).times == 1);
    AgentView gemini = view_of(agent("gemini-cli"), roots, k_x);
    CHECK(only(gemini).times == 0);
    CHECK(only(gemini).note == "`/h/.agents/skills/group/x` lies deeper than Gemini CLI looks");
    CHECK(gemini.misses == k_x);
    nested.depth = 7;
    CHECK(only(view_of(agent("codex"), std::vector<ReadRoot>{{"/r", {nested}}}, k_x)).times == 0);
  }

  TEST_CASE("what a loader skips or repairs is told with its reason") {
    PresentSkill skill = copy("x", "/h/.agents/skills", 7);
    skill.verdict = LoaderVerdict::skipped;
    skill.reason = "`description` is missing";
    AgentView skipped = view_of(agent("codex"), std::vector<ReadRoot>{{"/r", {skill}}}, k_x);
    CHECK(only(skipped).times == 0);
    CHECK(only(skipped).note == "`/h/.agents/skills/x` is skipped: `description` is missing");
    CHECK(skipped.misses == k_x);
    skill.verdict = LoaderVerdict::repaired;
    skill.reason = "unquoted colon";
    AgentView repaired = view_of(agent("codex"), std::vector<ReadRoot>{{"/r", {skill}}}, k_x);
    CHECK(only(repaired).times == 1);
    CHECK(only(repaired).note == "repaired: unquoted colon");
    CHECK(repaired.misses.empty());
  }

  TEST_CASE("lists and misses are by name, and nothing is missed twice") {
    std::vector<ReadRoot> roots = {{"/r", {copy("b", "/r", 1), copy("a", "/r", 2)}}};
    AgentView view = view_of(agent("codex"), roots, std::vector<std::string>{"z", "b", "c", "z"});
    REQUIRE(view.lists.size() == 2);
    CHECK(view.lists[0].skill == "a");
    CHECK(view.misses == std::vector<std::string>{"c", "z"});
  }
}
