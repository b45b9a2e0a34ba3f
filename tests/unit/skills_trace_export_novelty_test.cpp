#include "skills/trace_export/exporter.h"
#include "tests/support/codex_fork.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_events.h"

using namespace upskill;
using namespace upskill::tests;
using trace::Format;
using trace_export::ExportFormat;

namespace {

std::string exported(ExportFormat to, Format format, std::string_view bytes) {
  auto exporter = trace_export::make_exporter(to, format);
  trace::TraceParser parser(format);
  parser.take(bytes, *exporter);
  parser.finish(*exporter);
  exporter->finish();
  return exporter->take_output();
}

std::size_t count_of(std::string_view text, std::string_view words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + 1)) {
    ++count;
  }
  return count;
}

} // namespace

TEST_CASE("a message that is written again is exported once, with all that came to it") {
  std::string bytes = file_text(std::string(UPSKILL_FIXTURES) + "/traces/gemini.jsonl");
  std::string sts = exported(ExportFormat::sts, Format::gemini, bytes);
  CHECK(count_of(sts, R"("function":{)") == 6);
  CHECK(count_of(sts, R"("role":"tool")") == 6);
  CHECK(count_of(sts, "I will build first") == 1);
  CHECK(count_of(sts, "multiple definition of `kernels") == 1);
  std::string atif = exported(ExportFormat::atif, Format::gemini, bytes);
  CHECK(count_of(atif, R"("tool_call_id")") == 6);
  CHECK(count_of(atif, R"("source_call_id")") == 6);
  CHECK(count_of(atif, "I will build first") == 1);
  CHECK(count_of(atif, R"("completion_tokens":136)") == 1); // of the last copy
  CHECK(atif.find(R"("failed_calls":["run_shell_command-1751448620-a1"])") != std::string::npos);
}

TEST_CASE("what a fork replays is copied context, or left out where there is no mark for it") {
  std::string atif = exported(ExportFormat::atif, Format::codex, fork_of_codex());
  CHECK(count_of(atif, R"("is_copied_context":true)") == 4);
  CHECK(count_of(atif, R"("message":"one")") == 1);
  trace::Summary again(Format::atif);
  trace::TraceParser parser(Format::atif);
  parser.take(atif, again);
  parser.finish(again);
  CHECK(again.summary().counts.prompts == 1);
  CHECK(again.summary().title == "three");
  std::string sts = exported(ExportFormat::sts, Format::codex, fork_of_codex());
  CHECK(count_of(sts, R"("role":"user")") == 1);
  std::string markdown = exported(ExportFormat::markdown, Format::codex, fork_of_codex());
  CHECK(markdown.find("forked from: `" + k_parent) != std::string::npos);
  CHECK(markdown.find("\n11 events of the session it was forked from are left out.\n")
        != std::string::npos);
}

TEST_CASE("what an agent says after the results of one message comes after them") {
  std::string opencode = file_text(std::string(UPSKILL_FIXTURES) + "/traces/opencode.json");
  auto outcome = [](Format format, const std::string& bytes) {
    trace::Summary summary(format);
    trace::TraceParser parser(format);
    parser.take(bytes, summary);
    parser.finish(summary);
    return summary.summary();
  };
  std::string atif = exported(ExportFormat::atif, Format::opencode, opencode);
  CHECK(outcome(Format::atif, atif).tokens == outcome(Format::opencode, opencode).tokens);
  // One message that calls, has its result, and says so.
  std::string bytes =
      R"({"info":{"id":"s1"},"messages":[{"info":{"id":"m1","role":"assistant"},"parts":[)"
      R"({"type":"tool","tool":"bash","callID":"c1","state":{"status":"error","input":{},)"
      R"("error":"no"}},{"type":"text","text":"It cannot be done."}]}]})";
  CHECK(outcome(Format::opencode, bytes).outcome == trace::Outcome::done);
  atif = exported(ExportFormat::atif, Format::opencode, bytes);
  CHECK(outcome(Format::atif, atif).outcome == trace::Outcome::done);
}
