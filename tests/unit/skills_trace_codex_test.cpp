#include "tests/support/temporary_folder.h"
#include "tests/support/trace_events.h"

#include <algorithm>

using namespace upskill;
using namespace upskill::tests;
using trace::EventForm;
using trace::EventKind;
using trace::Format;

namespace {

std::string record(const std::string& type, const std::string& payload) {
  return R"({"timestamp":"2026-07-01T10:00:00.250Z","type":")" + type + R"(","payload":)" + payload
         + "}\n";
}

std::string response(const std::string& members) {
  return record("response_item", "{" + members + "}");
}

std::string event(const std::string& members) {
  return record("event_msg", "{" + members + "}");
}

std::string completed(const std::string& item) {
  return record("event_msg",
                R"({"type":"item_completed","thread_id":"s1","turn_id":"t1","item":{)" + item
                    + "}}");
}

std::string message(const std::string& role, const std::string& text) {
  std::string type = role == "assistant" ? "output_text" : "input_text";
  return response(R"("type":"message","role":")" + role + R"(","content":[{"type":")" + type
                  + R"(","text":")" + text + R"("}])");
}

std::string output(const std::string& text) {
  return response(R"("type":"function_call_output","call_id":"c1","output":)" + text);
}

std::vector<std::string> lines_of(const std::string& bytes) {
  return event_lines(Format::codex, bytes);
}

SeenEvent only(const std::string& bytes) {
  std::vector<SeenEvent> events = read_events(Format::codex, bytes);
  REQUIRE(events.size() == 1);
  return events[0];
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("the head of a rollout says whose it is") {
  SeenEvent event = only(record(
      "session_meta",
      R"({"id":"s1","timestamp":"2026-07-01T09:59:59Z","cwd":"/home/ada/app",)"
      R"("originator":"codex_cli_rs","cli_version":"0.145.0","source":"cli","forked_from_id":"s0",)"
      R"("base_instructions":{"text":"long"},"git":{"commit_hash":"abc","branch":"main"}})"));
  CHECK(event.line() == "meta/session (session_meta)");
  CHECK(event.session == "s1");
  CHECK(event.cwd == "/home/ada/app");
  CHECK(event.version == "0.145.0");
  CHECK(event.branch == "main");
  CHECK(event.forked_from == "s0");
  CHECK(event.harness.empty());
  CHECK(!event.is_sidechain);
  CHECK(event.time_ms == 1782900000250);
}

TEST_CASE("a helper's rollout names itself and the session that started it") {
  SeenEvent flat = only(record("session_meta",
                               R"({"id":"s2","parent_thread_id":"s1","agent_role":"explorer",)"
                               R"("agent_nickname":"Mochi","thread_source":"subagent"})"));
  CHECK(flat.session == "s2");
  CHECK(flat.parent == "s1");
  CHECK(flat.agent == "Mochi");
  CHECK(flat.is_sidechain);
  SeenEvent nested =
      only(record("session_meta",
                  R"({"id":"s3","source":{"subagent":{"thread_spawn":{"parent_thread_id":"s1",)"
                  R"("depth":1,"agent_role":"explorer"}}}})"));
  CHECK(nested.parent == "s1");
  CHECK(nested.agent == "explorer");
  CHECK(nested.is_sidechain);
  CHECK(only(record("session_meta", R"({"id":"s4","source":{"subagent":"review"}})")).is_sidechain);
  CHECK(only(record("session_meta", R"({"id":"s5","originator":"fast-agent"})")).harness
        == "fast-agent");
}

TEST_CASE("a turn's context has its model and its id, where forks are cut") {
  SeenEvent event = only(
      record("turn_context", R"({"turn_id":"t1","cwd":"/home/ada/app","model":"gpt-5.3-codex"})"));
  CHECK(event.line() == "meta/model (turn_context)");
  CHECK(event.model == "gpt-5.3-codex");
  CHECK(event.turn == "t1");
  CHECK(event.cwd == "/home/ada/app");
}

TEST_CASE("a person's words are those of user_message, and the item of role user is a copy") {
  std::string bytes =
      message("user", "Fix the build")
      + event(R"("type":"user_message","message":"Fix the build","images":["data:image/png"],)"
              R"("local_images":["/tmp/a.png"])");
  std::vector<SeenEvent> events = read_events(Format::codex, bytes);
  REQUIRE(events.size() == 2);
  CHECK(events[0].line() == "meta/copy (user) \"Fix the build\"");
  CHECK(events[1].line() == "user/prompt \"Fix the build\"");
  CHECK(events[1].images == 2);
}

TEST_CASE("wrappers of role user are no person's, part by part") {
  std::string bytes = response(
      R"("type":"message","role":"user","content":[)"
      R"({"type":"input_text","text":"# AGENTS.md instructions for /home/ada\n\n<INSTRUCTIONS>"},)"
      R"({"type":"input_text","text":"<environment_context>\n  <cwd>/home/ada</cwd>"}])");
  CHECK(lines_of(bytes)
        == Lines{"user/instructions \"# AGENTS.md instructions for /home/ada\n\n<INSTRUCTIONS>\"",
                 "user/injected \"<environment_context>\n  <cwd>/home/ada</cwd>\""});
  CHECK(only(message("user", "<subagent_notification>{}")).form == EventForm::injected);
  CHECK(only(message("user", "<turn_aborted>\\nstopped")).form == EventForm::injected);
  CHECK(only(message("user", "<user_instructions>\\nbe kind")).form == EventForm::instructions);
  CHECK(only(message("user", "<user_shell_command>\\nls")).form == EventForm::command);
  // Older versions sent these as user_message too.
  CHECK(only(event(R"("type":"user_message","message":"<environment_context>")")).form
        == EventForm::injected);
  SeenEvent skill =
      only(message("user", "<skill>\\n<name>pdf-forms</name>\\n<path>/s/SKILL.md</path>"));
  CHECK(skill.form == EventForm::skill);
  CHECK(skill.skill == "pdf-forms");
  CHECK(only(message("developer", "<permissions instructions>")).line()
        == "meta/instructions (developer) \"<permissions instructions>\"");
  CHECK(only(message("developer", "<skills_instructions>\\n- pdf")).form == EventForm::skill);
}

TEST_CASE("an editor's context before a prompt is apart from the prompt") {
  CHECK(lines_of(event(R"("type":"user_message","message":"# Context from my IDE setup:\n\n)"
                       R"(## Open tabs:\n- a.h\n\n## My request for Codex:\nRename it\n")"))
        == Lines{"user/injected \"# Context from my IDE setup:\n\n## Open tabs:\n- a.h\n\n"
                 "## My request for Codex:\n\"",
                 "user/prompt \"Rename it\n\""});
  // A heading of the person's own is none of an editor's.
  CHECK(lines_of(event(R"("type":"user_message","message":"# Rename it\n")"))
        == Lines{"user/prompt \"# Rename it\n\""});
}

TEST_CASE("words of the assistant have their phase, and agent_message repeats them") {
  std::string bytes =
      event(R"("type":"agent_message","message":"I look.","phase":"commentary")")
      + response(R"("type":"message","id":"msg_1","role":"assistant","phase":"commentary",)"
                 R"("content":[{"type":"output_text","text":"I look."}])")
      + response(R"("type":"message","role":"assistant","phase":"final_answer",)"
                 R"("content":[{"type":"output_text","text":"Done."},)"
                 R"({"type":"output_text","text":"All of it."}])");
  CHECK(lines_of(bytes)
        == Lines{"meta/copy (agent_message) \"I look.\"",
                 "assistant/text \"I look.\"",
                 "assistant/answer \"Done.\nAll of it.\""});
  CHECK(read_events(Format::codex, bytes)[1].message == "msg_1");
}

TEST_CASE("in the paginated form prompts are completed items, and replies stand there again") {
  std::string bytes =
      message("user", "Fix it")
      + completed(R"("type":"UserMessage","id":"u1","content":[{"type":"text","text":"Fix it"},)"
                  R"({"type":"image","image_url":"data:"}])")
      + message("assistant", "Fixed.")
      + completed(R"("type":"AgentMessage","id":"a1","phase":"final_answer",)"
                  R"("content":[{"type":"Text","text":"Fixed."}])")
      + completed(R"("type":"Plan","id":"p1","text":"1. look")")
      + completed(R"("type":"CommandExecution","id":"c1","command":["make"],"status":"failed",)"
                  R"("exit_code":2,"aggregated_output":"no rule")")
      + completed(R"("type":"HookPrompt","id":"h1","fragments":[{"text":"lint first"}])")
      + completed(R"("type":"Sleep","id":"z1","duration_ms":5)")
      + completed(R"("type":"Hologram","id":"x1")");
  std::vector<SeenEvent> events = read_events(Format::codex, bytes);
  SeenEvents seen;
  seen.events = events;
  CHECK(seen.lines()
        == Lines{"meta/copy (user) \"Fix it\"",
                 "user/prompt \"Fix it\"",
                 "assistant/text \"Fixed.\"",
                 "meta/copy (AgentMessage) \"Fixed.\"",
                 "assistant/text \"1. look\"",
                 "meta/copy (CommandExecution)",
                 "user/injected (HookPrompt) \"lint first\"",
                 "meta/state (Sleep)",
                 "meta/unknown (Hologram)"});
  CHECK(events[1].turn == "t1");
  CHECK(events[1].images == 1);
  CHECK(events[5].call == "c1");
  CHECK(events[5].exit_code == 2);
  CHECK(events[5].is_error == true);
}

TEST_CASE("calls of tools: functions, patches, shells, searches") {
  std::vector<SeenEvent> events = read_events(
      Format::codex,
      response(R"("type":"function_call","name":"exec_command","call_id":"c1",)"
               R"("arguments":"{\"cmd\":\"make\"}")")
          + response(R"("type":"custom_tool_call","name":"apply_patch","call_id":"c2",)"
                     R"("input":"*** Begin Patch\n*** End Patch")")
          + response(R"("type":"local_shell_call","call_id":"c3","status":"completed",)"
                     R"("action":{"type":"exec","command":["ls"]})")
          + response(R"("type":"web_search_call","id":"ws_1","action":{"type":"search"})")
          + response(R"("type":"function_call","namespace":"mcp__docs","name":"search",)"
                     R"("call_id":"c5","arguments":"{}")"));
  SeenEvents seen;
  seen.events = events;
  CHECK(seen.lines()
        == Lines{R"(tool_call/call (exec_command) "{"cmd":"make"}")",
                 "tool_call/call (apply_patch) \"*** Begin Patch\n*** End Patch\"",
                 R"(tool_call/call (local_shell) "{"type":"exec","command":["ls"]}")",
                 R"(tool_call/call (web_search) "{"type":"search"}")",
                 R"(tool_call/call (mcp__docs.search) "{}")"});
  CHECK(events[0].call == "c1");
  CHECK(events[3].call == "ws_1");
}

TEST_CASE("an exit code stands in words before the output, and only there") {
  SeenEvent failed = only(output(R"("Chunk ID: 8f2\nWall time: 0.1 seconds\n)"
                                 R"(Process exited with code 2\nOutput:\nmake: no rule")"));
  CHECK(failed.kind == EventKind::tool_result);
  CHECK(failed.call == "c1");
  CHECK(failed.exit_code == 2);
  CHECK(!failed.is_error);
  CHECK(failed.text.ends_with("Output:\nmake: no rule"));
  CHECK(only(output(R"("Exit code: 127\nWall time: 0 seconds\nOutput:\n")")).exit_code == 127);
  CHECK(only(output(R"("Process exited with code -9\nOutput:\n")")).exit_code == -9);
  // Still running; what a command printed; and text of a tool that is no command.
  CHECK(!only(output(R"("Process running with session ID 3\nOutput:\n")")).exit_code);
  CHECK(!only(output(R"("Wall time: 1 seconds\nOutput:\nProcess exited with code 3")")).exit_code);
  CHECK(!only(output(R"("Exit code: 3\nis what the manual says")")).exit_code);
  CHECK(!only(output(R"("Process exited with code 99999999999\nOutput:\n")")).exit_code);
}

TEST_CASE("an output may be JSON in a string, an object or parts") {
  SeenEvent json = only(
      output(R"("{\"output\":\"a \\\"quoted\\\" word\\nand a line\",\"metadata\":{\"exit_code\":1,)"
             R"(\"duration_seconds\":0.2}}")"));
  CHECK(json.text == "a \"quoted\" word\nand a line");
  CHECK(json.exit_code == 1);
  // It looks like it, and is cut off.
  SeenEvent cut = only(output(R"("{\"output\":\"never \\\"exit_code\\\":1")"));
  CHECK(cut.text == R"({"output":"never \"exit_code\":1)");
  CHECK(!cut.exit_code);
  SeenEvent object = only(output(R"({"content":"no such file","success":false})"));
  CHECK(object.text == "no such file");
  CHECK(object.is_error == true);
  SeenEvent parts = only(output(R"([{"type":"input_text","text":"one"},)"
                                R"({"type":"input_image","image_url":"data:"},)"
                                R"({"type":"input_text","text":"two"}])"));
  CHECK(parts.text == "one\ntwo");
  CHECK(parts.images == 1);
  CHECK(only(output(R"("apply_patch verification failed: no such line")")).is_error == true);
  CHECK(only(output(R"("aborted by user after 4.0s")")).is_error == true);
}

TEST_CASE("tokens are the session's, without what the cache served") {
  SeenEvent event = only(::event(
      R"("type":"token_count","info":{"total_token_usage":{"input_tokens":1000,)"
      R"("cached_input_tokens":600,"output_tokens":70,"reasoning_output_tokens":20,)"
      R"("total_tokens":1070},"last_token_usage":{"input_tokens":9},"model_context_window":1},)"
      R"("rate_limits":{})"));
  CHECK(event.form == EventForm::usage);
  REQUIRE(event.usage);
  CHECK(event.usage->input == 400);
  CHECK(event.usage->cache_read == 600);
  CHECK(event.usage->output == 70);
  CHECK(!event.usage->cache_write);
  CHECK(event.usage->is_total);
  SeenEvent limits = only(::event(R"("type":"token_count","info":null,"rate_limits":{})"));
  CHECK(limits.form == EventForm::state);
  SeenEvent last =
      only(::event(R"("type":"token_count","info":{"last_token_usage":{"input_tokens":9}})"));
  REQUIRE(last.usage);
  CHECK(last.usage->input == 9);
  CHECK(!last.usage->is_total);
  SeenEvent liar = only(::event(R"("type":"token_count","info":{"total_token_usage":)"
                                R"({"input_tokens":5,"cached_input_tokens":-3,)"
                                R"("cache_write_input_tokens":9}})"));
  CHECK(liar.usage->input == 0);
  SeenEvent newer = only(record("token_usage_record",
                                R"({"turn_id":"t1","usage":{"input_tokens":1},)"
                                R"("thread_token_usage":{"input_tokens":30,"output_tokens":4}})"));
  REQUIRE(newer.usage);
  CHECK(newer.usage->input == 30);
  CHECK(newer.usage->is_total);
}

TEST_CASE("a compaction's history is not read again") {
  SeenEvent event = only(record(
      "compacted",
      R"({"message":"So far: the build.","replacement_history":[{"type":"message","role":"user",)"
      R"("content":[{"type":"input_text","text":"Fix the build"}]},{"type":"function_call"}]})"));
  CHECK(event.line() == "meta/compaction (compacted) \"So far: the build.\"");
}

TEST_CASE("interrupts, rewinds, errors, state and what nobody knows") {
  std::string bytes = ::event(R"("type":"turn_aborted","turn_id":"t1","reason":"interrupted")")
                      + ::event(R"("type":"turn_aborted","reason":"review_ended")")
                      + ::event(R"("type":"thread_rolled_back","num_turns":2)")
                      + ::event(R"("type":"error","message":"usage limit")")
                      + ::event(R"("type":"thread_name_updated","thread_name":"The build")")
                      + ::event(R"("type":"task_complete","last_agent_message":"Done.")")
                      + ::event(R"("type":"hologram","message":"x")")
                      + response(R"("type":"ghost_snapshot","ghost_commit":{})")
                      + response(R"("type":"hologram")") + record("world_state", R"({"full":true})")
                      + record("hologram", "[1,2]");
  CHECK(lines_of(bytes)
        == Lines{"user/interrupt (turn_aborted)",
                 "meta/state (turn_aborted)",
                 "meta/rewind (thread_rolled_back) \"2\"",
                 "meta/error (error) \"usage limit\"",
                 "meta/title (thread_name_updated) \"The build\"",
                 "meta/state (task_complete)",
                 "meta/unknown (hologram)",
                 "meta/state (ghost_snapshot)",
                 "meta/unknown (hologram)",
                 "meta/state (world_state)",
                 "meta/unknown (hologram)"});
}

TEST_CASE("thinking is what its summary says, and nothing where it is encrypted") {
  CHECK(lines_of(response(R"("type":"reasoning","summary":[{"type":"summary_text",)"
                          R"("text":"**Looking**"}],"content":null,"encrypted_content":"gAAA")")
                 + response(R"("type":"reasoning","summary":[],"encrypted_content":"gAAA")"))
        == Lines{"assistant/thinking \"**Looking**\"", "meta/state (reasoning)"});
}

TEST_CASE("members come in any order") {
  CHECK(lines_of(R"({"payload":{"content":[{"text":"Done.","type":"output_text"}],)"
                 R"("phase":"final_answer","role":"assistant","type":"message"},)"
                 R"("type":"response_item","timestamp":"2026-07-01T10:00:00Z"})")
        == Lines{"assistant/answer \"Done.\""});
}

TEST_CASE("a hostile list of parts stays small") {
  std::string parts = R"({"type":"input_text","text":""})";
  for (int i = 0; i < 20'000; ++i) {
    parts += ",\"\"";
  }
  std::string bytes = response(R"("type":"message","role":"user","content":[)" + parts + "]");
  CHECK(read_events(Format::codex, bytes).size() == 4096);
}

TEST_CASE("any prefix of a rollout and what follows are the whole") {
  std::string bytes =
      record("session_meta", R"({"id":"s1","cwd":"/home/ada"})")
      + message("user", "gl\\u00fced <skill>") + event(R"("type":"user_message","message":"Fix")")
      + completed(R"("type":"UserMessage","content":[{"text":"x"}])") + "broken{\n\n"
      + output(R"("{\"output\":\"a\",\"metadata\":{\"exit_code\":1}}")")
      + record("compacted", R"({"message":"m","replacement_history":[{}]})")
      + message("assistant", "last");
  bytes.pop_back();
  check_prefixes(Format::codex, bytes);
}

TEST_CASE("a session of 37 records") {
  std::string bytes = file_text(std::string(UPSKILL_FIXTURES) + "/traces/codex.jsonl");
  CHECK(trace::detect_format(bytes, true) == Format::codex);
  std::vector<SeenEvent> events = read_events(Format::codex, bytes);
  auto count = [&](EventKind kind, EventForm form) {
    return std::ranges::count_if(
        events, [&](const SeenEvent& one) { return one.kind == kind && one.form == form; });
  };
  CHECK(events.size() == 38); // one has AGENTS.md and the environment
  CHECK(count(EventKind::user, EventForm::prompt) == 2);
  CHECK(count(EventKind::user, EventForm::interrupt) == 1);
  CHECK(count(EventKind::assistant, EventForm::text) == 3);
  CHECK(count(EventKind::assistant, EventForm::answer) == 1);
  CHECK(count(EventKind::assistant, EventForm::thinking) == 1);
  CHECK(count(EventKind::tool_call, EventForm::call) == 6);
  CHECK(count(EventKind::tool_result, EventForm::result) == 6);
  CHECK(count(EventKind::meta, EventForm::copy) == 6); // 2 of the person, 3 replies, the patch
  CHECK(count(EventKind::meta, EventForm::unknown) == 0);
  std::vector<std::optional<std::int32_t>> codes;
  for (const SeenEvent& one : events) {
    if (one.kind == EventKind::tool_result) {
      codes.push_back(one.exit_code);
    }
  }
  CHECK(codes == std::vector<std::optional<std::int32_t>>{1, 0, std::nullopt, 0, 0, 0});
}
