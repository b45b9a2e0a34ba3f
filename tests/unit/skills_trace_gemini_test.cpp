#include "tests/support/temporary_folder.h"
#include "tests/support/trace_events.h"

#include <algorithm>

using namespace upskill;
using namespace upskill::tests;
using trace::EventForm;
using trace::EventKind;
using trace::Format;

namespace {

const std::string k_head =
    R"({"sessionId":"s1","projectHash":"9f2b","startTime":"2026-07-01T10:00:00.250Z",)"
    R"("lastUpdated":"2026-07-01T10:05:00Z","kind":"main","directories":["/home/ada/app","/b"]})"
    "\n";

std::string message(const std::string& type, const std::string& members) {
  return R"({"id":"m1","timestamp":"2026-07-01T10:00:01Z","type":")" + type + "\"," + members
         + "}\n";
}

std::string gemini(const std::string& members) {
  return message("gemini", members + R"(,"model":"gemini-3-pro")");
}

std::string call(const std::string& members) {
  return gemini(R"("content":"","toolCalls":[{"id":"c1","name":"run_shell_command",)"
                R"("args":{"command":"make"},)"
                + members + "}]");
}

std::string response(const std::string& text, const std::string& key = "output") {
  return R"([{"functionResponse":{"id":"c1","name":"run_shell_command","response":{")" + key
         + R"(":")" + text + R"("}}}])";
}

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& bytes) {
  return event_lines(Format::gemini, bytes);
}

SeenEvent only(const std::string& bytes) {
  std::vector<SeenEvent> events = read_events(Format::gemini, bytes);
  REQUIRE(events.size() == 1);
  return events[0];
}

} // namespace

TEST_CASE("the first line of a session says whose it is, and titles come later") {
  SeenEvent head = only(k_head);
  CHECK(head.line() == "meta/session");
  CHECK(head.session == "s1");
  CHECK(head.cwd == "/home/ada/app");
  CHECK(head.time_ms == 1782900000250);
  CHECK(!head.is_sidechain);
  CHECK(only(R"({"sessionId":"s2","projectHash":"9","kind":"subagent"})").is_sidechain);
  CHECK(lines_of(R"({"$set":{"lastUpdated":"2026-07-01T10:00:00Z"}})"
                 "\n"
                 R"({"$set":{"summary":"The build"}})"
                 "\n"
                 R"({"$set":{"sessionId":"s3"}})")
        == Lines{"meta/state ($set)", "meta/title \"The build\"", "meta/session ($set)"});
}

TEST_CASE("a rewind takes back the message that it names") {
  SeenEvent rewind = only(R"({"$rewindTo":"m7"})");
  CHECK(rewind.line() == "meta/rewind ($rewindTo)");
  CHECK(rewind.parent == "m7");
}

TEST_CASE("what is of type user may be files, commands and context") {
  SeenEvent prompt = only(message("user", R"("content":"Fix the build")"));
  CHECK(prompt.line() == "user/prompt \"Fix the build\"");
  CHECK(prompt.id == "m1");
  CHECK(prompt.time_ms == 1782900001000);
  CHECK(lines_of(message("user",
                         R"("content":[{"text":"Explain @a.h"},)"
                         R"({"text":"\n--- Content from referenced files ---"},)"
                         R"({"text":"int a;"},{"inlineData":{"data":"iVBOR"}}])"))
        == Lines{"user/prompt \"Explain @a.h\"",
                 "user/injected \"\n--- Content from referenced files ---\nint a;\""});
  CHECK(lines_of(message("user", R"("content":[{"text":"filled in"}],"displayContent":"@a.h ok?")"))
        == Lines{"user/prompt \"@a.h ok?\"", "user/injected \"filled in\""});
  CHECK(only(message("user", R"("content":"<session_context>\nhere")")).form
        == EventForm::injected);
  CHECK(only(message("user", R"("content":"/chat save x")")).form == EventForm::command);
  CHECK(only(message("user", R"("content":"/home/ada is gone")")).form == EventForm::prompt);
  CHECK(only(message("user", R"("content":"<state_snapshot>")")).form == EventForm::summary);
  // A tool's result stands at its call.
  CHECK(only(message("user", "\"content\":" + response("x"))).line()
        == "meta/copy (functionResponse) \"x\"");
}

TEST_CASE("an answer has thoughts, words, calls, a model and tokens") {
  std::vector<SeenEvent> events = read_events(
      Format::gemini,
      gemini(
          R"("content":[{"text":"hm","thought":true},{"text":"I build."}],)"
          R"("thoughts":[{"subject":"Build","description":"First."}],)"
          R"("tokens":{"input":1000,"output":50,"cached":700,"thoughts":20,"tool":5,"total":1075},)"
          R"("toolCalls":[{"id":"c1","name":"read_file","args":{"path":"a"},)"
          R"("status":"executing"}])"));
  SeenEvents seen;
  seen.events = events;
  REQUIRE(seen.lines()
          == Lines{"assistant/thinking \"Build\nFirst.\nhm\"",
                   "assistant/text \"I build.\"",
                   R"(tool_call/call (read_file) "{"path":"a"}")"});
  for (const SeenEvent& event : events) {
    CHECK(event.message == "m1");
    CHECK(event.model == "gemini-3-pro");
  }
  REQUIRE(events[0].usage);
  CHECK(events[0].usage->input == 305);
  CHECK(events[0].usage->cache_read == 700);
  CHECK(events[0].usage->output == 70);
  CHECK(!events[0].usage->is_total);
  CHECK(!events[1].usage);
}

TEST_CASE("a tool's result tells how it went") {
  std::string text = R"(Command: make\nOutput: \nExit Code: 5\nError: no rule\nExit Code: 2\n)"
                     R"(Signal: (none)\nBackground PIDs: (none))";
  std::vector<SeenEvent> events =
      read_events(Format::gemini, call(R"("status":"success","result":)" + response(text)));
  REQUIRE(events.size() == 2);
  CHECK(events[1].kind == EventKind::tool_result);
  CHECK(events[1].call == "c1");
  CHECK(events[1].exit_code == 2);
  CHECK(events[1].is_error == false);
  events = read_events(Format::gemini,
                       call(R"("status":"error","result":)" + response("no such tool", "error")));
  REQUIRE(events.size() == 2);
  CHECK(events[1].text == "no such tool");
  CHECK(events[1].is_error == true);
  CHECK(!events[1].exit_code);
  events = read_events(Format::gemini,
                       call(R"("status":"cancelled","result":null,"resultDisplay":"cancelled")"));
  REQUIRE(events.size() == 2);
  CHECK(events[1].text == "cancelled");
  CHECK(events[1].is_error == true);
  // It still runs: the message is written again when it is done.
  CHECK(read_events(Format::gemini, call(R"("status":"executing","result":null)")).size() == 1);
}

TEST_CASE("an exit code far from the end is a command's own words") {
  std::string text = R"(Output: \nExit Code: 3\n)" + std::string(500, 'x');
  std::vector<SeenEvent> events =
      read_events(Format::gemini, call(R"("status":"success","result":)" + response(text)));
  REQUIRE(events.size() == 2);
  CHECK(!events[1].exit_code);
}

TEST_CASE("messages of the program: an interrupt, errors, the rest") {
  CHECK(lines_of(message("info", R"("content":"Request cancelled.")")
                 + message("info", R"("content":"Update available")")
                 + message("warning", R"("content":"slow")")
                 + message("error", R"("content":[{"text":"quota"}])")
                 + message("hologram", R"("content":"x")") + "{\"a\":1}\n")
        == Lines{"user/interrupt (info)",
                 "meta/state (info)",
                 "meta/state (warning)",
                 "meta/error (error) \"quota\"",
                 "meta/unknown (hologram)",
                 "meta/unknown"});
}

TEST_CASE("a history that is set whole is a copy of its messages") {
  std::string bytes =
      R"({"$set":{"messages":[{"id":"m1","type":"user","content":[{"text":"Fix it"}]},)"
      R"({"id":"m2","type":"gemini","content":[{"text":"hm","thought":true},{"text":"Done."}],)"
      R"("toolCalls":[{"id":"c1"}]}],"lastUpdated":"2026-07-01T10:00:00Z"}})";
  std::vector<SeenEvent> events = read_events(Format::gemini, bytes);
  SeenEvents seen;
  seen.events = events;
  REQUIRE(seen.lines() == Lines{"meta/copy (user) \"Fix it\"", "meta/copy (gemini) \"Done.\""});
  CHECK(events[0].message == "m1");
  CHECK(events[1].message == "m2");
}

TEST_CASE("the document of before has the same messages, and its head last") {
  std::string bytes = R"({
  "sessionId": "s1",
  "projectHash": "9f2b",
  "startTime": "2026-07-01T10:00:00.250Z",
  "messages": [
    {"id": "m1", "type": "user", "content": "Fix the build"},
    {"id": "m2", "type": "gemini", "content": "Done.", "model": "gemini-2.5-pro"}
  ],
  "summary": "The build"
})";
  CHECK(trace::detect_format(bytes, true) == Format::gemini_document);
  std::vector<SeenEvent> events = read_events(Format::gemini_document, bytes);
  SeenEvents seen;
  seen.events = events;
  REQUIRE(seen.lines()
          == Lines{"user/prompt \"Fix the build\"",
                   "assistant/text \"Done.\"",
                   "meta/session",
                   "meta/title \"The build\""});
  CHECK(events[2].session == "s1");
}

TEST_CASE("hostile lists of Gemini's stay small") {
  std::string parts = "\"\"";
  std::string calls = "{}";
  for (int i = 0; i < 20'000; ++i) {
    parts += ",\"\"";
    calls += ",{}";
  }
  CHECK(read_events(Format::gemini, message("user", "\"content\":[" + parts + "]")).size() == 1);
  CHECK(read_events(Format::gemini, gemini(R"("content":"","toolCalls":[)" + calls + "]")).size()
        == 4096);
}

TEST_CASE("any prefix of Gemini's lines and what follows are the whole") {
  std::string bytes = k_head + message("user", R"("content":[{"text":"gl\u00fced"}])")
                      + call(R"("status":"success","result":)" + response("ok"))
                      + "{\"$rewindTo\":\"m1\"}\nbroken{\n\n"
                      + R"({"$set":{"messages":[{"type":"user","content":"x"}]}})"
                        "\n"
                      + message("info", R"("content":"Request cancelled.")");
  bytes.pop_back();
  check_prefixes(Format::gemini, bytes);
}

TEST_CASE("a session of 25 records") {
  std::string bytes = file_text(std::string(UPSKILL_FIXTURES) + "/traces/gemini.jsonl");
  CHECK(trace::detect_format(bytes, true) == Format::gemini);
  std::vector<SeenEvent> events = read_events(Format::gemini, bytes);
  auto count = [&](EventKind kind, EventForm form) {
    return std::ranges::count_if(
        events, [&](const SeenEvent& one) { return one.kind == kind && one.form == form; });
  };
  CHECK(count(EventKind::user, EventForm::prompt) == 3); // one is taken back
  CHECK(count(EventKind::user, EventForm::injected) == 1);
  CHECK(count(EventKind::user, EventForm::interrupt) == 1);
  CHECK(count(EventKind::meta, EventForm::rewind) == 1);
  CHECK(count(EventKind::meta, EventForm::title) == 1);
  CHECK(count(EventKind::meta, EventForm::unknown) == 0);
  // One message was written three times: with words, with a call, with its result.
  CHECK(count(EventKind::assistant, EventForm::text) == 6);
  CHECK(count(EventKind::tool_call, EventForm::call) == 7);
  CHECK(count(EventKind::tool_result, EventForm::result) == 6);
}
