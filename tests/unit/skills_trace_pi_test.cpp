#include "tests/support/trace_events.h"

using namespace upskill;
using namespace upskill::tests;
using trace::EventForm;
using trace::EventKind;
using trace::Format;

namespace {

std::string entry(const std::string& type, const std::string& rest) {
  return R"({"type":")" + type + R"(","id":"b2","parentId":"a1",)"
         + R"("timestamp":"2026-07-01T10:00:00.250Z",)" + rest + "}\n";
}

std::string message(const std::string& rest) {
  return entry("message", R"("message":{)" + rest + R"(,"timestamp":1700000000000})");
}

} // namespace

TEST_CASE("the head of a session of pi, and the session that it was branched from") {
  std::vector<SeenEvent> events = read_events(
      Format::pi,
      R"({"type":"session","version":3,"id":"s-1","timestamp":"2026-07-01T10:00:00Z",)"
      R"("cwd":"/home/ada/app","parentSession":"/x/--app--/2026-06-30T08-00-00-000Z_s-0.jsonl"})");
  REQUIRE(events.size() == 1);
  CHECK(events[0].form == EventForm::session);
  CHECK(events[0].session == "s-1");
  CHECK(events[0].id.empty());
  CHECK(events[0].forked_from == "s-0");
  CHECK(events[0].cwd == "/home/ada/app");
  CHECK(events[0].version.empty()); // 3 is the format's, not pi's
  CHECK(events[0].time_ms == 1782900000000);
}

TEST_CASE("an answer of pi has its place in the tree, its model, its tokens and their price") {
  std::vector<SeenEvent> events = read_events(
      Format::pi,
      message(R"("role":"assistant","content":[{"type":"thinking","thinking":"hm"},)"
              R"({"type":"text","text":"Looking."},{"type":"toolCall","id":"c1","name":"bash",)"
              R"("arguments":{"command":"make"}}],"model":"claude-sonnet-4-5","usage":{"input":3,)"
              R"("output":8,"cacheRead":2000,"cacheWrite":100,"cost":{"input":1,"total":0.25}},)"
              R"("stopReason":"toolUse")"));
  REQUIRE(events.size() == 3);
  CHECK(events[0].line() == "assistant/thinking \"hm\"");
  CHECK(events[1].line() == "assistant/text \"Looking.\"");
  CHECK(events[2].line() == R"(tool_call/call (bash) "{"command":"make"}")");
  CHECK(events[2].call == "c1");
  for (const SeenEvent& event : events) {
    CHECK(event.id == "b2");
    CHECK(event.parent == "a1");
    CHECK(event.message == "b2");
    CHECK(event.model == "claude-sonnet-4-5");
    CHECK(event.time_ms == 1782900000250); // the entry's own
  }
  REQUIRE(events[0].usage);
  CHECK(!events[1].usage);
  CHECK(events[0].usage->input == 3);
  CHECK(events[0].usage->output == 8);
  CHECK(events[0].usage->cache_read == 2000);
  CHECK(events[0].usage->cache_write == 100);
  CHECK(events[0].usage->cost == 0.25);
}

TEST_CASE("a result of pi, with the code that its text ends with") {
  std::vector<SeenEvent> events = read_events(
      Format::pi,
      message(R"("role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":)"
              R"("text","text":"no rule\n\nCommand exited with code 2"}],"isError":true)")
          + message(R"("role":"toolResult","toolCallId":"c2","toolName":"read","content":[)"
                    R"({"type":"image","data":"iVBOR"},{"type":"text","text":"a"},)"
                    R"({"type":"text","text":"b"}],"isError":false)"));
  REQUIRE(events.size() == 2);
  CHECK(events[0].kind == EventKind::tool_result);
  CHECK(events[0].name == "bash");
  CHECK(events[0].call == "c1");
  CHECK(events[0].is_error == true);
  CHECK(events[0].exit_code == 2);
  CHECK(events[1].text == "a\nb");
  CHECK(events[1].images == 1);
  CHECK(events[1].is_error == false);
  CHECK(!events[1].exit_code);
}

TEST_CASE("a shell line of the person is told with what it printed") {
  std::vector<SeenEvent> events =
      read_events(Format::pi,
                  message(R"("role":"bashExecution","command":"git status","output":" M a.cpp\n",)"
                          R"("exitCode":128,"cancelled":false)"));
  REQUIRE(events.size() == 1);
  CHECK(events[0].line() == "user/command (bash) \"git status\n M a.cpp\n\"");
  CHECK(events[0].exit_code == 128);
}

TEST_CASE("what is neither a person's nor the model's in a session of pi") {
  std::string bytes =
      message(R"("role":"user","content":"typed")")
      + message(R"("role":"custom","customType":"memo","content":"by an extension")")
      + message(R"("role":"branchSummary","summary":"tried make")")
      + entry("custom_message", R"("customType":"memo","content":[{"type":"text","text":"x"}])")
      + entry("custom", R"("customType":"memo","data":{"content":1})")
      + entry("model_change", R"("provider":"openai","modelId":"gpt-5")")
      + entry("thinking_level_change", R"("thinkingLevel":"high")")
      + entry("compaction", R"("summary":"All so far","firstKeptEntryId":"a","tokensBefore":5)")
      + entry("branch_summary", R"("fromId":"a","summary":"left that way")")
      + entry("label", R"("targetId":"a","label":"good")")
      + entry("session_info", R"("name":"Build fixed")") + entry("hologram", R"("x":1)");
  CHECK(event_lines(Format::pi, bytes)
        == std::vector<std::string>{"user/prompt \"typed\"",
                                    "user/injected (memo) \"by an extension\"",
                                    "user/summary (branchSummary) \"tried make\"",
                                    "user/injected (memo) \"x\"",
                                    "meta/state (custom)",
                                    "meta/model (model_change)",
                                    "meta/state (thinking_level_change)",
                                    "meta/compaction (compaction)",
                                    "user/summary (compaction) \"All so far\"",
                                    "user/summary (branch_summary) \"left that way\"",
                                    "meta/state (label) \"good\"",
                                    "meta/title (session_info) \"Build fixed\"",
                                    "meta/unknown (hologram)"});
}

TEST_CASE("an answer of pi that is the last of its turn, was stopped, or failed") {
  std::string start = R"("role":"assistant","content":[{"type":"text","text":"one"},)"
                      R"({"type":"text","text":"two"}],)";
  CHECK(event_lines(Format::pi, message(start + R"("stopReason":"stop")"))
        == std::vector<std::string>{"assistant/text \"one\"", "assistant/answer \"two\""});
  CHECK(event_lines(Format::pi, message(start + R"("stopReason":"aborted")"))
        == std::vector<std::string>{
            "assistant/text \"one\"", "assistant/text \"two\"", "user/interrupt"});
  CHECK(event_lines(Format::pi,
                    message(R"("role":"assistant","content":[],"stopReason":"error",)"
                            R"("errorMessage":"503","usage":{"input":3})"))
        == std::vector<std::string>{"meta/usage", "meta/error \"503\""});
}

TEST_CASE("any prefix of a session of pi goes on well") {
  std::string one = message(R"("role":"user","content":"gl\u00fced")");
  one.pop_back();
  std::string bytes = one + message(R"("role":"user","content":"two")") + "broken{\n\n"
                      + entry("compaction", R"("summary":"s")")
                      + message(R"("role":"user","content":"three")");
  bytes.pop_back();
  check_prefixes(Format::pi, bytes);
}
