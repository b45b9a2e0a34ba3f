#include "skills/trace/remarks.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill::trace;

TEST_CASE("corrections") {
  for (const char* words : {
           "no, use ninja",
           "No.",
           "NO!! not like that",
           "nope",
           "That's not what I asked for",
           "that\xE2\x80\x99s wrong",
           "wrong file",
           "Use ninja instead of make",
           "don't touch the tests",
           "You should have run the tests",
           "stop",
           "Stop, that is production",
           "Actually, keep the old name",
           "revert that",
           "please revert the last change",
           "Hmm, ok, but it still fails",
           "it still doesn't compile",
           "Great, but it still fails with the same error",
           "Thanks. But you forgot the header",
           "I said ninja",
           "The test is still broken after that",
           "ok no, the other one",
           "doesn't work",
           "The button is red\nrevert it",
       }) {
    CAPTURE(words);
    CHECK(remark_of(words) == Remark::correction);
  }
}

TEST_CASE("approvals") {
  for (const char* words : {
           "thanks",
           "Thank you! Now add a test",
           "great",
           "Perfect, commit it",
           "LGTM",
           "ok, looks good",
           "works",
           "It works! Next: the parser",
           "yes, that works",
           "\xF0\x9F\x91\x8D",
           "Nice work",
       }) {
    CAPTURE(words);
    CHECK(remark_of(words) == Remark::approval);
  }
}

TEST_CASE("most prompts are the next task, and no remark") {
  for (const char* words : {
           "",
           " \n ",
           "Now add a test",
           "No problem, go on",
           "no worries",
           "Add a note about nothing",
           "Don't worry about the tests, go on",
           "What is wrong with this test?",
           "How does it work?",
           "Make it work on Windows",
           "Write a function that reverts a list",
           "Implement undo for the editor",
           "Fix the build. Thanks in advance",
           "Fix the stop button",
           "The greatest common divisor, please",
           "perfection is not needed: add a draft",
           "Notice the log, and tell me why",
           "yes",
           "continue",
       }) {
    CAPTURE(words);
    CHECK(remark_of(words) == Remark::none);
  }
}

TEST_CASE("only the head of a prompt counts, and any bytes are looked at") {
  CHECK(remark_of("Now the parser. " + std::string(k_remark_head, 'x') + ". revert that")
        == Remark::none);
  CHECK(remark_of(std::string(1000, '\xFF')) == Remark::none);
  CHECK(remark_of("\xE2\x80") == Remark::none);
}

TEST_CASE("what became of a stretch") {
  CHECK(outcome_of({}, Remark::none) == Outcome::unknown);
  CHECK(outcome_of({true, true, false, false}, Remark::none) == Outcome::done);
  CHECK(outcome_of({true, false, true, false}, Remark::none) == Outcome::failed);
  CHECK(outcome_of({true, false, true, false}, Remark::approval) == Outcome::approved);
  CHECK(outcome_of({true, true, false, false}, Remark::correction) == Outcome::corrected);
  CHECK(outcome_of({true, true, false, true}, Remark::correction) == Outcome::interrupted);
}
