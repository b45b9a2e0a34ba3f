#include "clients/cli/parse.h"
#include "clients/cli/translate.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::cli;

namespace {

Error translated(std::vector<std::string_view> words, std::string message, std::string hint = {}) {
  auto invocation = parse(words);
  REQUIRE(invocation);
  return in_words_of(invocation->command,
                     {ErrorCode::invalid_argument, std::move(message), std::move(hint)});
}

} // namespace

TEST_SUITE("translate") {
  TEST_CASE("names the option and says what it is for") {
    Error error = translated({"list"}, "params.limit: must be from 1 to 1000");
    CHECK(error.message == "`--limit` must be from 1 to 1000");
    CHECK(error.hint.starts_with("At most this many"));
    CHECK(translated({"list"}, "params.scope: must be `user`, `project` or empty").message
          == "`--scope` must be `user`, `project` or empty");
    CHECK(translated({"daemon", "logs"}, "params.lines: is negative").message
          == "`--lines` is negative");
    CHECK(translated({"list"}, "params.agent: `x` is no agent that we know", "look").message
          == "`--agent`: `x` is no agent that we know");
    CHECK(translated({"list"}, "params.agent: `x` is no agent that we know", "look").hint
          == "look");
    CHECK(translated({"sync", "log"}, "`limit` must be from 1 to 1000").message
          == "`--limit` must be from 1 to 1000");
  }

  TEST_CASE("writes dashes where the option has them, and none for a word") {
    CHECK(translated({"sync", "wait"}, "params.timeout_ms: must be from 0 to 600000").message
          == "`--timeout-ms` must be from 0 to 600000");
    CHECK(translated({"list"}, "params.query: is longer than 200 bytes").message
          == "`query` is longer than 200 bytes");
    CHECK(translated({"sync", "enable"}, "params.agent[1]: expected a string").message
          == "`--agent`: expected a string");
  }

  TEST_CASE("tells people the command, not the tool") {
    CHECK(translated({"show", "x"}, "`x` is none", "`skill_list` finds skills").hint
          == "`upskill list` finds skills");
  }

  TEST_CASE("leaves everything else alone") {
    CHECK(translated({"show", "x"}, "`limit` is no skill", "did you mean `status`?").message
          == "`limit` is no skill");
    CHECK(translated({"show", "x"}, "`limit` is no skill", "did you mean `status`?").hint
          == "did you mean `status`?");
    CHECK(translated({"list"}, "params.other: must be so").message == "params.other: must be so");
    CHECK(translated({"list"}, "`unclosed").message == "`unclosed");
    CHECK(translated({"list"}, "").message.empty());
  }
}
