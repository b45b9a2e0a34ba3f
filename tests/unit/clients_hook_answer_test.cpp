#include "clients/hook/answer.h"

#include <doctest/doctest.h>

using upskill::hook::answer_to;

TEST_SUITE("answer_to") {
  TEST_CASE("agents that go on when nothing is said") {
    for (std::string_view agent : {"claude-code", "codex", "github-copilot", "my-agent", ""}) {
      for (std::string_view event :
           {"PreToolUse", "preToolUse", "Stop", "beforeShellExecution", ""}) {
        CHECK(answer_to(agent, event).empty());
      }
    }
  }

  TEST_CASE("Cursor wants JSON, and a permission where it asks for one") {
    for (std::string_view event : {"preToolUse",
                                   "PreToolUse",
                                   "beforeShellExecution",
                                   "beforeMCPExecution",
                                   "beforeReadFile",
                                   "beforeTabFileRead",
                                   "subagentStart"}) {
      CAPTURE(event);
      CHECK(answer_to("cursor", event) == "{\"permission\":\"allow\"}\n");
    }
    CHECK(answer_to("cursor", "beforeSubmitPrompt") == "{\"continue\":true}\n");
    for (std::string_view event :
         {"stop", "afterFileEdit", "postToolUse", "preToolUseX", "p", ""}) {
      CAPTURE(event);
      CHECK(answer_to("cursor", event) == "{}\n");
    }
  }

  TEST_CASE("Gemini CLI would take stderr for an answer where stdout is empty") {
    CHECK(answer_to("gemini-cli", "BeforeTool") == "{}\n");
    CHECK(answer_to("gemini-cli", "SessionEnd") == "{}\n");
  }
}
