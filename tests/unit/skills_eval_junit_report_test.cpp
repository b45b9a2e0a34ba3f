#include "skills/eval/junit_report.h"
#include "tests/support/markup.h"
#include "tests/unit/skills_eval_results.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::eval;
using namespace upskill::eval::test;
using upskill::test::Element;
using upskill::test::parse_markup;

namespace {

std::string property(const Element& suite, std::string_view name) {
  for (const Element* one : suite.all("property")) {
    if (one->attribute("name") == name) {
      return one->attribute("value");
    }
  }
  return "none";
}

} // namespace

TEST_SUITE("junit_report") {
  TEST_CASE("what ended before its last sample has an error of its own") {
    EvalResult result = result_of(2, 2);
    result.stopped = "the budget has no room";
    const Element root = parse_markup(junit_report(result));
    CHECK(root.attribute("tests") == "6");
    CHECK(root.attribute("errors") == "2");
    const auto suites = root.all("testsuite");
    REQUIRE(suites.size() == 2);
    CHECK(suites[1]->attribute("tests") == "3");
    CHECK(suites[1]->attribute("errors") == "1");
    const auto tests = suites[1]->all("testcase");
    REQUIRE(tests.size() == 3);
    CHECK(tests[2]->attribute("name") == "all samples");
    REQUIRE(tests[2]->all("error").size() == 1);
    CHECK(tests[2]->all("error")[0]->attribute("message") == "the budget has no room");
  }

  TEST_CASE("a suite for each model, a test for each run with the skill") {
    EvalResult result = result_of(5, 2);
    // With the skill: passed, failed, passed, passed, error.
    EvalSample second = sample("case 2", EvalArm::with_skill, 2, SampleOutcome::failed);
    second.checks = {{"contains `a`", SampleOutcome::passed, "fine"},
                     {"contains `b`", SampleOutcome::failed, "`b` is not there"},
                     {"judge", SampleOutcome::error, "no answer"}};
    result.models[0].samples.insert(result.models[0].samples.begin(), second);
    const Element root = parse_markup(junit_report(result));
    CHECK(root.name == "testsuites");
    CHECK(root.attribute("tests") == "11");
    CHECK(root.attribute("failures") == "3");
    CHECK(root.attribute("errors") == "2");
    const auto suites = root.all("testsuite");
    REQUIRE(suites.size() == 2);
    const Element& suite = *suites[0];
    CHECK(suite.attribute("name") == "pdf-forms with model 1");
    CHECK(suite.attribute("tests") == "6");
    CHECK(suite.attribute("failures") == "2");
    CHECK(suite.attribute("errors") == "1");
    CHECK(suite.attribute("time") == "7.500"); // five samples that tell, 1.5 s each
    CHECK(suite.attribute("timestamp") == "2026-11-23T08:00:00Z");
    const auto tests = suite.all("testcase");
    REQUIRE(tests.size() == 6);
    CHECK(tests[0]->attribute("name") == "case 1 (run 1)");
    CHECK(tests[0]->attribute("classname") == "pdf-forms.model 1");
    CHECK(tests[0]->attribute("time") == "1.500");
    CHECK(tests[0]->children.empty());
    CHECK(tests[2]->attribute("name") == "case 2 (run 2)");
    const auto failure = tests[2]->all("failure");
    REQUIRE(failure.size() == 1);
    CHECK(failure[0]->attribute("message") == "contains `b`: `b` is not there");
    CHECK(failure[0]->text
          == "contains `b`: `b` is not there\njudge (could not be told): no answer");
    CHECK(tests[2]->all("system-out").front()->text == "an answer");
    CHECK(tests[5]->all("error").front()->text == "the server is away");
    CHECK(tests[5]->all("failure").empty());
  }

  TEST_CASE("what the skill adds is among the properties") {
    EvalResult result = result_of(5);
    result.models[0].verdict = EvalVerdict::worse;
    result.models[0].lift = EvalLift{-.25, -.5, -.125};
    const Element root = parse_markup(junit_report(result));
    const Element& suite = *root.all("testsuite").front();
    CHECK(property(suite, "verdict") == "worse");
    CHECK(property(suite, "lift") == "-0.2500");
    CHECK(property(suite, "lift_low") == "-0.5000");
    CHECK(property(suite, "lift_high") == "-0.1250");
    CHECK(property(suite, "hash") == "abc123");
    CHECK(property(suite, "skill") == "pdf-forms");
    CHECK(property(suite, "scripted") == "none");
    result.scripted = true;
    result.models[0].lift.reset();
    const Element other = parse_markup(junit_report(result));
    CHECK(property(*other.all("testsuite").front(), "scripted") == "true");
    CHECK(property(*other.all("testsuite").front(), "lift") == "none");
  }

  TEST_CASE("hostile texts are texts") {
    const EvalResult result = hostile_result();
    const Element root = parse_markup(junit_report(result));
    const auto tests = root.all("testcase");
    REQUIRE(tests.size() == 8); // and that it was stopped, for each model
    CHECK(tests[0]->attribute("name").starts_with("case 1<script>alert(1)</script>\"'&amp; ]]> "));
    CHECK(root.all("script").empty());
    const std::string& text = root.all("failure").front()->text;
    CHECK(text.find("\xEF\xBF\xBD") != std::string::npos); // what XML forbids
    CHECK(text.find('\x1b') == std::string::npos);
  }

  TEST_CASE("a long output is cut between characters") {
    EvalResult result = result_of(2);
    for (EvalSample& one : result.models[0].samples) {
      one.output.clear();
      for (int i = 0; i < 5'000; ++i) {
        one.output += "\xC3\xA4";
      }
      one.output.insert(0, "x");
    }
    const Element root = parse_markup(junit_report(result));
    const std::string& out = root.all("system-out").front()->text;
    CHECK(out.size() == 4'095 + 3); // an odd number of bytes, and dots
    CHECK(out.ends_with("\xC3\xA4..."));
  }

  TEST_CASE("nothing at all") {
    const Element root = parse_markup(junit_report({}));
    CHECK(root.attribute("tests") == "0");
    CHECK(root.children.empty());
    EvalResult result = result_of(2);
    result.models[0].samples.clear();
    CHECK(parse_markup(junit_report(result)).all("testcase").empty());
  }
}
