#include "tests/support/trace_events.h"

using namespace upskill;
using namespace upskill::tests;
using trace::EventForm;
using trace::EventKind;
using trace::Format;

namespace {

std::string document(const std::string& messages, const std::string& info = "") {
  return R"({"info":{"id":"ses_1","version":"1.2.15","directory":"/home/ada/app","title":"Fix it")"
         + info + R"(,"time":{"created":1782900000000,"updated":1782900005000}},"messages":[)"
         + messages + "]}\n";
}

std::string user(const std::string& parts) {
  return R"({"info":{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":)"
         R"(1782900000250},"summary":{"diffs":[]},"model":{"providerID":"a","modelID":"m"}},)"
         R"("parts":[)"
         + parts + "]}";
}

std::string assistant(const std::string& parts, const std::string& marks = "") {
  return R"({"info":{"id":"msg_2","sessionID":"ses_1","role":"assistant","parentID":"msg_1",)"
         R"("modelID":"claude-sonnet-4-5","path":{"cwd":"/home/ada/app/sub","root":"/"},)"
         R"("time":{"created":1782900001000},"cost":0.5,"tokens":{"input":10,"output":20,)"
         R"("reasoning":5,"cache":{"read":300,"write":40}})"
         + marks + R"(},"parts":[)" + parts + "]}";
}

std::string part(const std::string& type, const std::string& rest = "") {
  return R"({"id":"prt_1","sessionID":"ses_1","messageID":"msg_1","type":")" + type + "\"" + rest
         + "}";
}

std::vector<std::string> lines(const std::string& messages) {
  std::vector<std::string> all = event_lines(Format::opencode, document(messages));
  REQUIRE(all.size() >= 2);
  CHECK(all[all.size() - 2] == "meta/session");
  CHECK(all.back() == "meta/title \"Fix it\"");
  all.resize(all.size() - 2);
  return all;
}

} // namespace

TEST_CASE("an answer of OpenCode has its envelope, its model and its tokens") {
  std::string message = assistant(part("text", R"(,"text":"Looking.\n")"));
  std::string bytes = document(message);
  std::vector<SeenEvent> events = read_events(Format::opencode, bytes);
  REQUIRE(events.size() == 3);
  const SeenEvent& event = events[0];
  CHECK(event.line() == "assistant/text \"Looking.\n\"");
  CHECK(event.id == "msg_2");
  CHECK(event.parent == "msg_1");
  CHECK(event.session == "ses_1");
  CHECK(event.message == "msg_2");
  CHECK(event.model == "claude-sonnet-4-5");
  CHECK(event.cwd == "/home/ada/app/sub");
  CHECK(event.time_ms == 1782900001000);
  CHECK(event.offset == bytes.find(message));
  CHECK(event.length == message.size());
  REQUIRE(event.usage);
  CHECK(event.usage->input == 10);
  CHECK(event.usage->output == 25); // reasoning is counted beside it
  CHECK(event.usage->cache_read == 300);
  CHECK(event.usage->cache_write == 40);
  CHECK(event.usage->cost == 0.5);
  CHECK(!event.usage->is_total);
}

TEST_CASE("the head of an export, of a helper too") {
  std::vector<SeenEvent> events =
      read_events(Format::opencode, document("", R"(,"parentID":"ses_0")"));
  REQUIRE(events.size() == 2);
  CHECK(events[0].form == EventForm::session);
  CHECK(events[0].session == "ses_1");
  CHECK(events[0].parent == "ses_0");
  CHECK(events[0].is_sidechain);
  CHECK(events[0].cwd == "/home/ada/app");
  CHECK(events[0].version == "1.2.15");
  CHECK(events[0].time_ms == 1782900000000);
}

TEST_CASE("a tool's part is its call, and its result once there is one") {
  std::string tool = R"(,"callID":"c1","tool":"bash","state":)";
  std::string messages =
      assistant(part("tool",
                     tool
                         + R"({"status":"completed","input":{"command":"make"},"output":"no rule",)"
                           R"("metadata":{"exit":2,"output":"no"}})"))
      + ","
      + assistant(part("tool", tool + R"({"status":"error","input":{},"error":"no such file"})"))
      + ","
      + assistant(part("tool", tool + R"({"status":"running","input":{"command":"sleep 9"}})"));
  std::vector<SeenEvent> events = read_events(Format::opencode, document(messages));
  REQUIRE(events.size() == 7);
  CHECK(events[0].line() == R"(tool_call/call (bash) "{"command":"make"}")");
  CHECK(events[1].line() == R"(tool_result/result (bash) "no rule")");
  CHECK(events[1].call == "c1");
  CHECK(events[1].is_error == false);
  CHECK(events[1].exit_code == 2);
  CHECK(events[3].text == "no such file");
  CHECK(events[3].is_error == true);
  CHECK(!events[3].exit_code);
  CHECK(events[4].kind == EventKind::tool_call); // and nothing came of it
  CHECK(events[5].form == EventForm::session);
}

TEST_CASE("what OpenCode put among a person's words is told from them") {
  CHECK(lines(user(part("text", R"(,"text":"Fix it")") + ","
                   + part("text", R"(,"synthetic":true,"text":"Called the Read tool")") + ","
                   + part("text", R"(,"text":"<system-reminder>plan</system-reminder>")") + ","
                   + part("file", R"(,"mime":"image/png","filename":"a.png","url":"data:")") + ","
                   + part("file", R"(,"mime":"text/plain","filename":"a.cpp","url":"file:")") + ","
                   + part("subtask", R"(,"prompt":"look","agent":"explore")") + ","
                   + part("agent", R"(,"name":"explore")") + "," + part("compaction")))
        == std::vector<std::string>{"user/prompt \"Fix it\"",
                                    "user/injected \"Called the Read tool\"",
                                    "user/injected \"<system-reminder>plan</system-reminder>\"",
                                    "user/prompt (file) \"a.png\"",
                                    "user/injected (file) \"a.cpp\"",
                                    "user/command (subtask) \"look\"",
                                    "meta/state (agent)",
                                    "meta/compaction"});
}

TEST_CASE("steps, patches, thoughts, what nobody knows, and the last words of a turn") {
  CHECK(lines(assistant(part("step-start") + "," + part("reasoning", R"(,"text":"hm")") + ","
                            + part("text", R"(,"text":"one")") + ","
                            + part("text", R"(,"text":"two")") + "," + part("patch") + ","
                            + part("step-finish", R"(,"tokens":{"input":1})") + ","
                            + part("hologram"),
                        R"(,"finish":"stop")"))
        == std::vector<std::string>{"meta/state (step-start)",
                                    "assistant/thinking \"hm\"",
                                    "assistant/text \"one\"",
                                    "assistant/answer \"two\"",
                                    "meta/state (patch)",
                                    "meta/state (step-finish)",
                                    "meta/unknown (hologram)"});
}

TEST_CASE("an answer that was stopped, one that failed, and what a compaction left") {
  CHECK(lines(assistant("", R"(,"error":{"name":"MessageAbortedError","data":{"message":"no"}})"))
        == std::vector<std::string>{"meta/usage", "user/interrupt (MessageAbortedError) \"no\""});
  CHECK(lines(assistant("", R"(,"error":{"name":"APIError","data":{"message":"503"}})"))
        == std::vector<std::string>{"meta/usage", "meta/error (APIError) \"503\""});
  CHECK(lines(assistant(part("text", R"(,"text":"All so far")"), R"(,"summary":true)"))
        == std::vector<std::string>{"user/summary \"All so far\""});
}

TEST_CASE("the skill that OpenCode loads is named") {
  std::vector<SeenEvent> events = read_events(
      Format::opencode,
      document(assistant(part("tool",
                              R"(,"callID":"c","tool":"skill","state":{"status":"completed",)"
                              R"("input":{"name":"pdf-forms"},"output":"# PDF"})"))));
  REQUIRE(events.size() == 4);
  CHECK(events[0].skill == "pdf-forms");
  CHECK(events[1].skill == "pdf-forms");
}

TEST_CASE("an export that is cut off has what was whole, and any prefix goes on well") {
  std::string bytes = document(user(part("text", R"(,"text":"a\ud83d\ude00")")) + ","
                               + assistant(part("text", R"(,"text":"]}")")) + ",7,{\"info\":");
  std::vector<std::string> all =
      event_lines(Format::opencode, std::string_view(bytes).substr(0, bytes.size() - 3));
  REQUIRE(all.size() >= 3);
  CHECK(all[0] == "user/prompt \"a\xF0\x9F\x98\x80\"");
  CHECK(all[1] == "assistant/text \"]}\"");
  CHECK(all[2] == "meta/unreadable \"broken JSON\"");
  check_prefixes(Format::opencode, bytes, 3);
}
