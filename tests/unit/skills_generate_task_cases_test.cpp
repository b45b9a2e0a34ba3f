#include "skills/eval/cases.h"
#include "skills/generate/prompts.h"
#include "skills/generate/test_cases.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::generate;

namespace {

CasesWanted wanted() {
  return {"Write build files.",
          {"Write a build.toml for the A100 -> capabilities = [\"8.0\"], backends = [\"cuda\"]"},
          {},
          "",
          "",
          {"Which header has cudaMalloc?"},
          5};
}

std::string case_text(const std::string& input, const std::string& contains) {
  return R"({"expected": {"contains": [)" + contains + R"(]}, "input": ")" + input + "\"}";
}

std::string reply(const std::string& cases) {
  return R"({"cases": [)" + cases + "]}";
}

const std::string k_good = case_text("Build for the H100 with nvcc.", R"("sm_90", "-arch")");

eval::CaseSuite read(const std::string& cases, const CasesWanted& asked = wanted()) {
  Result<eval::CaseSuite> suite = read_task_cases(reply(cases), asked);
  INFO("error: ", suite ? "" : suite.error().message);
  REQUIRE(suite);
  return *suite;
}

// Why the case is left out beside a good one.
std::string why_left_out(const std::string& one, const CasesWanted& asked = wanted()) {
  eval::CaseSuite suite = read(one + ", " + k_good, asked);
  CHECK(suite.cases.size() == 1);
  CHECK(suite.cases.front().input == "Build for the H100 with nvcc.");
  REQUIRE(suite.warnings.size() == 1);
  constexpr std::string_view k_begin = "case 1 of the reply is left out: ";
  REQUIRE(suite.warnings.front().starts_with(k_begin));
  return suite.warnings.front().substr(k_begin.size());
}

} // namespace

TEST_SUITE("task_cases") {
  TEST_CASE("good cases are kept and numbered") {
    eval::CaseSuite suite =
        read(k_good + ", " + case_text("And for the B200?", R"("sm_100", "-arch")"));
    REQUIRE(suite.cases.size() == 2);
    CHECK(suite.cases[1].id == "2");
    CHECK(suite.warnings.empty());
  }

  TEST_CASE("a case that anything passes is left out") {
    CHECK(why_left_out(case_text("Is it so?", R"("yes", "true")"))
          == "an answer passes it that says nothing of the matter");
    CHECK(why_left_out(case_text("Is it?", R"(" ", ".")"))
          == "an answer passes it that says nothing of the matter");
    CHECK(why_left_out(case_text("Name the H200.", R"("h200", "name")"))
          == "its input gives away what it expects");
    CHECK(why_left_out(case_text("Say what follows x1 ", R"("x1 ")"))
          == "an answer passes it that repeats the input");
    CHECK(why_left_out(case_text("Which for the A30?", R"("8.0", "backends")"))
          == "an answer passes it that repeats one of the examples");
    // One text that only a right answer has is enough.
    CHECK(read(case_text("Is it so?", R"("yes", "sm_75")")).cases.size() == 1);
  }

  TEST_CASE("a case that is known, or an example, is left out") {
    CHECK(why_left_out(case_text("which header has CUDAMALLOC", R"("cuda_runtime.h", "x1")"))
          == "it repeats a known one");
    CHECK(why_left_out(case_text("Write a build.toml for the A100", R"("sm_80", "x1")"))
          == "its input is one of the examples");
    CasesWanted asked = wanted();
    asked.examples = {"Convert the file a.csv to JSON with keys in snake case"};
    CHECK(why_left_out(
              case_text("Convert the file b.csv to JSON with keys in snake case", R"("x1", "x2")"),
              asked)
          == "its input is one of the examples");
    CHECK(read(case_text("Convert a folder of XML to YAML", R"("x1", "x2")"), asked).cases.size()
          == 1);
  }

  TEST_CASE("where none is left the model can be told why") {
    Result<eval::CaseSuite> none = read_task_cases(
        reply(case_text("Is it so?", R"("yes")") + ", "
              + case_text("Which header has cudaMalloc?", R"("cuda_runtime.h")") + ", "
              + case_text("Say 9.0.", R"("9.0")") + ", " + case_text("Ok?", R"("ok")")),
        wanted());
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::invalid_argument);
    CHECK(
        none.error().message
        == "none of the cases can be used: case 1: an answer passes it that says nothing of the "
           "matter; case 2: it repeats a known one; case 3: its input gives away what it expects");
  }

  TEST_CASE("as many as were asked for, and each once") {
    std::string many = k_good + ", " + k_good;
    for (int i = 0; i < 30; ++i) {
      many += ", " + case_text("question " + std::to_string(i), R"("x1", "x2")");
    }
    CHECK(read(many).cases.size() == 5);
    CHECK(read(many).warnings.front() == "case 2 of the reply is left out: it repeats another");
    CasesWanted asked = wanted();
    asked.count = 1000;
    CHECK(read(many, asked).cases.size() == k_most_cases);
  }

  TEST_CASE("a model cannot have commands run, or files written") {
    for (const char* fields : {R"("checks": [{"command": "curl x | sh"}])",
                               R"("expected": "y", "context": {"files": {"a": "b"}})"}) {
      Result<eval::CaseSuite> suite =
          read_task_cases(reply(R"({"input": "x", )" + std::string(fields) + "}"), wanted());
      REQUIRE_FALSE(suite);
      CHECK(suite.error().message == "case 1 must have `input` and `expected.contains` only");
    }
  }

  TEST_CASE("counterexamples are held to the same, and may use the skill's words") {
    Brief brief{"Write build files.", wanted().examples, {}, ""};
    Result<eval::CaseSuite> suite = read_counterexamples(
        reply(k_good + ", " + case_text("Which for the A30?", R"("8.0", "backends")") + ", "
              + case_text("And the T4?", R"("sm_75")")),
        brief,
        5);
    REQUIRE(suite);
    CHECK(suite->cases.size() == 2);
    CHECK(suite->warnings
          == std::vector<std::string>{
              "case 2 of the reply is left out: an answer passes it that repeats "
              "one of the examples",
              "case 2 expects one text only: it passes easily by chance"});
    CHECK_FALSE(read_counterexamples("no", brief, 5));
  }
}
