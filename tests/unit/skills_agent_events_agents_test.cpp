#include "skills/agent_events/skill_paths.h"
#include "tests/unit/skills_agent_events_streams.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill::agent_events;

namespace {

using Names = std::set<std::string>;

std::string replaced(std::string_view stream, std::string_view old, std::string_view by) {
  std::string text(stream);
  std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), by);
}

} // namespace

TEST_SUITE("skills named in a command") {
  TEST_CASE("a SKILL.md that is named is a skill that is read") {
    CHECK(skills_named_in("cat .agents/skills/git-commit/SKILL.md") == Names{"git-commit"});
    CHECK(skills_named_in("/bin/bash -lc \"sed -n '1,200p' '/w/.agents/skills/a_b.c/SKILL.md'\"")
          == Names{"a_b.c"});
    CHECK(skills_named_in("cat x/a/SKILL.md x/b/SKILL.md") == Names{"a", "b"});
    CHECK(skills_named_in("cd .agents/skills/git-commit && cat SKILL.md") == Names{"git-commit"});
    CHECK(skills_named_in("for f in .agents/skills/*/SKILL.md; do cat $f; done") == Names{"*"});
  }

  TEST_CASE("what names none is none") {
    for (std::string_view line : {"",
                                  "SKILL.md",
                                  "cat /SKILL.md",
                                  "cat ../SKILL.md",
                                  "ls .agents/skills",
                                  "find .agents/skills -name SKILL.md",
                                  "cat x/git-*/SKILL.md",
                                  "cat .agents/skills/git-commit/MY-SKILL.md"}) {
      CAPTURE(line);
      CHECK(skills_named_in(line) == Names{});
    }
  }

  TEST_CASE("a plugin's skill goes by its own name") {
    CHECK(skill_called("git-commit") == Names{"git-commit"});
    CHECK(skill_called("mine:git-commit") == Names{"git-commit"});
    CHECK(skill_called("/git-commit") == Names{"git-commit"});
    CHECK(skill_called("") == Names{});
    CHECK(skill_called("*") == Names{});
  }
}

TEST_SUITE("Claude Code's events") {
  TEST_CASE("usage is that of all models, and its price the list's") {
    AgentRun run = read_stream(Agent::claude_code, k_claude_stream);
    CHECK(run.usage
          == Usage{
              .input = 1700, .cache_read = 300, .cache_write = 50, .output = 18, .reasoning = 4});
    CHECK(run.cost == 0.0035);
    CHECK(run.cost_basis == "list");
    CHECK(run.agent_version == "2.1.329");
    CHECK(run.models == std::vector<std::string>{"claude-sonnet-5-5"});
    CHECK(run.offered == std::vector<std::string>{"git-commit", "verify"});
    CHECK(run.tools == std::vector<std::string>{"Skill"});
    CHECK(run.turns == 2);
  }

  TEST_CASE("a helper's model counts too, and one guessed price spoils the sum") {
    std::string two = replaced(
        k_claude_stream,
        R"("modelUsage":{)",
        R"("modelUsage":{"haiku":{"inputTokens":300,"outputTokens":2,"costUSD":1.0,"costBasis":"list"},)");
    AgentRun run = read_stream(Agent::claude_code, two);
    CHECK(run.usage.input == 2000);
    CHECK(run.usage.output == 20);
    CHECK(run.usage.cache_read == 300);
    CHECK(run.cost == doctest::Approx(1.0035));
    run = read_stream(Agent::claude_code,
                      replaced(two, R"("costBasis":"list")", R"("costBasis":"unknown")"));
    CHECK(run.usage.input == 2000);
    CHECK_FALSE(run.cost);
    CHECK(run.cost_basis.empty());
  }

  TEST_CASE("without the usage of models there is none") {
    AgentRun run = read_stream(
        Agent::claude_code,
        R"({"type":"result","subtype":"success","is_error":false,"result":"x","usage":{"input_tokens":5},"modelUsage":{}})");
    CHECK(run.ending == Ending::done);
    CHECK(run.usage == Usage{});
    CHECK_FALSE(run.cost);
  }

  TEST_CASE("`success` is none where it is an error") {
    AgentRun run = read_stream(
        Agent::claude_code,
        R"({"type":"result","subtype":"success","is_error":true,"api_error_status":404,"num_turns":1,"result":"There's an issue with the selected model","modelUsage":{}})");
    CHECK(run.ending == Ending::failed);
    CHECK(run.status == 404);
    CHECK(run.failure == "There's an issue with the selected model");
    CHECK_FALSE(skills_used(run));
    run = read_stream(
        Agent::claude_code,
        R"({"type":"result","subtype":"error_during_execution","is_error":false,"errors":["it broke"]})");
    CHECK(run.ending == Ending::failed);
    CHECK(run.failure == "it broke");
    // Nothing says that it went well.
    CHECK(read_stream(Agent::claude_code, R"({"type":"result"})").ending == Ending::failed);
  }

  TEST_CASE("tries that go on are remembered") {
    AgentRun run = read_stream(
        Agent::claude_code,
        R"({"type":"system","subtype":"api_retry","attempt":7,"error_status":401,"error":"authentication_failed"})");
    CHECK(run.ending == Ending::cut_off);
    CHECK(run.status == 401);
    CHECK(run.failure == "authentication_failed");
  }

  TEST_CASE("a skill that was asked for and is not there was not used") {
    AgentRun run = read_stream(Agent::claude_code,
                               replaced(k_claude_stream,
                                        R"("tool_use_id":"t1")",
                                        R"("tool_use_id":"t1","is_error":true)"));
    CHECK(skills_used(run) == Names{});
    CHECK(tools_used(run) == Names{"Skill"});
  }

  TEST_CASE("a skill may also be read, or be a plugin's, or be used by a helper") {
    constexpr std::string_view k_call = R"("name":"Skill","input":{"skill":"git-commit"})";
    for (std::string_view other :
         {R"("name":"Skill","input":{"skill":"plug:git-commit"})",
          R"("name":"Read","input":{"file_path":"/w/.claude/skills/git-commit/SKILL.md"})",
          R"("name":"Bash","input":{"command":"cat .claude/skills/git-commit/SKILL.md"})",
          R"("name":"Bash","input":{"command":"head -3 .claude/skills/*/SKILL.md"})"}) {
      AgentRun run = read_stream(Agent::claude_code, replaced(k_claude_stream, k_call, other));
      CHECK(run.skills.contains("git-commit"));
    }
    // Writing one is no use of it.
    AgentRun run = read_stream(
        Agent::claude_code,
        replaced(k_claude_stream,
                 k_call,
                 R"("name":"Write","input":{"file_path":".claude/skills/new/SKILL.md"})"));
    CHECK(skills_used(run) == Names{});
    std::string helper =
        replaced(k_claude_stream, R"("parent_tool_use_id":null)", R"("parent_tool_use_id":"t0")");
    CHECK(read_stream(Agent::claude_code, helper).skills == Names{"git-commit"});
  }

  TEST_CASE("what a helper says is not the answer") {
    AgentRun run = read_stream(
        Agent::claude_code,
        R"({"type":"assistant","message":{"content":[{"type":"text","text":"mine"}]},"parent_tool_use_id":null}
{"type":"assistant","message":{"content":[{"type":"text","text":"a helper's"}]},"parent_tool_use_id":"t0"})");
    CHECK(run.answer == "mine");
  }
}

TEST_SUITE("Codex's events") {
  TEST_CASE("the input is without the cache, and no price is told") {
    AgentRun run = read_stream(Agent::codex, k_codex_stream);
    CHECK(run.usage
          == Usage{
              .input = 650, .cache_read = 300, .cache_write = 50, .output = 100, .reasoning = 40});
    CHECK_FALSE(run.cost);
    CHECK_FALSE(run.turns);
    CHECK(run.tools == std::vector<std::string>{"command_execution"});
  }

  TEST_CASE("a skill that is not there cannot be read") {
    std::string missing = replaced(k_codex_stream,
                                   R"("---\nname: git-commit\n","exit_code":0)",
                                   R"("cat: No such file or directory\n","exit_code":1)");
    CHECK(skills_used(read_stream(Agent::codex, missing)) == Names{});
    // It was read, and what came behind it in the line failed.
    std::string later = replaced(k_codex_stream, R"("exit_code":0)", R"("exit_code":1)");
    CHECK(read_stream(Agent::codex, later).skills == Names{"git-commit"});
  }

  TEST_CASE("tries that go on are no failure, and the turn's failure is") {
    constexpr std::string_view k_tries =
        R"({"type":"error","message":"Reconnecting... 1/5"}
)";
    AgentRun run = read_stream(Agent::codex, std::string(k_tries) + std::string(k_codex_stream));
    CHECK(run.ending == Ending::done);
    run =
        read_stream(Agent::codex,
                    std::string(k_tries)
                        + R"({"type":"turn.failed","error":{"message":"unexpected status 401"}})");
    CHECK(run.ending == Ending::failed);
    CHECK(run.failure == "unexpected status 401");
  }
}

TEST_SUITE("the others' events") {
  TEST_CASE("Gemini's thoughts are the rest of the total") {
    AgentRun run = read_stream(Agent::gemini, k_gemini_stream);
    CHECK(run.usage == Usage{.input = 700, .cache_read = 300, .output = 100, .reasoning = 40});
    CHECK(run.models == std::vector<std::string>{"gemini-2.5-flash"});
    CHECK_FALSE(run.cost);
  }

  TEST_CASE("Gemini's failure, which it tells as one of no tokens") {
    AgentRun run = read_stream(
        Agent::gemini,
        R"({"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: 401]"},"stats":{"total_tokens":0,"input_tokens":0,"output_tokens":0,"cached":0}})");
    CHECK(run.ending == Ending::failed);
    CHECK(run.failure == "[API Error: 401]");
    CHECK(run.usage == Usage{});
  }

  TEST_CASE("OpenCode's steps are added up") {
    AgentRun run = read_stream(Agent::opencode, k_opencode_stream);
    CHECK(run.usage
          == Usage{
              .input = 1400, .cache_read = 300, .cache_write = 0, .output = 107, .reasoning = 42});
    CHECK(run.cost == doctest::Approx(0.001714));
    CHECK(run.cost_basis == "agent");
    CHECK(run.turns == 2);
    // A price that it does not know is 0.
    std::string free =
        replaced(replaced(k_opencode_stream, "\"cost\":0.000814", "\"cost\":0"), "0.0009}", "0}");
    CHECK_FALSE(read_stream(Agent::opencode, free).cost);
  }

  TEST_CASE("OpenCode's errors") {
    AgentRun run = read_stream(
        Agent::opencode,
        R"({"type":"error","error":{"name":"APIError","data":{"message":"invalid x-api-key","statusCode":401}}})");
    CHECK(run.ending == Ending::failed);
    CHECK(run.failure == "invalid x-api-key");
    CHECK(run.status == 401);
    std::string failed = replaced(k_opencode_stream,
                                  R"("status":"completed")",
                                  R"("status":"error","error":"ripgrep execution failed")");
    run = read_stream(Agent::opencode, failed);
    CHECK(skills_used(run) == Names{});
    CHECK(run.failure == "ripgrep execution failed");
    CHECK(run.ending == Ending::done);
  }

  TEST_CASE("Copilot's tokens are in its file") {
    EventReader reader(Agent::copilot);
    reader.take(k_copilot_stream);
    reader.take_usage_file(k_copilot_usage);
    AgentRun run = reader.finish();
    CHECK(run.usage
          == Usage{
              .input = 700, .cache_read = 300, .cache_write = 0, .output = 100, .reasoning = 40});
    CHECK(run.turns == 2);
    CHECK(run.offered == std::vector<std::string>{"git-commit", "github-pr-media"});
    run = read_stream(Agent::copilot, k_copilot_stream);
    CHECK(run.usage == Usage{});
    for (std::string_view bad : {"", "x", "[]", "{}", R"({"modelMetrics":[]})"}) {
      EventReader other(Agent::copilot);
      other.take_usage_file(bad);
      CHECK(other.finish().usage == Usage{});
    }
  }

  TEST_CASE("Copilot's errors") {
    AgentRun run = read_stream(
        Agent::copilot,
        R"({"type":"session.error","data":{"errorType":"authentication","message":"Authentication failed","statusCode":401}}
{"type":"result","exitCode":1})");
    CHECK(run.ending == Ending::failed);
    CHECK(run.failure == "Authentication failed");
    CHECK(run.status == 401);
    std::string went_on = R"({"type":"session.error","data":{"message":"busy"}}
)" + std::string(k_copilot_stream);
    CHECK(read_stream(Agent::copilot, went_on).ending == Ending::done);
    std::string missing =
        replaced(k_copilot_stream, R"("success":true)", R"("success":false,"error":{})");
    CHECK(skills_used(read_stream(Agent::copilot, missing)) == Names{});
  }

  TEST_CASE("Cursor tells no tokens") {
    AgentRun run = read_stream(Agent::cursor, k_cursor_stream);
    CHECK(run.usage == Usage{});
    CHECK_FALSE(run.cost);
    std::string missing = replaced(
        k_cursor_stream, R"("result":{"success":{"content":"..."}})", R"("result":{"error":{}})");
    CHECK(skills_used(read_stream(Agent::cursor, missing)) == Names{});
    run =
        read_stream(Agent::cursor, R"({"type":"result","is_error":true,"result":"not logged in"})");
    CHECK(run.ending == Ending::failed);
    CHECK(run.failure == "not logged in");
  }
}
