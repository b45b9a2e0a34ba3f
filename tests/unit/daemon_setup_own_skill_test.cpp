#include "daemon/setup/own_skill.h"
#include "skills/eval/cases.h"

#include <doctest/doctest.h>

using namespace upskill;

TEST_SUITE("the skill about ourselves") {
  TEST_CASE("its test cases are read, without a warning") {
    sync::NewFiles files = setup::own_skill();
    for (const char* name : {"evals/evals.json", "evals/trigger_evals.json"}) {
      CAPTURE(name);
      REQUIRE(files.contains(name));
      Result<eval::CaseSuite> suite = eval::read_cases(files.at(name).bytes);
      if (!suite) {
        FAIL(suite.error().message);
      }
      CHECK(suite->cases.size() >= 10);
      CHECK(suite->warnings.empty());
    }
    CHECK(files.at("SKILL.md").bytes.starts_with("---\nname: upskill\n"));
  }

  TEST_CASE("it is a whole skill") {
    CHECK(sync::tree_of(setup::own_skill()));
  }
}
