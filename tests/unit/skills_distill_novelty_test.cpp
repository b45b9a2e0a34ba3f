#include "tests/support/codex_fork.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/skills_distill_session.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::distill;
using namespace upskill::tests;

namespace {

Distilled distilled_of(trace::Format format, std::string_view bytes) {
  Distiller distiller(format);
  distill_into(distiller, bytes, format);
  return distiller.distilled();
}

} // namespace

TEST_CASE("a message that is written again once its tools have run gives its call and failure") {
  Distilled evidence = distilled_of(
      trace::Format::gemini, file_text(std::string(UPSKILL_FIXTURES) + "/traces/gemini.jsonl"));
  std::size_t words = evidence.text.find("I will build first");
  REQUIRE(words != std::string::npos);
  CHECK(evidence.text.find("I will build first", words + 1) == std::string::npos);
  CHECK(evidence.text.find("failed run_shell_command, exit code 1") != std::string::npos);
  CHECK(evidence.labels[static_cast<std::size_t>(Label::recovered)] == 1);
  CHECK(left_out(evidence, LeftOut::copy) == 5); // thought and words twice, the call once
  CHECK(adds_up(evidence));
}

TEST_CASE("what a fork replays is no evidence of it") {
  Distilled evidence = distilled_of(trace::Format::codex, fork_of_codex());
  CHECK(evidence.text.find("| one") == std::string::npos);
  CHECK(evidence.text.find("| three") != std::string::npos);
  CHECK(left_out(evidence, LeftOut::replayed) == 11);
  CHECK(evidence.text.find("replayed 11") != std::string::npos);
  CHECK(evidence.beats_in_all == 1);
  CHECK(adds_up(evidence));
}

TEST_CASE("one event is one event") {
  ClaudeSession session;
  session.prompt("Fix it");
  CHECK(distilled(session).text.find("whole: 1 event, 1 token; here: 1 event\n")
        != std::string::npos);
  session.is_sidechain = true;
  session.says("x");
  CHECK(distilled(session).text.find("helper : 1 event, 0 calls, 0 failed") != std::string::npos);
}
