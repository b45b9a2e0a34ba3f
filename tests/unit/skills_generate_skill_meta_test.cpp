#include "skills/eval/cases.h"
#include "skills/generate/skill_meta.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::generate;

namespace {

eval::Case plain(const std::string& input, std::vector<std::string> texts) {
  eval::Case one;
  one.input = input;
  one.checks.emplace_back().values = std::move(texts);
  return one;
}

} // namespace

TEST_SUITE("skill meta") {
  TEST_CASE("it has upskill's names, in upskill's order") {
    SkillMeta meta{"opus", "2026-11-24T12:00:00.000Z", "parse \"YAML\"", 0.9, {}};
    meta.tests.cases.push_back(plain("What?", {"a", "b"}));
    CHECK(write_skill_meta(meta) == R"({
  "metadata": {
    "version": "1.0",
    "generated_by": "opus",
    "generated_at": "2026-11-24T12:00:00.000Z",
    "source_task": "parse \"YAML\"",
    "test_pass_rate": 0.9
  },
  "tests": [
    {
      "input": "What?",
      "expected": {
        "contains": [
          "a",
          "b"
        ]
      }
    }
  ]
}
)");
  }

  TEST_CASE("what was not measured is not there, and bytes that are no text are replaced") {
    SkillMeta meta;
    meta.source_task = "\xff";
    std::string text = write_skill_meta(meta);
    CHECK(text.find("test_pass_rate") == std::string::npos);
    CHECK(text.find("\xEF\xBF\xBD") != std::string::npos);
  }

  TEST_CASE("its tests are read back as they were, and what it cannot say is left out") {
    SkillMeta meta;
    meta.tests.cases = {plain("One", {"1"}), plain("Two", {"2", "zwei"}), plain("Three", {"3"})};
    meta.tests.cases[1].checks.front().negated = true;
    meta.tests.cases[2].context_files["a"] = "b";
    Result<eval::CaseSuite> read = eval::read_cases(write_skill_meta(meta));
    REQUIRE(read);
    REQUIRE(read->cases.size() == 1);
    CHECK(read->cases[0].input == "One");
    CHECK(read->cases[0].checks == meta.tests.cases[0].checks);
  }
}
