#include "protocol/base/atomic_file.h"
#include "protocol/hook/member_scanner.h"
#include "protocol/hook/payload.h"

#include <doctest/doctest.h>

#include <array>
#include <utility>
#include <vector>

using namespace upskill::hook;

namespace {

std::string fixture(std::string_view name) {
  std::string path = std::string(UPSKILL_FIXTURES) + "/hooks/" + std::string(name) + ".json";
  upskill::Result<std::string> text = upskill::read_file(path, 1u << 20);
  REQUIRE(text);
  return *text;
}

const std::string k_project = "/home/ada/engine";
const std::string k_claude_session = "3f1c9a52-8f0e-4a57-9d0a-1d2b7c3e4f50";
const std::string k_claude_file =
    "/home/ada/.claude/projects/-home-ada-engine/" + k_claude_session + ".jsonl";
const std::string k_codex_session = "019a8c1e-77aa-7d20-b0a2-9c6d2f1e0001";
const std::string k_codex_file = "/home/ada/.codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-"
                                 + k_codex_session + ".jsonl";
const std::string k_cursor_session = "98187bc5-1111-4222-8333-944455556666";
const std::string k_cursor_file = "/home/ada/.cursor/projects/home-ada-engine/agent-transcripts/"
                                  + k_cursor_session + "/" + k_cursor_session + ".jsonl";
const std::string k_gemini_session = "7d7f3b9e-0c1d-4a2b-9e3f-5a6b7c8d9e0f";
const std::string k_gemini_file =
    "/home/ada/.gemini/tmp/engine/chats/session-2026-11-20T10-00-7d7f3b9e.jsonl";
const std::string k_copilot_session = "c0ffee00-1234-4abc-8def-000011112222";

} // namespace

TEST_SUITE("read_payload") {
  TEST_CASE("Claude Code") {
    HookEvent wanted{.agent = "claude-code",
                     .event = "PostToolUse",
                     .session = k_claude_session,
                     .transcript = k_claude_file,
                     .cwd = k_project};
    CHECK(read_payload(fixture("claude_post_tool_use")) == wanted);
    wanted.event = "SessionStart";
    CHECK(read_payload(fixture("claude_session_start")) == wanted);
    wanted.event = "SubagentStop";
    wanted.helper = "a81b2c3";
    wanted.helper_transcript = "/home/ada/.claude/projects/-home-ada-engine/" + k_claude_session
                               + "/subagents/agent-a81b2c3.jsonl";
    CHECK(read_payload(fixture("claude_subagent_stop")) == wanted);
  }

  TEST_CASE("Codex, by its turn or by the name of its file") {
    HookEvent wanted{.agent = "codex",
                     .event = "PostToolUse",
                     .session = k_codex_session,
                     .turn = "7",
                     .transcript = k_codex_file,
                     .cwd = k_project};
    CHECK(read_payload(fixture("codex_post_tool_use")) == wanted);
    wanted.event = "SessionStart";
    wanted.turn = "";
    CHECK(read_payload(fixture("codex_session_start")) == wanted);
  }

  TEST_CASE("Codex without a file of its session") {
    HookEvent read = read_payload(fixture("codex_stop_ephemeral"));
    CHECK(read.agent == "codex");
    CHECK(read.event == "Stop");
    CHECK(read.transcript.empty());
  }

  TEST_CASE("Codex's notify") {
    HookEvent wanted{.agent = "codex",
                     .event = "agent-turn-complete",
                     .session = k_codex_session,
                     .turn = "7",
                     .cwd = k_project};
    CHECK(read_payload(fixture("codex_notify"), {"", "notify"}) == wanted);
  }

  TEST_CASE("Cursor, whose CLI has no cwd, or an empty one, and no file") {
    HookEvent wanted{.agent = "cursor",
                     .event = "sessionStart",
                     .session = k_cursor_session,
                     .turn = k_cursor_session,
                     .cwd = k_project};
    CHECK(read_payload(fixture("cursor_session_start")) == wanted);
    wanted.event = "beforeShellExecution";
    wanted.turn = "490b90b7-a2ce-4c2c-bb76-cb77b125df2f";
    CHECK(read_payload(fixture("cursor_before_shell_execution")) == wanted);
    wanted.event = "afterFileEdit";
    wanted.transcript = k_cursor_file;
    CHECK(read_payload(fixture("cursor_after_file_edit")) == wanted);
  }

  TEST_CASE("Gemini CLI, by its events or by its time") {
    HookEvent wanted{.agent = "gemini-cli",
                     .event = "AfterTool",
                     .session = k_gemini_session,
                     .transcript = k_gemini_file,
                     .cwd = k_project};
    CHECK(read_payload(fixture("gemini_after_tool")) == wanted);
    wanted.event = "SessionEnd";
    CHECK(read_payload(fixture("gemini_session_end")) == wanted);
  }

  TEST_CASE("Copilot CLI, which does not name its event") {
    HookEvent wanted{.agent = "github-copilot",
                     .event = "agentStop",
                     .session = k_copilot_session,
                     .transcript =
                         "/home/ada/.copilot/session-state/" + k_copilot_session + "/events.jsonl",
                     .cwd = k_project};
    CHECK(read_payload(fixture("copilot_agent_stop"), {"", "agentStop"}) == wanted);
    wanted.event = "preToolUse";
    wanted.transcript = "";
    CHECK(read_payload(fixture("copilot_pre_tool_use"), {"", "preToolUse"}) == wanted);
    wanted.event = "userPromptSubmitted";
    wanted.session = "";
    CHECK(read_payload(fixture("copilot_user_prompt_submitted"), {"", "userPromptSubmitted"})
          == wanted);
  }

  TEST_CASE("Cursor's own members win where it runs what Claude Code was configured with") {
    for (std::string_view json :
         {R"({"turn_id":"1","conversation_id":"c","hook_event_name":"PreToolUse"})",
          R"({"conversation_id":"c","turn_id":"1","hook_event_name":"PreToolUse"})"}) {
      CAPTURE(json);
      CHECK(read_payload(json).agent == "cursor");
    }
  }

  TEST_CASE("what a person configured is believed, and a wrong name is not") {
    CHECK(read_payload(fixture("claude_post_tool_use"), {"my-agent", "Stop"}).agent == "my-agent");
    CHECK(read_payload(fixture("claude_post_tool_use"), {"My Agent", "Stop"}).agent
          == "claude-code");
    CHECK(read_payload(fixture("claude_post_tool_use"), {"", "Stop"}).event == "PostToolUse");
    CHECK(read_payload("", {"", "Stop"}) == HookEvent{.event = "Stop"});
  }

  TEST_CASE("a payload cut anywhere says what came before, and nothing that nobody said") {
    for (std::string_view name : {"claude_subagent_stop",
                                  "codex_notify",
                                  "cursor_after_file_edit",
                                  "gemini_after_tool",
                                  "copilot_agent_stop"}) {
      std::string text = fixture(name);
      HookEvent whole = read_payload(text);
      for (std::size_t size = 0; size <= text.size(); ++size) {
        HookEvent part = read_payload(std::string_view(text).substr(0, size));
        for (auto field : {&HookEvent::event,
                           &HookEvent::session,
                           &HookEvent::turn,
                           &HookEvent::transcript,
                           &HookEvent::helper,
                           &HookEvent::helper_transcript,
                           &HookEvent::cwd}) {
          bool is_right = (part.*field).empty() || part.*field == whole.*field;
          CHECK_MESSAGE(is_right, name, " cut at ", size, ": ", part.*field);
        }
      }
    }
  }

  TEST_CASE("what is no object says nothing") {
    std::string deep(1u << 20, '[');
    std::string objects;
    for (int i = 0; i < 100'000; ++i) {
      objects += "{\"a\":";
    }
    for (const std::string& text : {std::string(),
                                    std::string("null"),
                                    std::string("\"session_id\""),
                                    std::string("session_id=1"),
                                    std::string("[{\"session_id\":\"a\"}]"),
                                    std::string("{"),
                                    std::string("{\"session_id\""),
                                    std::string("{\"session_id\":"),
                                    std::string("{\"session_id\" \"a\"}"),
                                    std::string("\0\xFF\xFE{\"session_id\":\"a\"}", 20),
                                    deep,
                                    objects}) {
      CHECK(read_payload(text) == HookEvent{});
    }
  }

  TEST_CASE("values that are no names and no paths are left out") {
    HookEvent wanted{.agent = "claude-code", .event = "Stop"};
    std::string long_name(257, 'a');
    std::string long_path = "/" + std::string(4096, 'a');
    for (const std::string& member : {std::string("\"session_id\":12"),
                                      std::string("\"session_id\":{\"session_id\":\"a\"}"),
                                      std::string("\"session_id\":\"a b\""),
                                      std::string("\"session_id\":\"a\\u001bb\""),
                                      std::string("\"session_id\":\"\xC3\xA9\""),
                                      "\"session_id\":\"" + long_name + "\"",
                                      "\"cwd\":\"" + long_path + "\"",
                                      std::string("\"cwd\":\"/a\\u0000b\""),
                                      std::string("\"cwd\":\"/a\\ud800b\""),
                                      std::string("\"cwd\":\"/a\\xb\""),
                                      std::string("\"cwd\":\"/a\xFF\""),
                                      std::string("\"cwd\":null")}) {
      CAPTURE(member);
      CHECK(read_payload("{\"hook_event_name\":\"Stop\"," + member + "}") == wanted);
    }
    std::string longest = "{\"hook_event_name\":\"Stop\",\"cwd\":\"" + long_path.substr(1) + "\"}";
    CHECK(read_payload(longest).cwd == long_path.substr(1));
  }

  TEST_CASE("escapes of a path are decoded") {
    auto cwd = [](std::string_view text) {
      return read_payload("{\"cwd\":\"" + std::string(text) + "\"}").cwd;
    };
    CHECK(cwd(R"(C:\\a\/b)") == "C:\\a/b");
    CHECK(cwd(R"(/a \"b\"\\)") == "/a \"b\"\\");
    CHECK(cwd(R"(/\u00e9\u20AC\ud83d\ude00)") == "/\u00e9\u20ac\U0001F600");
    CHECK(cwd(R"(/a\tb\nc)") == "/a\tb\nc");
    CHECK(cwd("/навык") == "/навык");
  }

  TEST_CASE("spaces, a byte order mark and line breaks make no difference") {
    CHECK(read_payload("\xEF\xBB\xBF\r\n { \"cwd\" :\t\"/a\" , \"hook_event_name\" : \"Stop\" }\n")
          == HookEvent{.agent = "claude-code", .event = "Stop", .cwd = "/a"});
  }

  TEST_CASE("only the first mebibyte is looked at") {
    std::string text = "{\"cwd\":\"/a\",\"tool_response\":\"" + std::string(k_max_payload, 'x')
                       + "\",\"session_id\":\"b\"}";
    HookEvent read = read_payload(text);
    CHECK(read.cwd == "/a");
    CHECK(read.session.empty());
  }
}

TEST_SUITE("MemberScanner") {
  TEST_CASE("gives members in their order, as they stand") {
    MemberScanner scanner(R"({"a":1, "b\"":"x}\\" ,"c":[{"d":"]"},2],"e":{},"f":-1.5e3})");
    std::vector<std::pair<std::string, std::string>> seen;
    while (scanner.next()) {
      seen.emplace_back(scanner.key(), scanner.value());
    }
    CHECK(seen
          == std::vector<std::pair<std::string, std::string>>{{"a", "1"},
                                                              {"b\\\"", "\"x}\\\\\""},
                                                              {"c", "[{\"d\":\"]\"},2]"},
                                                              {"e", "{}"},
                                                              {"f", "-1.5e3"}});
  }
}

TEST_SUITE("first_string_of") {
  TEST_CASE("is the first element where that is a string") {
    CHECK(first_string_of(R"(["a\"b","c"])") == R"("a\"b")");
    CHECK(first_string_of(R"([ "a" ])") == R"("a")");
    for (std::string_view other : {"", "[", "[]", "[1,\"a\"]", "[[\"a\"]]", "\"a\"", "[\"a"}) {
      CAPTURE(other);
      CHECK(first_string_of(other).empty());
    }
  }
}
