#include "tests/support/trace_events.h"

using namespace upskill;
using namespace upskill::tests;
using trace::EventForm;
using trace::EventKind;
using trace::Format;

namespace {

std::string message(const std::string& rest) {
  return R"({"type":"message","message":{)" + rest + "}}\n";
}

std::string atif(const std::string& steps, const std::string& rest = "") {
  return R"({"schema_version":"ATIF-v1.7","session_id":"s-1","agent":{"name":"claude-code",)"
         R"("version":"2.1.218","model_name":"m"},"steps":[)"
         + steps + "]" + rest + "}";
}

std::string step(const std::string& source, const std::string& rest) {
  return R"({"step_id":4,"timestamp":"2026-07-01T10:00:00Z","source":")" + source + "\"," + rest
         + "}";
}

} // namespace

TEST_CASE("STS: a head, and messages of all roles") {
  std::string bytes =
      "{\"type\":\"session\",\"harness\":\"codex\",\"id\":\"s-1\",\"name\":\"Build fixed\"}\n"
      + message(R"("role":"system","content":"You are")")
      + message(R"("role":"user","content":"Fix it","timestamp":1782900000250)")
      + message(
          R"("role":"assistant","content":"","reasoningContent":"hm","toolCalls":[{"id":"c1",)"
          R"("function":{"name":"shell","arguments":"{\"command\":\"make\"}"}}],"model":"m")")
      + message(R"("role":"tool","toolCallId":"c1","content":"Exit code 2\nno rule")")
      + "{\"type\":\"hologram\"}\n";
  std::vector<SeenEvent> events = read_events(Format::sts, bytes);
  SeenEvents seen;
  seen.events = events;
  CHECK(seen.lines()
        == std::vector<std::string>{"meta/session",
                                    "meta/title \"Build fixed\"",
                                    "meta/instructions \"You are\"",
                                    "user/prompt \"Fix it\"",
                                    "assistant/thinking \"hm\"",
                                    R"(tool_call/call (shell) "{"command":"make"}")",
                                    "tool_result/result \"Exit code 2\nno rule\"",
                                    "meta/unknown (hologram)"});
  CHECK(events[0].session == "s-1");
  CHECK(events[0].harness == "codex");
  CHECK(events[0].id.empty());
  CHECK(events[3].time_ms == 1782900000250);
  CHECK(events[5].model == "m");
  CHECK(events[5].call == "c1");
  CHECK(events[6].call == "c1");
  CHECK(events[6].exit_code == 2);
  CHECK(!events[6].is_error); // it does not tell
  check_prefixes(Format::sts, bytes, 3);
}

TEST_CASE("ATIF: a step of the agent has thoughts, words, calls, results and metrics") {
  std::vector<SeenEvent> events = read_events(
      Format::atif,
      atif(step("agent",
                R"("model_name":"m2","message":"Looking.","reasoning_content":"hm","tool_calls":[)"
                R"({"tool_call_id":"c1","function_name":"shell","arguments":{"command":"make"}}],)"
                R"("observation":{"results":[{"source_call_id":"c1","content":[{"type":"text",)"
                R"("text":"no"},{"type":"image","source":{}},{"type":"text","text":"rule"}],)"
                R"("extra":{"is_error":true,"exit_code":2}}]},"metrics":{"prompt_tokens":1000,)"
                R"("completion_tokens":50,"cached_tokens":900,"cost_usd":0.5})")));
  REQUIRE(events.size() == 5);
  CHECK(events[0].line() == "assistant/text \"Looking.\"");
  CHECK(events[1].line() == "assistant/thinking \"hm\"");
  CHECK(events[2].line() == R"(tool_call/call (shell) "{"command":"make"}")");
  CHECK(events[3].line() == "tool_result/result \"no\nrule\"");
  CHECK(events[3].call == "c1");
  CHECK(events[3].images == 1);
  CHECK(events[3].is_error == true);
  CHECK(events[3].exit_code == 2);
  CHECK(events[0].id == "4");
  CHECK(events[0].model == "m2");
  CHECK(events[0].time_ms == 1782900000000);
  REQUIRE(events[0].usage);
  CHECK(events[0].usage->input == 100); // the prompt's tokens are with the cache's
  CHECK(events[0].usage->cache_read == 900);
  CHECK(events[0].usage->output == 50);
  CHECK(events[0].usage->cost == 0.5);
}

TEST_CASE("ATIF: whose it is, in all, and what has no place but extra") {
  std::vector<SeenEvent> events = read_events(
      Format::atif,
      atif("",
           R"(,"final_metrics":{"total_prompt_tokens":10,"total_completion_tokens":5,)"
           R"("total_cached_tokens":4,"total_cost_usd":1.5},"extra":{"cwd":"/home/ada/app",)"
           R"("git_branch":"main","forked_from":"s-0"})"));
  REQUIRE(events.size() == 2);
  CHECK(events[0].form == EventForm::session);
  CHECK(events[0].session == "s-1");
  CHECK(events[0].harness == "claude-code");
  CHECK(events[0].version == "2.1.218");
  CHECK(events[0].model == "m");
  CHECK(events[0].cwd == "/home/ada/app");
  CHECK(events[0].branch == "main");
  CHECK(events[0].forked_from == "s-0");
  CHECK(events[1].form == EventForm::usage);
  REQUIRE(events[1].usage);
  CHECK(events[1].usage->is_total);
  CHECK(events[1].usage->input == 6);
  CHECK(events[1].usage->cost == 1.5);
}

TEST_CASE("ATIF: copied context is a copy, whoever said it, and costs nothing twice") {
  std::vector<SeenEvent> events = read_events(
      Format::atif,
      atif(step("user", R"("message":"Fix it","is_copied_context":true)") + ","
           + step("agent",
                  R"("message":"ok","metrics":{"completion_tokens":5},"is_copied_context":true)")
           + "," + step("system", R"("message":"You are")") + ","
           + step("user", R"("message":"Now","is_copied_context":false)")));
  SeenEvents seen;
  seen.events = events;
  CHECK(seen.lines()
        == std::vector<std::string>{"meta/copy \"Fix it\"",
                                    "meta/copy \"ok\"",
                                    "meta/instructions \"You are\"",
                                    "user/prompt \"Now\"",
                                    "meta/session"});
  CHECK(!events[1].usage);
}

TEST_CASE("ATIF: the trajectory of a helper is one record beside the conversation") {
  std::string helper = R"({"trajectory_id":"t-2","agent":{"name":"explore"},"steps":[)"
                       + step("user", R"("message":"Look")") + ","
                       + step("agent", R"("message":"Found")") + "]}";
  std::vector<SeenEvent> events = read_events(
      Format::atif,
      atif(step("user", R"("message":"Fix it")"), R"(,"subagent_trajectories":[)" + helper + "]"));
  REQUIRE(events.size() == 5);
  CHECK(!events[0].is_sidechain);
  for (std::size_t i : {1, 2, 3}) {
    CHECK(events[i].is_sidechain);
    CHECK(events[i].agent == "t-2");
  }
  CHECK(events[1].line() == "user/prompt \"Look\"");
  CHECK(events[2].line() == "assistant/text \"Found\"");
  CHECK(events[3].line() == "meta/state (subagent_trajectory)");
  CHECK(events[4].form == EventForm::session);
  CHECK(!events[4].is_sidechain);
}

TEST_CASE("ATIF: helpers within helpers come to an end") {
  std::string deep = R"({"agent":{},"steps":[)" + step("user", R"("message":"x")") + "]}";
  for (int i = 0; i < 30; ++i) {
    deep = R"({"agent":{},"steps":[],"subagent_trajectories":[)" + deep + "]}";
  }
  std::vector<std::string> lines =
      event_lines(Format::atif, atif("", R"(,"subagent_trajectories":[)" + deep + "]"));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "meta/unreadable \"broken JSON\"");
  CHECK(lines[1] == "meta/session");
}

TEST_CASE("any prefix of a trajectory goes on well") {
  check_prefixes(
      Format::atif,
      "\n" + atif(step("user", R"("message":"a\n]}")") + " , 7 ," + step("odd", "\"x\":1"))
          + "\n\n",
      3);
}
