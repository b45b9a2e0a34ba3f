#include "skills/trace/parser.h"
#include "skills/trace_export/exporter.h"
#include "tests/support/claude_session.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using trace::Format;
using trace_export::ExportFormat;
using Json = nlohmann::json;

namespace {

std::string exported(ExportFormat format,
                     const std::string& bytes,
                     trace::TextFilter* filter = nullptr,
                     std::size_t piece = 1000) {
  auto exporter = trace_export::make_exporter(format, Format::claude, filter);
  trace::TraceParser parser(Format::claude);
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    parser.take(std::string_view(bytes).substr(at, piece), *exporter);
    out += exporter->take_output();
  }
  parser.finish(*exporter);
  exporter->finish();
  return out + exporter->take_output();
}

std::vector<Json> lines(const std::string& text) {
  std::vector<Json> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    all.push_back(Json::parse(line));
  }
  return all;
}

std::string block(const std::string& message, const std::string& json, int output) {
  return R"("type":"assistant","message":{"model":"claude-opus-4-6","id":")" + message
         + R"(","role":"assistant","content":[)" + json
         + R"(],"usage":{"input_tokens":3,"cache_read_input_tokens":100,"output_tokens":)"
         + std::to_string(output) + "}}";
}

// A prompt, an answer in three records with a call that fails, a skill, and the end.
ClaudeSession small_session() {
  ClaudeSession session("s7");
  session.prompt("Fix \"it\"\nnow \u2028 \u00fc");
  session.line(block("m1", R"({"type":"thinking","thinking":"hm"})", 1));
  session.line(block("m1", R"({"type":"text","text":"I will."})", 9));
  session.line(block(
      "m1", R"({"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make","n":1}})", 5));
  session.fails("t1", "Exit code 2\nno rule");
  session.prompt("Base directory for this skill: /skills/pdf\nbody", R"(,"isMeta":true)");
  session.line(block("m2", R"({"type":"text","text":"Done."})", 7));
  return session;
}

// Each `[gone]` for `secret`.
struct Secrets : trace::TextFilter {
  void clean(std::string& text) override {
    for (std::size_t at = text.find("secret"); at != std::string::npos; at = text.find("secret")) {
      text.replace(at, 6, "[gone]");
    }
  }
};

} // namespace

TEST_CASE("STS: a line for the session, and one for each message") {
  std::vector<Json> all = lines(exported(ExportFormat::sts, small_session().bytes));
  REQUIRE(all.size() == 6);
  CHECK(all[0]
        == Json{{"type", "session"},
                {"harness", "claude-code"},
                {"id", "s7"},
                {"name", "Fix \"it\" now \u2028 \u00fc"}});
  // 2026-07-01T10:00:01Z and on.
  CHECK(all[1]
        == Json{{"type", "message"},
                {"message",
                 {{"role", "user"},
                  {"content", "Fix \"it\"\nnow \u2028 \u00fc"},
                  {"timestamp", 1782900001000}}}});
  CHECK(all[2]
        == Json{
            {"type", "message"},
            {"message",
             {{"role", "assistant"},
              {"content", "I will."},
              {"reasoningContent", "hm"},
              {"toolCalls",
               {{{"id", "t1"},
                 {"function", {{"name", "Bash"}, {"arguments", R"({"command":"make","n":1})"}}}}}},
              {"timestamp", 1782900002000},
              {"model", "claude-opus-4-6"}}}});
  CHECK(all[3]
        == Json{{"type", "message"},
                {"message",
                 {{"role", "tool"},
                  {"content", "Exit code 2\nno rule"},
                  {"toolCallId", "t1"},
                  {"timestamp", 1782900005000}}}});
  CHECK(all[4]["message"]["role"] == "system");
  CHECK(all[5]["message"]["content"] == "Done.");
  CHECK(!all[5]["message"].contains("toolCalls"));
}

TEST_CASE("ATIF: results stand by their calls, and what it has no place for is in extra") {
  ClaudeSession session = small_session();
  Json all = Json::parse(exported(ExportFormat::atif, session.bytes));
  CHECK(all["schema_version"] == "ATIF-v1.7");
  CHECK(all["session_id"] == "s7");
  CHECK(!all.contains("trajectory_id"));
  CHECK(all["agent"]["name"] == "claude-code");
  CHECK(all["agent"]["version"] == "2.1.218");
  REQUIRE(all["steps"].size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(all["steps"][i]["step_id"] == i + 1);
  }
  CHECK(all["steps"][0]["source"] == "user");
  CHECK(all["steps"][0]["timestamp"] == "2026-07-01T10:00:01.000Z");
  CHECK(all["steps"][0]["extra"] == Json{{"offset", 0}, {"id", "u1"}});
  const Json& step = all["steps"][1];
  CHECK(step["source"] == "agent");
  CHECK(step["message"] == "I will.");
  CHECK(step["reasoning_content"] == "hm");
  CHECK(step["model_name"] == "claude-opus-4-6");
  CHECK(step["tool_calls"]
        == Json{{{"tool_call_id", "t1"},
                 {"function_name", "Bash"},
                 {"arguments", {{"command", "make"}, {"n", 1}}}}});
  CHECK(step["observation"]
        == Json{{"results", {{{"source_call_id", "t1"}, {"content", "Exit code 2\nno rule"}}}}});
  CHECK(step["metrics"]
        == Json{{"prompt_tokens", 103}, {"completion_tokens", 9}, {"cached_tokens", 100}});
  CHECK(step["extra"]["failed_calls"] == Json{"t1"});
  CHECK(step["extra"]["exit_codes"] == Json{{"t1", 2}});
  CHECK(all["steps"][2]["source"] == "system");
  CHECK(all["final_metrics"]
        == Json{{"total_prompt_tokens", 206},
                {"total_completion_tokens", 16},
                {"total_cached_tokens", 200},
                {"total_steps", 4}});
  CHECK(all["extra"]["cwd"] == "/home/ada/app");
  CHECK(all["extra"]["branch"] == "main");
  CHECK(all["extra"]["first_record"] == "u1");
}

TEST_CASE("ATIF: a result that comes late, and no session at all") {
  ClaudeSession session;
  session.runs("t1", "make");
  session.prompt("what is it?");
  session.gives("t1", "ok");
  Json all = Json::parse(exported(ExportFormat::atif, session.bytes));
  REQUIRE(all["steps"].size() == 3);
  CHECK(all["steps"][2]["source"] == "system");
  CHECK(all["steps"][2]["observation"]["results"] == Json{{{"content", "ok"}}});
  CHECK(all["steps"][2]["extra"]["call"] == "t1");
  Json none = Json::parse(exported(ExportFormat::atif, ""));
  CHECK(none["steps"].empty());
  CHECK(none["final_metrics"]["total_steps"] == 0);
  CHECK(lines(exported(ExportFormat::sts, "")).size() == 1);
}

TEST_CASE("a helper's own file is a trajectory of its session") {
  ClaudeSession session;
  session.is_sidechain = true;
  session.line(R"("agentId":"a1","type":"user","message":{"role":"user","content":"Search"})");
  Json all = Json::parse(exported(ExportFormat::atif, session.bytes));
  CHECK(all["trajectory_id"] == "a1");
  CHECK(all["session_id"] == "s1");
  CHECK(all["steps"].size() == 1);

  ClaudeSession mixed;
  mixed.prompt("Fix it");
  mixed.is_sidechain = true;
  mixed.prompt("Search");
  Json main = Json::parse(exported(ExportFormat::atif, mixed.bytes));
  CHECK(main["steps"].size() == 1);
  CHECK(main["extra"]["helper_events_left_out"] == 1);
  CHECK(exported(ExportFormat::markdown, mixed.bytes)
            .ends_with("\n1 event of helpers is left out.\n"));
}

TEST_CASE("markdown: nothing that was said can pass for a heading") {
  ClaudeSession session("s7");
  session.prompt("Fix it\n## Agent\r# forged");
  session.says("I will.");
  session.runs("t1", "echo '````'");
  session.gives("t1", "````\n## forged\n");
  std::string text = exported(ExportFormat::markdown, session.bytes);
  CHECK(text
        == "# Session `s7`\n"
           "\n"
           "- agent: `claude-code`\n"
           "- version: `2.1.218`\n"
           "- project: `/home/ada/app`\n"
           "- branch: `main`\n"
           "\n"
           "## Person, 2026-07-01T10:00:01.000Z\n"
           "\n"
           "> Fix it\n"
           "> ## Agent # forged\n"
           "\n"
           "## Agent, 2026-07-01T10:00:02.000Z\n"
           "\n"
           "> I will.\n"
           "\n"
           "Call of `Bash`:\n"
           "\n"
           "`````json\n"
           "{\"command\":\"echo '````'\"}\n"
           "`````\n"
           "\n"
           "It gave:\n"
           "\n"
           "`````\n"
           "````\n"
           "## forged\n"
           "`````\n");
}

TEST_CASE("every text is cleaned, and what was JSON stays JSON") {
  ClaudeSession session;
  session.prompt("my secret");
  session.says("your secret");
  session.thinks("a secret");
  session.calls("t1", "Write", R"({"content":"se\u0063ret","deep":[{"x":"secret"}],"n":1.5})");
  session.gives("t1", "secret");
  session.calls("t2", "Patch", R"("a secret patch")");
  session.calls("t3", "Odd", R"({"cut":)"); // no JSON at all: the record cannot be read
  Secrets secrets;
  for (ExportFormat format : {ExportFormat::sts, ExportFormat::atif, ExportFormat::markdown}) {
    CAPTURE(enum_name(format));
    std::string text = exported(format, session.bytes, &secrets);
    CHECK(text.find("secret") == std::string::npos);
    CHECK(text.find("[gone]") != std::string::npos);
  }
  Json all = Json::parse(exported(ExportFormat::atif, session.bytes, &secrets));
  CHECK(all["steps"][3]["tool_calls"][0]["arguments"]
        == Json{{"content", "[gone]"}, {"deep", {{{"x", "[gone]"}}}}, {"n", 1.5}});
  CHECK(all["steps"][4]["tool_calls"][0]["arguments"] == Json{{"input", "a [gone] patch"}});
}

TEST_CASE("hostile inputs of tools and records that stand twice") {
  ClaudeSession session;
  session.calls("t1", "Deep", "{\"a\":" + std::string(500, '[') + std::string(500, ']') + "}");
  session.calls("t2", "Bytes", "{\"a\":\"\xFF\"}");
  std::string bytes = session.bytes + session.bytes;
  Json all = Json::parse(exported(ExportFormat::atif, bytes));
  REQUIRE(all["steps"].size() == 2);
  CHECK(all["steps"][0]["tool_calls"][0]["arguments"].contains("input"));
  CHECK(all["steps"][1]["tool_calls"][0]["arguments"] == Json{{"a", "\uFFFD"}});
}

TEST_CASE("pieces of any size give the same") {
  ClaudeSession session = small_session();
  for (ExportFormat format : {ExportFormat::sts, ExportFormat::atif, ExportFormat::markdown}) {
    CAPTURE(enum_name(format));
    std::string whole = exported(format, session.bytes, nullptr, session.bytes.size());
    CHECK(exported(format, session.bytes, nullptr, 1) == whole);
    CHECK(exported(format, session.bytes, nullptr, 17) == whole);
  }
}
