#include "skills/trace/summary.h"
#include "tests/support/codex_fork.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_events.h"

#include <algorithm>

using namespace upskill;
using namespace upskill::tests;
using namespace upskill::trace;

namespace {

std::string fixture(const std::string& file) {
  return file_text(std::string(UPSKILL_FIXTURES) + "/traces/" + file);
}

void read_into(EventSink& sink, Format format, std::string_view bytes, std::uint64_t offset = 0) {
  TraceParser parser(format, offset);
  parser.take(bytes.substr(offset), sink);
  parser.finish(sink);
}

SessionSummary summary_of(Format format, std::string_view bytes) {
  Summary summary(format);
  read_into(summary, format, bytes);
  return summary.summary();
}

std::size_t count_of(std::string_view text, std::string_view words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + 1)) {
    ++count;
  }
  return count;
}

// Wherever between two lines it is cut.
void check_goes_on(Format format, const std::string& bytes) {
  SessionSummary whole = summary_of(format, bytes);
  for (std::size_t at = bytes.find('\n'); at != std::string::npos; at = bytes.find('\n', at + 1)) {
    CAPTURE(at);
    Summary beginning(format);
    read_into(beginning, format, std::string_view(bytes).substr(0, at + 1));
    Result<Summary> rest = Summary::restored(beginning.saved(), format);
    REQUIRE(rest);
    read_into(*rest, format, bytes, at + 1);
    REQUIRE(rest->summary() == whole);
  }
}

} // namespace

TEST_CASE("a message that is written again gives what is new in it") {
  std::string bytes = fixture("gemini.jsonl");
  SessionSummary all = summary_of(Format::gemini, bytes);
  CHECK(all.counts.calls == 6);
  CHECK(all.counts.answers == 4);
  CHECK(all.tools.at("run_shell_command") == ToolCount{2, 1});
  CHECK(all.tokens.output == 84 + 52 + 41 + 122 + 30 + 143 + 25 + 38 + 61);
  CHECK(count_of(all.index.answers, "I will build first") == 1);
}

TEST_CASE("what of a message was there before is known wherever reading went on") {
  check_goes_on(Format::gemini, fixture("gemini.jsonl"));
}

TEST_CASE("a text that grew, and one that only moved") {
  auto message = [](const std::string& content) {
    return R"({"id":"m1","timestamp":"2026-07-01T10:00:01Z","type":"gemini","content":")" + content
           + "\"}\n";
  };
  CHECK(summary_of(Format::gemini, message("I will") + message("I will")).counts.answers == 1);
  CHECK(summary_of(Format::gemini, message("I") + message("I will")).index.answers == "I\nI will");
}

TEST_CASE("a fork of Codex has neither the prompts nor the tokens of the other") {
  std::string bytes = fork_of_codex();
  SessionSummary all = summary_of(Format::codex, bytes);
  CHECK(all.session == k_fork);
  CHECK(all.forked_from == k_parent);
  CHECK(all.title == "three");
  CHECK(all.counts.prompts == 1);
  CHECK(all.counts.answers == 1);
  CHECK(all.counts.replayed == 11);
  CHECK(all.counts.records == 6);
  CHECK(all.tokens.input == 150);
  CHECK(all.tokens.output == 15);
  CHECK(all.index.prompts == "three");
  check_goes_on(Format::codex, bytes);
}

TEST_CASE("a fork whose records are older than itself") {
  std::string head = R"({"type":"session","version":3,"id":"s2","cwd":"/a",)"
                     R"("timestamp":"2026-07-01T10:00:05.000Z","parentSession":"/x/1_s1.jsonl"})"
                     "\n";
  auto prompt = [](const std::string& id, const std::string& time, const std::string& words) {
    return R"({"type":"message","id":")" + id + R"(","timestamp":"2026-07-01T10:00:)" + time
           + R"(.000Z","message":{"role":"user","content":")" + words + "\"}}\n";
  };
  std::string bytes = head + prompt("a", "01", "one") + prompt("b", "06", "two");
  SessionSummary all = summary_of(Format::pi, bytes);
  CHECK(all.counts.prompts == 1);
  CHECK(all.title == "two");
  CHECK(all.first_ms == 1782900005000);
  check_goes_on(Format::pi, bytes);
}

TEST_CASE("records of Claude that say which session they are from") {
  auto said = [](const std::string& id, const std::string& more, const std::string& words) {
    return R"({"type":"user","uuid":")" + id + R"(","sessionId":"s2",)" + more
           + R"("message":{"role":"user","content":")" + words + "\"}}\n";
  };
  std::string bytes = said("u1", R"("forkedFrom":{"sessionId":"s1","messageUuid":"u1"},)", "one")
                      + said("u2", "", "two");
  SessionSummary all = summary_of(Format::claude, bytes);
  CHECK(all.forked_from == "s1");
  CHECK(all.first_record == "u1");
  CHECK(all.counts.prompts == 1);
  CHECK(all.title == "two");
}

TEST_CASE("nothing is taken for replayed where the file does not tell") {
  // Turns that are only counted, and times that are the fork's.
  std::string bytes = codex_record(0, "session_meta", R"({"id":"s2","forked_from_id":"s1"})")
                      + codex_record(0, "session_meta", R"({"id":"s1"})")
                      + codex_turn(0, "t1", "one", 10);
  CHECK(summary_of(Format::codex, bytes).counts.prompts == 1);
  // Not forked: whose turns they are does not matter.
  bytes = codex_record(5, "session_meta", R"({"id":")" + k_fork + "\"}")
          + codex_turn(1, k_old_turn, "one", 10);
  CHECK(summary_of(Format::codex, bytes).counts.prompts == 1);
}
