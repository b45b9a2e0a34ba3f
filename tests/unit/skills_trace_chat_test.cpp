#include "skills/trace/chat_words.h"
#include "tests/support/trace_events.h"

using namespace upskill;
using namespace upskill::tests;
using trace::EventForm;
using trace::EventKind;
using trace::exit_code_of_output;
using trace::Format;

TEST_CASE("a history of fast-agent: calls and results by their ids, thoughts in channels") {
  std::string bytes =
      R"({"messages":[{"role":"user","content":[{"type":"text","text":"Example"}],)"
      R"("is_template":true},{"role":"user","content":[{"type":"text","text":"Fix it"}]},)"
      R"({"role":"assistant","content":[{"type":"text","text":"Looking."}],"tool_calls":{"c1":)"
      R"({"method":"tools/call","params":{"name":"execute","arguments":{"command":"make"}}},)"
      R"("c2":{"params":{"name":"read","arguments":{}}}},"channels":{"reasoning":[{"type":"text",)"
      R"("text":"hm"}],"fast-agent-timing":[{"type":"text","text":"{}"}]},"stop_reason":)"
      R"("toolUse"},{"role":"user","content":[],"tool_results":{"c1":{"content":[{"type":"text",)"
      R"("text":"no rule\nprocess exit code was 2"}],"isError":true},"c2":{"content":[{"type":)"
      R"("resource","resource":{"uri":"a","text":"inner"}},{"type":"image","data":"x"}],)"
      R"("isError":false}}},{"role":"assistant","content":[{"type":"text","text":"Done"}],)"
      R"("stop_reason":"endTurn"},{"role":"assistant","content":[],"stop_reason":"cancelled"}]})";
  std::vector<SeenEvent> events = read_events(Format::fast_agent, bytes);
  SeenEvents seen;
  seen.events = events;
  CHECK(seen.lines()
        == std::vector<std::string>{"user/injected \"Example\"",
                                    "user/prompt \"Fix it\"",
                                    "assistant/text \"Looking.\"",
                                    R"(tool_call/call (execute) "{"command":"make"}")",
                                    R"(tool_call/call (read) "{}")",
                                    "assistant/thinking \"hm\"",
                                    "tool_result/result \"no rule\nprocess exit code was 2\"",
                                    "tool_result/result \"inner\"",
                                    "assistant/answer \"Done\"",
                                    "user/interrupt"});
  CHECK(events[3].call == "c1");
  CHECK(events[6].call == "c1");
  CHECK(events[6].is_error == true);
  CHECK(events[6].exit_code == 2);
  CHECK(events[7].call == "c2");
  CHECK(events[7].images == 1);
  check_prefixes(Format::fast_agent, bytes, 7);
}

TEST_CASE("chats of OpenAI and Anthropic, as a document, a list or lines") {
  std::string messages =
      R"([{"role":"system","content":"You are"},{"role":"user","content":"Fix it"},)"
      R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",)"
      R"("function":{"name":"shell","arguments":"{\"c\":1}"}}]},{"role":"tool",)"
      R"("tool_call_id":"c1","content":"ok"},{"role":"assistant","content":[{"type":"tool_use",)"
      R"("id":"t","name":"Read","input":{"p":2}}]},{"role":"user","content":[{"type":)"
      R"("tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"}],"is_error":true},)"
      R"({"type":"image_url","image_url":{}}]},{"role":"critic","content":"hm"}])";
  std::vector<std::string> expected{"meta/instructions \"You are\"",
                                    "user/prompt \"Fix it\"",
                                    R"(tool_call/call (shell) "{"c":1}")",
                                    "tool_result/result \"ok\"",
                                    R"(tool_call/call (Read) "{"p":2}")",
                                    "tool_result/result \"a\"",
                                    "user/prompt",
                                    "meta/text (critic) \"hm\""};
  CHECK(event_lines(Format::json, messages) == expected);
  CHECK(event_lines(Format::fast_agent, "{\"messages\":" + messages + "}") == expected);
  std::vector<SeenEvent> named = read_events(
      Format::json, R"({"id":"chat-1","title":"T","model":"m","messages":)" + messages + "}");
  REQUIRE(named.size() == expected.size() + 2);
  CHECK(named[8].line() == "meta/session");
  CHECK(named[8].session == "chat-1");
  CHECK(named[8].model == "m");
  CHECK(named[9].line() == "meta/title \"T\"");
  std::string lines = "{\"role\":\"user\",\"content\":\"one\"}\n"
                      "{\"id\":\"m2\",\"role\":\"assistant\",\"content\":\"two\"}\n";
  CHECK(event_lines(Format::json, lines)
        == std::vector<std::string>{"user/prompt \"one\"", "assistant/text \"two\""});
  CHECK(read_events(Format::json, lines)[1].id == "m2");
  check_prefixes(Format::json, lines);
  check_prefixes(Format::json, messages, 7);
}

TEST_CASE("lists of conversations, and JSON that is no conversation") {
  CHECK(event_lines(Format::json,
                    R"([{"id":"7","conversations":[{"from":"human","value":"Fix it"},)"
                    R"({"from":"gpt","value":"Done"}]}])")
        == std::vector<std::string>{
            "user/prompt \"Fix it\"", "assistant/text \"Done\"", "meta/session"});
  CHECK(event_lines(Format::json, "{\n \"a\": [1, {\"b\": \"\\n\"}]\n}\n")
        == std::vector<std::string>{"meta/text \"{\"a\":[1, {\"b\": \"\\n\"}]}\""});
  CHECK(event_lines(Format::json, R"({"role":7,"content":{"x":[]}})")
        == std::vector<std::string>{R"(meta/text "{"role":7,"content":{"x":[]}}")"});
  CHECK(event_lines(Format::json, "[1,\"a\"]")
        == std::vector<std::string>{"meta/unreadable \"broken JSON\"",
                                    "meta/unreadable \"broken JSON\""});
}

TEST_CASE("the code that a command ended with is in its last line, or its first") {
  CHECK(exit_code_of_output("Exit code 2\\nno rule") == 2);
  CHECK(exit_code_of_output("out\\n\\nCommand exited with code 137") == 137);
  CHECK(exit_code_of_output("out\nProcess exited with code 0\n") == 0);
  CHECK(exit_code_of_output("out\\nprocess exit code was -9\\n") == -9);
  CHECK(exit_code_of_output("[exit code: 3]") == 3);
  CHECK(!exit_code_of_output("a program exited with code 2 here"));
  CHECK(!exit_code_of_output("as the manual says, it exited with code 2"));
  CHECK(!exit_code_of_output("Command exited with code 2\\nand then more"));
  CHECK(!exit_code_of_output("Command exited with code 99999999999"));
  CHECK(!exit_code_of_output("Command exited with code "));
  CHECK(!exit_code_of_output(""));
}

TEST_CASE("what stands in a person's place and is no person's") {
  using trace::form_of_user_words;
  CHECK(form_of_user_words("Fix it") == EventForm::prompt);
  CHECK(form_of_user_words("\\n<environment_context>\\n") == EventForm::injected);
  CHECK(form_of_user_words("# AGENTS.md instructions for /a") == EventForm::instructions);
  CHECK(form_of_user_words("<skill name=\\\"pdf\\\">") == EventForm::skill);
  CHECK(form_of_user_words("<turn_aborted>") == EventForm::interrupt);
  CHECK(form_of_user_words("<command-name>/clear</command-name>") == EventForm::command);
}

TEST_CASE("blanks and their escapes are no part of a text") {
  CHECK(trace::trim_raw("\\n \\t a\\nb \\r\\n\n") == "a\\nb");
  CHECK(trace::trim_raw("a\\\\n") == "a\\\\n"); // a backslash and an n
  CHECK(trace::trim_raw("\\n\\n").empty());
  CHECK(trace::trim_raw("").empty());
}

TEST_CASE(
    "a record of more events than memory is for is told as unreadable, and the next is read") {
  auto list = [](const std::string& element) {
    std::string all = "[" + element;
    for (int i = 0; i < 20'000; ++i) {
      all += "," + element;
    }
    return all + "]";
  };
  auto objects = [](const std::string& member) {
    std::string all = "{" + member;
    for (int i = 0; i < 20'000; ++i) {
      all += "," + member;
    }
    return all + "}";
  };
  std::string next = R"({"role":"user","content":"next"})";
  for (const std::string& members :
       {"\"content\":" + list("{}"),
        "\"tool_calls\":" + list("{}"),
        "\"tool_calls\":" + objects(R"("a":{})"),
        "\"tool_results\":" + objects(R"("a":{})"),
        "\"channels\":" + objects(R"("reasoning":[])"),
        objects(R"("reasoning":"x")").substr(1, objects(R"("reasoning":"x")").size() - 2)}) {
    CAPTURE(members.substr(0, 20));
    CHECK(event_lines(Format::json, R"([{"role":"assistant",)" + members + "}," + next + "]")
          == std::vector<std::string>{"meta/unreadable \"broken JSON\"", "user/prompt \"next\""});
  }
}
