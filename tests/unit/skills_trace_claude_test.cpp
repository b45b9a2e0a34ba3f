#include "tests/support/trace_events.h"

using namespace upskill;
using namespace upskill::tests;
using trace::EventForm;
using trace::EventKind;
using trace::Format;

namespace {

// The envelope that Claude Code 2.1 writes, around what a record says.
std::string record(const std::string& type, const std::string& rest, const std::string& id = "u1") {
  return R"({"parentUuid":"p0","isSidechain":false,"userType":"external","cwd":"/home/ada/app",)"
         R"("sessionId":"s1","version":"2.1.218","gitBranch":"main","type":")"
         + type + "\"," + rest + R"(,"uuid":")" + id
         + R"(","timestamp":"2026-07-01T10:00:00.250Z"})" + "\n";
}

std::string user(const std::string& text, const std::string& marks = "") {
  return record("user", R"("message":{"role":"user","content":")" + text + "\"}" + marks);
}

std::string assistant(const std::string& blocks, const std::string& id = "u2") {
  return record("assistant",
                R"("message":{"model":"claude-opus-4-6","id":"msg_1","type":"message",)"
                R"("role":"assistant","content":[)"
                    + blocks
                    + R"(],"stop_reason":null,"usage":{"input_tokens":3,)"
                      R"("cache_creation_input_tokens":100,"cache_read_input_tokens":2000,)"
                      R"("output_tokens":8}},"requestId":"req_1")",
                id);
}

EventForm form_of(const std::string& text, const std::string& marks = "") {
  std::vector<SeenEvent> events = read_events(Format::claude, user(text, marks));
  REQUIRE(events.size() == 1);
  REQUIRE(events[0].kind == EventKind::user);
  return events[0].form;
}

} // namespace

TEST_CASE("a prompt has its envelope, and says where it stands") {
  std::string first = user("Fix the build", R"(,"origin":{"kind":"human"},"promptId":"t1")");
  std::vector<SeenEvent> events =
      read_events(Format::claude, first + user("And the tests\\nplease"));
  REQUIRE(events.size() == 2);
  const SeenEvent& event = events[0];
  CHECK(event.kind == EventKind::user);
  CHECK(event.form == EventForm::prompt);
  CHECK(event.text == "Fix the build");
  CHECK(event.id == "u1");
  CHECK(event.parent == "p0");
  CHECK(event.session == "s1");
  CHECK(event.turn == "t1");
  CHECK(event.cwd == "/home/ada/app");
  CHECK(event.branch == "main");
  CHECK(event.version == "2.1.218");
  CHECK(event.time_ms == 1782900000250); // date -ud 2026-07-01T10:00:00Z +%s
  CHECK(event.offset == 0);
  CHECK(event.length == first.size() - 1);
  CHECK(events[1].offset == first.size());
  CHECK(events[1].text == "And the tests\nplease");
}

TEST_CASE("what is of type user is mostly no person") {
  CHECK(form_of("[Request interrupted by user]") == EventForm::interrupt);
  CHECK(form_of("<command-name>/clear</command-name>") == EventForm::command);
  CHECK(form_of("<local-command-stdout>ok</local-command-stdout>") == EventForm::injected);
  CHECK(form_of("<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>") == EventForm::injected);
  CHECK(form_of("<bash-input>make</bash-input>") == EventForm::command);
  CHECK(form_of("<task-notification>done") == EventForm::injected);
  CHECK(form_of("This session is being continued from a previous") == EventForm::summary);
  CHECK(form_of("anything", R"(,"isCompactSummary":true)") == EventForm::summary);
  CHECK(form_of("remember this", R"(,"isMeta":true)") == EventForm::injected);
  CHECK(form_of("done", R"(,"origin":{"kind":"task-notification"})") == EventForm::injected);
  CHECK(form_of("by a program", R"(,"promptSource":"system")") == EventForm::injected);
  CHECK(form_of("through the SDK", R"(,"promptSource":"sdk")") == EventForm::prompt);
  CHECK(form_of("mine", R"(,"promptSource":"typed","isMeta":true)") == EventForm::prompt);
}

TEST_CASE("the text of a skill is told from a person's words, with its name") {
  std::vector<SeenEvent> events = read_events(
      Format::claude,
      user("Base directory for this skill: /home/ada/.claude/skills/pdf-forms\\n\\n# PDF",
           R"(,"isMeta":true)"));
  REQUIRE(events.size() == 1);
  CHECK(events[0].form == EventForm::skill);
  CHECK(events[0].skill == "pdf-forms");
}

TEST_CASE("one answer in several records repeats its id and its tokens") {
  std::string bytes = assistant(R"({"type":"thinking","thinking":"hm","signature":"xx"})")
                      + assistant(R"({"type":"text","text":"I will look."})", "u3");
  std::vector<SeenEvent> events = read_events(Format::claude, bytes);
  REQUIRE(events.size() == 2);
  CHECK(events[0].form == EventForm::thinking);
  CHECK(events[1].form == EventForm::text);
  for (const SeenEvent& event : events) {
    CHECK(event.kind == EventKind::assistant);
    CHECK(event.message == "msg_1/req_1");
    CHECK(event.model == "claude-opus-4-6");
    REQUIRE(event.usage);
    CHECK(event.usage->input == 3);
    CHECK(event.usage->cache_write == 100);
    CHECK(event.usage->cache_read == 2000);
    CHECK(event.usage->output == 8);
  }
}

TEST_CASE("a tool's call and its result") {
  std::string bytes =
      assistant(R"({"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"make"}},)"
                R"({"type":"tool_use","id":"toolu_2","name":"Skill","input":{"skill":"pdf"}})")
      + record(
          "user",
          R"("message":{"role":"user","content":[{"tool_use_id":"toolu_1",)"
          R"("type":"tool_result","content":"Exit code 2\nmake: *** no rule","is_error":true},)"
          R"({"tool_use_id":"toolu_2","type":"tool_result","content":[{"type":"text",)"
          R"("text":"one"},{"type":"image","source":{"data":"iVBOR"}},{"type":"text","text":"two"}]}]},)"
          R"("toolUseResult":{"stdout":"a second copy","content":[{"type":"text"}]})");
  std::vector<SeenEvent> events = read_events(Format::claude, bytes);
  REQUIRE(events.size() == 4);
  CHECK(events[0].line() == R"(tool_call/call (Bash) "{"command":"make"}")");
  CHECK(events[0].call == "toolu_1");
  CHECK(events[1].skill == "pdf");
  CHECK(events[2].line() == "tool_result/result \"Exit code 2\nmake: *** no rule\"");
  CHECK(events[2].call == "toolu_1");
  CHECK(events[2].is_error == true);
  CHECK(events[2].exit_code == 2);
  CHECK(events[3].text == "one\ntwo");
  CHECK(events[3].images == 1);
  CHECK(!events[3].is_error);
}

TEST_CASE("words typed in the middle of a turn stand in an attachment") {
  std::string bytes =
      record(
          "attachment",
          R"("attachment":{"type":"queued_command","prompt":"use ninja","commandMode":"prompt"})")
      + record("attachment", R"("attachment":{"type":"hook_success","content":"lint ok"})")
      + record("attachment", R"("attachment":{"type":"skill_listing","content":"- pdf: forms"})");
  CHECK(event_lines(Format::claude, bytes)
        == std::vector<std::string>{"user/prompt (queued_command) \"use ninja\"",
                                    "meta/injected (hook_success) \"lint ok\"",
                                    "meta/skill (skill_listing) \"- pdf: forms\""});
}

TEST_CASE("state, titles and what nobody knows") {
  std::string bytes =
      record("progress", R"("data":{"type":"bash_progress","message":{"content":"x"}})")
      + "{\"type\":\"summary\",\"summary\":\"Build fixed\",\"leafUuid\":\"u9\"}\n"
      + record("system", R"("subtype":"compact_boundary","content":"Conversation compacted")")
      + record("system", R"("subtype":"turn_duration","durationMs":12)")
      + record("hologram", R"("data":1)");
  CHECK(event_lines(Format::claude, bytes)
        == std::vector<std::string>{"meta/state (progress)",
                                    "meta/title (summary) \"Build fixed\"",
                                    "meta/compaction (compact_boundary) \"Conversation compacted\"",
                                    "meta/state (turn_duration)",
                                    "meta/unknown (hologram)"});
}

TEST_CASE("two documents on one line, a cut line and garbage between good ones") {
  std::string one = user("one");
  one.pop_back();
  std::string two = user("two");
  std::string cut = user("cut").substr(0, 150) + "\n";
  std::string bytes = one + two + cut + "garbage\n\n" + std::string(3, '\0') + user("three");
  std::vector<SeenEvent> events = read_events(Format::claude, bytes);
  SeenEvents seen;
  seen.events = events;
  CHECK(seen.lines()
        == std::vector<std::string>{"user/prompt \"one\"",
                                    "user/prompt \"two\"",
                                    "meta/unreadable \"broken JSON\"",
                                    "meta/unreadable \"broken JSON\"",
                                    "user/prompt \"three\""});
  CHECK(events[1].offset == one.size());
  CHECK(events[2].offset == one.size() + two.size());
  // A whole object before one that was cut off.
  CHECK(event_lines(Format::claude, one + cut)
        == std::vector<std::string>{"user/prompt \"one\"", "meta/unreadable \"broken JSON\""});
}

TEST_CASE("bytes that are no UTF-8 are replaced, and half a surrogate pair is") {
  CHECK(event_lines(Format::claude,
                    user("a\xFF"
                         "b"))
        == std::vector<std::string>{"user/prompt \"a\xEF\xBF\xBD"
                                    "b\""});
  CHECK(event_lines(Format::claude, user("a\\ud83d b"))
        == std::vector<std::string>{"user/prompt \"a\xEF\xBF\xBD b\""});
  CHECK(event_lines(Format::claude, user("\\ud83d\\ude00"))
        == std::vector<std::string>{"user/prompt \"\xF0\x9F\x98\x80\""});
}

TEST_CASE("a line of 20 MB keeps what it says, and the start of its long strings") {
  std::string image(20u << 20, 'A');
  std::string bytes =
      record("user",
             R"("message":{"role":"user","content":[{"type":"image","source":{"data":")" + image
                 + R"("}},{"type":"text","text":"what is \"this\"?"}]})");
  std::string all = user("before") + bytes + user("after");
  std::vector<SeenEvent> events = read_events(Format::claude, all);
  REQUIRE(events.size() == 4);
  CHECK(events[1].images == 1);
  CHECK(events[2].text == "what is \"this\"?");
  CHECK(events[2].offset == events[0].length + 1);
  CHECK(events[2].length == bytes.size() - 1);
  CHECK(events[3].text == "after");
  CHECK(events[3].offset == all.size() - user("after").size());
}

TEST_CASE("any prefix and what follows are the whole") {
  std::string one = user("gl\\u00fced");
  one.pop_back();
  std::string bytes = user("first") + one + user("second")
                      + assistant(R"({"type":"text","text":"ok"},{"type":"tool_use","id":"t",)"
                                  R"("name":"Read","input":{"file_path":"/a/b"}})")
                      + "broken{\n\n" + user("last");
  bytes.pop_back(); // the last line has no end yet
  check_prefixes(Format::claude, bytes);
}
