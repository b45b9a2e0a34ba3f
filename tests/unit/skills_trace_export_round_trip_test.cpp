#include "skills/trace/summary.h"
#include "skills/trace_export/exporter.h"
#include "tests/support/claude_session.h"
#include "tests/support/trace_events.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>

using namespace upskill;
using namespace upskill::tests;
using trace::EventKind;
using trace::Format;
using trace_export::ExportFormat;

namespace {

std::string exported(ExportFormat format, const std::string& bytes) {
  auto exporter = trace_export::make_exporter(format, Format::claude);
  trace::TraceParser parser(Format::claude);
  parser.take(bytes, *exporter);
  parser.finish(*exporter);
  exporter->finish();
  return exporter->take_output();
}

// What was said and done, in order, as far as both formats tell.
std::vector<std::string> conversation(const std::vector<SeenEvent>& events) {
  std::vector<std::string> lines;
  for (const SeenEvent& event : events) {
    if (event.kind == EventKind::meta) {
      continue;
    }
    std::string line = event.line() + " " + event.call;
    if (event.kind == EventKind::tool_call) {
      // The same JSON may be written with other escapes.
      line = event.name + " " + nlohmann::json::parse(event.text).dump() + " " + event.call;
    }
    if (event.kind == EventKind::assistant || event.kind == EventKind::tool_call) {
      line += " " + event.model;
    }
    if (event.kind == EventKind::user || event.kind == EventKind::tool_call) {
      line += event.time_ms ? " " + std::to_string(*event.time_ms) : "";
    }
    lines.push_back(line);
  }
  return lines;
}

std::string words(std::mt19937& random) {
  static const std::vector<std::string> all = {
      "fix", "\"it\"", "\n", "\\", "\u00fc", "\u2028", "\t{}", "```", "## now", "|"};
  std::string text = "words";
  for (std::size_t i = random() % 6; i > 0; --i) {
    text += " " + all[random() % all.size()];
  }
  return text + " end";
}

ClaudeSession any_session(std::mt19937& random) {
  ClaudeSession session;
  session.prompt(words(random));
  for (int i = 0; i < 30; ++i) {
    std::string id = "t" + std::to_string(i);
    switch (random() % 4) {
    case 0:
      session.prompt(words(random));
      break;
    case 1:
      session.says(words(random));
      break;
    case 2:
      session.thinks(words(random));
      break;
    default:
      session.calls(
          id, "Write", R"({"path":)" + ClaudeSession::quoted(words(random)) + R"(,"n":1})");
      random() % 3 == 0 ? session.fails(id, words(random)) : session.gives(id, words(random));
    }
  }
  return session;
}

} // namespace

TEST_CASE("what is exported is read again as it was") {
  unsigned seed = std::random_device{}();
  MESSAGE("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 30; ++round) {
    ClaudeSession session = any_session(random);
    std::vector<SeenEvent> events = read_events(Format::claude, session.bytes);
    for (auto [format, read_as] :
         {std::pair{ExportFormat::sts, Format::sts}, std::pair{ExportFormat::atif, Format::atif}}) {
      CAPTURE(enum_name(format));
      std::string text = exported(format, session.bytes);
      REQUIRE(trace::detect_format(text, true) == read_as);
      std::vector<SeenEvent> again = read_events(read_as, text);
      std::vector<std::string> was = conversation(events);
      std::vector<std::string> is = conversation(again);
      for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
        REQUIRE(is[i] == was[i]);
      }
      REQUIRE(is.size() == was.size());
    }
  }
}

TEST_CASE("ATIF keeps which calls failed, and whose session it is") {
  ClaudeSession session("s7");
  session.prompt("Fix it");
  session.runs("t1", "make");
  session.fails("t1", "Exit code 2\nno rule");
  session.calls("t2", "Edit", "{}");
  session.fails("t2", "not found");
  session.runs("t3", "ls");
  session.gives("t3", "a");
  std::vector<SeenEvent> events =
      read_events(Format::atif, exported(ExportFormat::atif, session.bytes));
  std::vector<SeenEvent> results;
  std::string owner;
  std::string cwd;
  for (const SeenEvent& event : events) {
    owner += event.session;
    cwd += event.cwd;
    if (event.kind == EventKind::tool_result) {
      results.push_back(event);
    }
  }
  REQUIRE(results.size() == 3);
  CHECK(results[0].is_error == true);
  CHECK(results[0].exit_code == 2);
  CHECK(results[1].is_error == true);
  CHECK(!results[1].exit_code);
  CHECK(!results[2].is_error.value_or(false));
  CHECK(owner.find("s7") != std::string::npos);
  CHECK(cwd.find("/home/ada/app") != std::string::npos);
}

TEST_CASE("ATIF keeps what went into the cache, skills, and what was said after a result") {
  ClaudeSession session("s7");
  session.prompt("Fix it");
  session.line(
      R"("type":"assistant","attributionSkill":"make","message":{"model":"m","id":"m1",)"
      R"("role":"assistant","content":[{"type":"text","text":"I see."}],)"
      R"("usage":{"input_tokens":35,"cache_creation_input_tokens":49,"output_tokens":5}})");
  session.prompt("Base directory for this skill: /skills/pdf\nbody", R"(,"isMeta":true)");
  trace::Summary was(Format::claude);
  trace::TraceParser parser(Format::claude);
  parser.take(session.bytes, was);
  std::string text = exported(ExportFormat::atif, session.bytes);
  trace::Summary is(Format::atif);
  trace::TraceParser again(Format::atif);
  again.take(text, is);
  again.finish(is);
  CHECK(is.summary().tokens == was.summary().tokens);
  CHECK(is.summary().tokens.input == 35);
  CHECK(is.summary().tokens.cache_write == 49);
  CHECK(is.summary().skills == was.summary().skills);
  CHECK(is.summary().skills.contains("make"));
}

TEST_CASE("what is known of a session stands at its head, where its events do not tell") {
  trace::SessionSummary known;
  known.session = "abc";
  known.cwd = "/home/ada";
  known.title = "Fix it";
  std::string bytes = R"({"role":"user","message":{"content":[{"type":"text","text":"Fix"}]}})"
                      "\n";
  auto text_of = [&](ExportFormat format) {
    auto exporter = trace_export::make_exporter(format, Format::cursor);
    exporter->know(known);
    trace::TraceParser parser(Format::cursor);
    parser.take(bytes, *exporter);
    parser.finish(*exporter);
    exporter->finish();
    return exporter->take_output();
  };
  CHECK(text_of(ExportFormat::sts)
            .starts_with(R"({"type":"session","harness":"cursor","id":"abc","name":"Fix"})"));
  CHECK(text_of(ExportFormat::atif).find(R"("session_id":"abc")") != std::string::npos);
  CHECK(text_of(ExportFormat::atif).find(R"("cwd":"/home/ada")") != std::string::npos);
  CHECK(text_of(ExportFormat::markdown).starts_with("# Session `abc`\n"));
}

TEST_CASE("an export of a helper's session says whose it is") {
  ClaudeSession session("s7");
  session.is_sidechain = true;
  session.prompt("Look there", R"(,"agentId":"h1")");
  for (auto [format, read_as] :
       {std::pair{ExportFormat::sts, Format::sts}, std::pair{ExportFormat::atif, Format::atif}}) {
    CAPTURE(enum_name(format));
    trace::Summary summary(read_as);
    trace::TraceParser parser(read_as);
    parser.take(exported(format, session.bytes), summary);
    parser.finish(summary);
    CHECK(summary.summary().session == "s7");
    CHECK(summary.summary().agent == "h1");
    CHECK(summary.summary().counts.prompts == 1);
  }
}
