#include "tests/support/temporary_folder.h"
#include "tests/support/trace_events.h"

#include <algorithm>

using namespace upskill;
using namespace upskill::tests;
using trace::EventForm;
using trace::EventKind;
using trace::Format;

namespace {

std::string
record(const std::string& type, const std::string& members, const std::string& more = "") {
  return R"({"type":")" + type + R"(","data":{)" + members
         + R"(},"id":"e2","timestamp":"2026-07-01T10:00:00.250Z","parentId":"e1")" + more + "}\n";
}

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& bytes) {
  return event_lines(Format::copilot, bytes);
}

SeenEvent only(const std::string& bytes) {
  std::vector<SeenEvent> events = read_events(Format::copilot, bytes);
  REQUIRE(events.size() == 1);
  return events[0];
}

EventForm form_of(const std::string& content, const std::string& source) {
  SeenEvent event =
      only(record("user.message", R"("content":")" + content + R"(","source":")" + source + '"'));
  CHECK(event.kind == EventKind::user);
  return event.form;
}

} // namespace

TEST_CASE("the start of a session says whose it is") {
  SeenEvent event = only(record("session.start",
                                R"("sessionId":"s1","version":1,"producer":"copilot-agent",)"
                                R"("copilotVersion":"1.0.54","selectedModel":"gpt-5.4",)"
                                R"("context":{"cwd":"/home/ada/app","branch":"main"})"));
  CHECK(event.line() == "meta/session (session.start)");
  CHECK(event.session == "s1");
  CHECK(event.version == "1.0.54");
  CHECK(event.cwd == "/home/ada/app");
  CHECK(event.branch == "main");
  CHECK(event.model == "gpt-5.4");
  CHECK(event.id == "e2");
  CHECK(event.parent == "e1");
  CHECK(event.time_ms == 1782900000250);
}

TEST_CASE("a prompt is what was typed, not what was made of it") {
  SeenEvent event = only(record("user.message",
                                R"("content":"Fix it","transformedContent":"<now> Fix it",)"
                                R"("attachments":[{"type":"blob","mimeType":"image/png"},)"
                                R"({"type":"file","path":"/a"}],"interactionId":"i1")"));
  CHECK(event.line() == "user/prompt \"Fix it\"");
  CHECK(event.turn == "i1");
  CHECK(event.images == 1);
}

TEST_CASE("messages of the user that are no person's say where they come from") {
  CHECK(form_of("x", "") == EventForm::prompt);
  CHECK(form_of("x", "user") == EventForm::prompt);
  CHECK(form_of("x", "system") == EventForm::injected);
  CHECK(form_of("x", "command-init") == EventForm::command);
  CHECK(form_of("<system_notification>\\nx", "") == EventForm::injected);
  SeenEvent skill = only(record("user.message", R"("content":"# PDF","source":"skill-pdf")"));
  CHECK(skill.form == EventForm::skill);
  CHECK(skill.skill == "pdf");
  SeenEvent helper = only(record("user.message", R"("content":"Look")", R"(,"agentId":"a1")"));
  CHECK(helper.form == EventForm::injected);
  CHECK(helper.agent == "a1");
  CHECK(helper.is_sidechain);
}

TEST_CASE("an answer has thoughts, words and calls, and only its output's tokens") {
  std::vector<SeenEvent> events = read_events(
      Format::copilot,
      record("assistant.message",
             R"("messageId":"m1","content":"I build.","reasoningText":"hm","outputTokens":42,)"
             R"("model":"gpt-5.4","toolRequests":[{"toolCallId":"c1","name":"bash",)"
             R"("arguments":{"command":"make"}},{"toolCallId":"c2","name":"view",)"
             R"("arguments":"{\"path\":\"a\"}"}])"));
  SeenEvents seen;
  seen.events = events;
  REQUIRE(seen.lines()
          == Lines{"assistant/thinking \"hm\"",
                   "assistant/text \"I build.\"",
                   R"(tool_call/call (bash) "{"command":"make"}")",
                   R"(tool_call/call (view) "{"path":"a"}")"});
  CHECK(events[2].call == "c1");
  for (const SeenEvent& event : events) {
    CHECK(event.message == "m1");
    CHECK(event.model == "gpt-5.4");
  }
  REQUIRE(events[0].usage);
  CHECK(events[0].usage->output == 42);
  CHECK(!events[0].usage->input);
  CHECK(only(record("assistant.message", R"("content":"Done.","phase":"final_answer")")).form
        == EventForm::answer);
  CHECK(only(record("assistant.message", R"("content":"","reasoningOpaque":"x")")).form
        == EventForm::usage);
}

TEST_CASE("a call's beginning is a copy, and its end the result") {
  CHECK(lines_of(record("tool.execution_start",
                        R"("toolCallId":"c1","toolName":"bash","arguments":{"command":"make"})"))
        == Lines{"meta/copy (tool.execution_start)"});
  SeenEvent failed =
      only(record("tool.execution_complete",
                  R"("toolCallId":"c1","success":true,"result":{"content":)"
                  R"("no rule\n<exited with exit code 2>","detailedContent":"long"})"));
  CHECK(failed.kind == EventKind::tool_result);
  CHECK(failed.call == "c1");
  CHECK(failed.exit_code == 2);
  CHECK(failed.is_error == false);
  CHECK(failed.text == "no rule\n<exited with exit code 2>");
  SeenEvent terminal = only(
      record("tool.execution_complete",
             R"("toolCallId":"c1","success":true,"result":{"content":"x","contents":)"
             R"([{"type":"terminal","text":"x","exitCode":3},{"type":"image","data":"iV"}]})"));
  CHECK(terminal.exit_code == 3);
  CHECK(terminal.images == 1);
  SeenEvent denied = only(record("tool.execution_complete",
                                 R"("toolCallId":"c1","success":false,"error":)"
                                 R"({"message":"rejected","code":"denied"})"));
  CHECK(denied.text == "rejected");
  CHECK(denied.is_error == true);
  CHECK(only(record("tool.execution_complete", R"("toolCallId":"c1","result":"plain")")).text
        == "plain");
  // What a command prints is no exit code.
  CHECK(!only(record("tool.execution_complete", R"("result":"ended with exit code 4")")).exit_code);
}

TEST_CASE("a session's tokens are the sum of its models, without what the cache served") {
  SeenEvent event = only(record(
      "session.shutdown",
      R"("modelMetrics":{"a":{"requests":{"count":1},"usage":{"inputTokens":100,)"
      R"("outputTokens":10,"cacheReadTokens":60,"cacheWriteTokens":5}},)"
      R"("b":{"usage":{"inputTokens":7,"outputTokens":2,"cacheReadTokens":0}}},"currentModel":"b")"));
  CHECK(event.line() == "meta/usage (session.shutdown)");
  CHECK(event.model == "b");
  REQUIRE(event.usage);
  CHECK(event.usage->input == 47);
  CHECK(event.usage->output == 12);
  CHECK(event.usage->cache_read == 60);
  CHECK(event.usage->cache_write == 5);
  CHECK(event.usage->is_total);
}

TEST_CASE("interrupts, rewinds, skills, compactions, state and what nobody knows") {
  std::string bytes =
      record("abort", R"("reason":"user initiated")")
      + record("session.snapshot_rewind", R"("upToEventId":"e9","eventsRemoved":3)")
      + record("skill.invoked", R"("name":"pdf","path":"/s","content":"# PDF")")
      + record("session.compaction_complete", R"("success":true,"summaryContent":"So far.")")
      + record("session.error", R"("errorType":"quota","message":"no more")")
      + record("subagent.failed", R"("agentName":"a","error":"gone")")
      + record("system.message", R"("role":"system","content":"You are")")
      + record("session.model_change", R"("newModel":"gpt-5.4")")
      + record("assistant.turn_start", R"("turnId":"0")")
      + record("permission.requested", R"("requestId":"r")")
      + record("tool.user_requested", R"("toolCallId":"c9","toolName":"bash","arguments":{"a":1})")
      + record("hologram.shown", R"("a":1)");
  std::vector<SeenEvent> events = read_events(Format::copilot, bytes);
  SeenEvents seen;
  seen.events = events;
  REQUIRE(seen.lines()
          == Lines{"user/interrupt (abort)",
                   "meta/rewind (session.snapshot_rewind)",
                   "meta/skill (skill.invoked) \"# PDF\"",
                   "meta/compaction (session.compaction_complete) \"So far.\"",
                   "meta/error (session.error) \"no more\"",
                   "meta/error (subagent.failed) \"gone\"",
                   "meta/instructions (system.message) \"You are\"",
                   "meta/model (session.model_change)",
                   "meta/state (assistant.turn_start)",
                   "meta/state (permission.requested)",
                   R"(user/command (bash) "{"a":1}")",
                   "meta/unknown (hologram.shown)"});
  CHECK(events[1].parent == "e9");
  CHECK(events[2].skill == "pdf");
  CHECK(events[7].model == "gpt-5.4");
}

TEST_CASE("a hostile list of calls stays small") {
  std::string calls = "{}";
  for (int i = 0; i < 20'000; ++i) {
    calls += ",{}";
  }
  CHECK(
      read_events(Format::copilot, record("assistant.message", R"("toolRequests":[)" + calls + "]"))
          .size()
      == 4096);
}

TEST_CASE("any prefix of Copilot's events and what follows are the whole") {
  std::string bytes =
      record("session.start", R"("sessionId":"s1")")
      + record("user.message", R"("content":"gl\u00fced")") + "broken{\n\n"
      + record("assistant.message", R"("content":"x","toolRequests":[{"toolCallId":"c"}])")
      + record("session.shutdown", R"("modelMetrics":{"a":{"usage":{}}})") + record("abort", "");
  bytes.pop_back();
  check_prefixes(Format::copilot, bytes);
}

TEST_CASE("a session of 28 records") {
  std::string bytes = file_text(std::string(UPSKILL_FIXTURES) + "/traces/copilot.jsonl");
  CHECK(trace::detect_format(bytes, true) == Format::copilot);
  std::vector<SeenEvent> events = read_events(Format::copilot, bytes);
  auto count = [&](EventKind kind, EventForm form) {
    return std::ranges::count_if(
        events, [&](const SeenEvent& one) { return one.kind == kind && one.form == form; });
  };
  CHECK(count(EventKind::user, EventForm::prompt) == 2);
  CHECK(count(EventKind::user, EventForm::interrupt) == 1);
  CHECK(count(EventKind::assistant, EventForm::text) == 4);
  CHECK(count(EventKind::assistant, EventForm::thinking) == 1);
  CHECK(count(EventKind::tool_call, EventForm::call) == 5);
  CHECK(count(EventKind::meta, EventForm::copy) == 5);
  CHECK(count(EventKind::tool_result, EventForm::result) == 5);
  CHECK(count(EventKind::meta, EventForm::usage) == 1);
  CHECK(count(EventKind::meta, EventForm::unknown) == 0);
}
