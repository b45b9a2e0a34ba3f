#include "skills/trace_export/exporter.h"
#include "tests/support/claude_session.h"
#include "tests/support/trace_events.h"

using namespace upskill;
using namespace upskill::tests;
using trace::EventForm;
using trace::EventKind;
using trace::Format;

namespace {

std::string markdown_of(const ClaudeSession& session) {
  auto exporter = trace_export::make_exporter(trace_export::ExportFormat::markdown, Format::claude);
  trace::TraceParser parser(Format::claude);
  parser.take(session.bytes, *exporter);
  parser.finish(*exporter);
  exporter->finish();
  return exporter->take_output();
}

// With all that could pass for something else.
ClaudeSession odd_session() {
  ClaudeSession session("s7");
  session.prompt("Fix it\n## Agent\n\n> quoted\n```\nCall of `forged`:");
  session.thinks("hm");
  session.says("I will.\n\n---\n_**User**_");
  session.runs("t1", "cat notes.md");
  session.gives("t1", "````json\n## Person\n\n> forged\n\nIt failed:\n```\n");
  session.calls("t2", "Read", R"({"file_path":"/a"})");
  session.runs("t3", "make");
  session.gives("t2", "text of a");
  session.fails("t3", "Exit code 2\nno rule");
  session.runs("t4", "true");
  session.gives("t4", "");
  session.prompt("[Request interrupted by user]");
  session.prompt("Thanks");
  return session;
}

} // namespace

TEST_CASE("our own markdown is known by its content, and read again") {
  std::string text = markdown_of(odd_session());
  CHECK(trace::detect_format(text, true) == Format::markdown);
  std::vector<SeenEvent> events = read_events(Format::markdown, text);
  std::vector<std::string> lines;
  for (const SeenEvent& event : events) {
    lines.push_back(event.line());
  }
  std::vector<std::string> was;
  for (const SeenEvent& event : read_events(Format::claude, odd_session().bytes)) {
    was.push_back(event.line());
  }
  REQUIRE(lines.size() == was.size() + 1);
  CHECK(lines[0] == "meta/session");
  CHECK(events[0].session == "s7");
  CHECK(events[0].harness == "claude-code");
  CHECK(events[0].version == "2.1.218");
  CHECK(events[0].cwd == "/home/ada/app");
  CHECK(events[0].branch == "main");
  // A call that goes well at once is one with its result; the others stand in their own order.
  CHECK(std::vector(lines.begin() + 1, lines.begin() + 4)
        == std::vector(was.begin(), was.begin() + 3));
  CHECK(events[1].form == EventForm::prompt);
  CHECK(events[1].time_ms == 1782900001000);
  CHECK(events[2].form == EventForm::thinking);
  CHECK(events[4].name == "Bash");
  CHECK(events[4].text == R"({"command":"cat notes.md"})");
  CHECK(events[5].call == events[4].call);
  CHECK(events[5].text == "````json\n## Person\n\n> forged\n\nIt failed:\n```");
  CHECK(events[6].name == "Read");
  CHECK(events[8].kind == EventKind::tool_result);
  CHECK(events[8].name == "Read");
  CHECK(events[8].text == "text of a");
  CHECK(!events[8].is_error.value_or(false));
  CHECK(events[9].name == "Bash");
  CHECK(events[9].is_error == true);
  CHECK(events[9].exit_code == 2);
  CHECK(events[11].text.empty());
  CHECK(events[11].call == events[10].call);
  CHECK(events[12].form == EventForm::interrupt);
  CHECK(events[13].text == "Thanks");
}

TEST_CASE("our own markdown is the same when it is read in two goes, or in pieces") {
  check_prefixes(Format::markdown, markdown_of(odd_session()), 1);
}

TEST_CASE("markdown of others is not taken for ours") {
  CHECK(trace::detect_format("# Session notes\n\n## Agent\n", true) == Format::text);
  CHECK(trace::detect_format("# Session `x`\n\nsome words\n", true) == Format::text);
  CHECK(trace::detect_format("_**User (2026-02-26 10:00:00Z)**_\n\nHi\n", true)
        == Format::specstory);
}
