#include "daemon/capture/hook_words.h"
#include "protocol/base/atomic_file.h"
#include "protocol/hook/payload.h"
#include "protocol/rpc/simdjson_reader.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using capture::hook_event_of;

namespace {

hook::HookEvent told(const std::string& json) {
  rpc::JsonParser parser;
  Result<HookEventParams> params = rpc::decode_arguments<HookEventParams>(parser, json);
  REQUIRE_MESSAGE(params.has_value(), params.error().message);
  return hook_event_of(*params);
}

std::string fixture(std::string_view name) {
  std::string path = std::string(UPSKILL_FIXTURES) + "/hooks/" + std::string(name) + ".json";
  Result<std::string> text = read_file(path, 1u << 20);
  REQUIRE(text);
  return *text;
}

} // namespace

TEST_CASE("a hook that calls a tool says the same as one that runs a command") {
  for (const char* name : {"claude_post_tool_use",
                           "claude_session_start",
                           "claude_subagent_stop",
                           "codex_notify",
                           "codex_post_tool_use",
                           "codex_session_start",
                           "codex_stop_ephemeral",
                           "copilot_agent_stop",
                           "copilot_pre_tool_use",
                           "copilot_user_prompt_submitted",
                           "cursor_after_file_edit",
                           "cursor_before_shell_execution",
                           "cursor_session_start",
                           "gemini_after_tool",
                           "gemini_session_end"}) {
    CAPTURE(name);
    hook::HookEvent wanted = hook::read_payload(fixture(name));
    CHECK(!wanted.agent.empty());
    CHECK(told(fixture(name)) == wanted);
  }
}

TEST_CASE("what a person configured is believed") {
  hook::HookEvent event = told(R"({"agent":"cursor","session_id":"s","transcript_path":"/t"})");
  CHECK(event.agent == "cursor");
  CHECK(event.session == "s");
  CHECK(event.transcript == "/t");
}

TEST_CASE("what is no path and no name is left out") {
  hook::HookEvent event = told(R"({"hook_event_name":"Stop","session_id":"a b","cwd":"/c)"
                               + std::string(hook::k_max_path, 'x')
                               + R"(","transcript_path":"/t\u0000","agent_id":""})");
  CHECK(event == hook::HookEvent{.agent = "claude-code", .event = "Stop"});
}
