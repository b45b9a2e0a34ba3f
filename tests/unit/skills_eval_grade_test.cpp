#include "skills/eval/cases.h"
#include "skills/eval/grade.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::eval;

namespace {

Case with_checks(const std::string& checks, const std::string& fields = "") {
  Result<CaseSuite> suite =
      read_cases(R"([{"input": "x", "checks": [)" + checks + "]" + fields + "}]");
  INFO("checks: ", checks);
  INFO("error: ", suite ? "" : suite.error().message);
  REQUIRE(suite);
  return suite->cases[0];
}

CheckResult one(const std::string& check, const Observation& seen) {
  return grade(with_checks(check), seen).checks.at(0);
}

CheckVerdict verdict(const std::string& check, const Observation& seen) {
  return one(check, seen).verdict;
}

Observation answer(std::string text) {
  Observation seen;
  seen.answer = std::move(text);
  return seen;
}

WorkspaceFile file(std::string text) {
  return {WorkspaceFile::State::text, std::move(text), {}};
}

struct Row {
  const char* check;
  const char* passes;
  const char* fails;
};

constexpr Row k_rows[] = {
    {R"({"contains": ["Hello", "world"]})", "WORLD, hello", "hello"},
    {R"({"icontains": "STRASSE"})",
     "die Stra\xC3\x9F"
     "e",
     "die Strase"},
    {R"({"contains": "\u00c9t\u00e9"})", "l'e\xCC\x81te\xCC\x81", "l'ete"},
    {R"({"contains": "\u0391\u03a3"})", "\xCE\xB1\xCF\x82", "\xCE\xB1"},
    {R"({"not_contains": "sm_70"})", "sm_90", "SM_70"},
    {R"({"contains_any": ["Hello", "world"]})", "WORLD", "word"},
    {R"({"icontains-any": ["a", "b"]})", "xB", "x"},
    {R"({"not_contains_any": ["sm_70", "sm_80"]})", "sm_90", "SM_80"},
    {R"({"regex": "^a+$"})", "aaa", "aab"},
    {R"({"regex": "(?i)^A"})", "a", "b"},
    {R"({"regex": ["a", "b"]})", "ba", "a"},
    {R"({"equals": "42"})", " 42\n", "042"},
    {R"({"equals": "Yes"})", "Yes", "yes"},
    {R"({"starts_with": "#!"})", "\n#!/bin/sh", "x#!"},
    {R"({"is_json": true})", " {\"a\": [1]}\n", "```json\n{}\n```"},
    {R"({"not_is_json": true})", "text", "1"},
    {R"({"json_schema": {"required": ["a"]}})", R"({"a": 1})", R"({"b": 1})"},
    {R"({"any_of": [{"contains": "a"}, {"contains": "b"}]})", "b", "c"},
    {R"({"all_of": [{"contains": "a"}, {"contains": "b"}]})", "ab", "a"},
    {R"({"not_any_of": [{"contains": "a"}, {"contains": "b"}]})", "c", "b"},
    {R"({"all_of": [{"contains": "a", "weight": 3}, {"contains": "b"}], "threshold": 0.75})",
     "a",
     "b"},
    {R"({"any_of": [{"contains": "a"}, {"contains": "b"}, {"contains": "c"}], "threshold": 0.6})",
     "ab",
     "a"},
    {R"({"any_of": [{"contains": "a", "weight": 0}, {"contains": "b"}]})", "b", "a"},
};

} // namespace

TEST_SUITE("grade") {
  TEST_CASE("checks of the answer") {
    for (const Row& row : k_rows) {
      CAPTURE(row.check);
      CHECK(verdict(row.check, answer(row.passes)) == CheckVerdict::passed);
      CHECK(verdict(row.check, answer(row.fails)) == CheckVerdict::failed);
    }
  }

  TEST_CASE("what is found and what is missing is told") {
    CHECK(one(R"({"contains": ["a", "b", "c"]})", answer("B")).evidence
          == "the answer does not have `a`, `c`");
    CHECK(one(R"({"not_contains": "b"})", answer("B")).evidence == "the answer has `b`");
    CHECK(one(R"({"contains_any": ["a", "b", "c"]})", answer("BC")).evidence
          == "the answer has `b`, `c`");
    CHECK(one(R"({"contains_any": ["a", "b"]})", answer("x")).evidence
          == "the answer has none of `a`, `b`");
    CHECK(one(R"({"not_contains": "b"})", answer("B")).name == "not contains `b`");
    CHECK(one(R"({"contains": "b", "name": "bee"})", answer("B")).name == "bee");
    CHECK(one(R"({"equals": "b"})", answer("c")).evidence == "the answer is `c`");
    CheckResult long_one = one(R"({"equals": "b"})", answer(std::string(10'000, 'x')));
    CHECK(long_one.evidence.size() <= k_max_evidence);
  }

  TEST_CASE("the output file is graded in place of the answer") {
    Case graded = with_checks(R"({"contains": "x"}, {"regex": "x"})", R"(, "output_file": "o")");
    Observation seen = answer("x");
    CHECK(grade(graded, seen).verdict == CheckVerdict::unknown); // nobody looked
    seen.files["o"] = {};
    Grade missing = grade(graded, seen);
    CHECK(missing.verdict == CheckVerdict::failed);
    CHECK(missing.checks[0].evidence == "`o` is not in the workspace");
    seen.files["o"] = file("X");
    CHECK(grade(graded, seen).checks[0].verdict == CheckVerdict::passed);
    CHECK(grade(graded, seen).checks[1].verdict == CheckVerdict::failed);
  }

  TEST_CASE("files of the workspace") {
    const std::string exists = R"({"file_exists": "a/b"})";
    const std::string contains = R"({"file_contains": {"path": "a/b", "values": ["X", "y"]}})";
    Observation seen;
    CHECK(verdict(exists, seen) == CheckVerdict::unknown);
    CHECK(verdict(contains, seen) == CheckVerdict::unknown);
    seen.files["a/b"] = {};
    CHECK(verdict(exists, seen) == CheckVerdict::failed);
    CHECK(verdict(contains, seen) == CheckVerdict::failed);
    seen.files["a/b"] = {WorkspaceFile::State::no_text, {}, "it is a folder"};
    CHECK(verdict(exists, seen) == CheckVerdict::passed);
    CHECK(verdict(contains, seen) == CheckVerdict::unknown);
    CHECK(one(contains, seen).evidence == "`a/b`: it is a folder");
    seen.files["a/b"] = file("x and Y");
    CHECK(verdict(contains, seen) == CheckVerdict::passed);
    seen.files["a/b"] = file("x");
    CHECK(verdict(contains, seen) == CheckVerdict::failed);
  }

  // Unknown usage is not zero usage (upskill's bug 12), and an error is no failure (bug 5).
  TEST_CASE("what is not known has no verdict") {
    for (const char* check : {R"({"tokens_under": 10})",
                              R"({"cost_under": 10})",
                              R"({"latency_under": 10})",
                              R"({"skill_used": "s"})",
                              R"({"tool_used": "t"})",
                              R"({"command": "c"})",
                              R"({"judge": "j"})",
                              R"({"at_least_as_good": "r"})",
                              R"({"file_exists": "f"})"}) {
      CAPTURE(check);
      Grade result = grade(with_checks(check), answer("x"));
      CHECK(result.verdict == CheckVerdict::unknown);
      CHECK_FALSE(result.score);
      CHECK_FALSE(result.checks[0].evidence.empty());
      std::string negated = check;
      negated.insert(2, "not_");
      CHECK(verdict(negated, answer("x")) == CheckVerdict::unknown);
    }
  }

  TEST_CASE("usage and names") {
    Observation seen;
    seen.tokens = 500;
    seen.cost_usd = 0.02;
    seen.seconds = 30.5;
    seen.skills_used = {"pdf"};
    seen.tools_used = std::set<std::string>{};
    CHECK(verdict(R"({"tokens_under": 501})", seen) == CheckVerdict::passed);
    CHECK(verdict(R"({"tokens_under": 500})", seen) == CheckVerdict::failed);
    CHECK(verdict(R"({"cost_under": 0.05})", seen) == CheckVerdict::passed);
    CHECK(verdict(R"({"latency_under": 30})", seen) == CheckVerdict::failed);
    CHECK(one(R"({"latency_under": 30})", seen).evidence == "30.5 seconds");
    CHECK(verdict(R"({"skill_used": "pdf"})", seen) == CheckVerdict::passed);
    CHECK(verdict(R"({"skill_used": ["pdf", "xls"]})", seen) == CheckVerdict::failed);
    CHECK(verdict(R"({"not_tool_used": "Bash"})", seen) == CheckVerdict::passed);
  }

  // upskill's bug 9: a command that does not end is an exception nobody catches.
  TEST_CASE("commands and judges") {
    const std::string command = R"({"any_of": [{"contains": "no"}, {"command": "make"}]})";
    Case graded = with_checks(command + R"(, {"judge": "good?"})");
    Needs needs = external_needs(graded);
    CHECK(needs.commands == std::vector<Needs::Command>{{"1.2", {"/bin/sh", "-c", "make"}, 60}});
    CHECK(needs.opinions == std::vector<Needs::Opinion>{{"2", "good?", ""}});
    Observation seen = answer("x");
    seen.opinions["2"] = {true, "it is"};
    auto outcome = [&](CommandOutcome result) {
      seen.commands["1.2"] = std::move(result);
      return grade(graded, seen).verdict;
    };
    CHECK(outcome({0, false, "ok"}) == CheckVerdict::passed);
    CHECK(outcome({2, false, "\xFF"}) == CheckVerdict::failed);
    CHECK(outcome({{}, true, ""}) == CheckVerdict::failed);
    CHECK(outcome({{}, false, "no sandbox"}) == CheckVerdict::unknown);
    CHECK(outcome({0, false, ""}) == CheckVerdict::passed);
    seen.opinions["2"] = {false, "it is not"};
    CHECK(grade(graded, seen).verdict == CheckVerdict::failed);
    seen.opinions["2"] = {{}, "no model"};
    CHECK(grade(graded, seen).verdict == CheckVerdict::unknown);
    CHECK(grade(graded, seen).checks[1].evidence == "the judge did not say: no model");
  }

  TEST_CASE("a comparison needs its reference, or what the case expects") {
    Case graded = with_checks(R"({"at_least_as_good": "42", "rubric": "brevity"},
                                 {"all_of": [{"at_least_as_good": true}]})",
                              R"(, "expected_output": "forty-two")");
    CHECK(external_needs(graded).opinions
          == std::vector<Needs::Opinion>{{"1", "brevity", "42"}, {"2.1", "", "forty-two"}});
    Observation seen = answer("42");
    seen.opinions["1"] = {true, "the same"};
    seen.opinions["2.1"] = {false, "too short"};
    Grade result = grade(graded, seen);
    CHECK(result.checks[0].verdict == CheckVerdict::passed);
    CHECK(result.checks[0].name == "at_least_as_good as `42`");
    CHECK(result.checks[1].verdict == CheckVerdict::failed);
  }

  TEST_CASE("files that are needed, wherever they are named") {
    Case graded = with_checks(R"({"all_of": [{"file_exists": "a"}, {"file_exists": "b/c"}]})",
                              R"(, "output_file": "out")");
    CHECK(external_needs(graded).files == std::set<std::string>{"a", "b/c", "out"});
  }

  TEST_CASE("score, threshold and upskill's count of assertions") {
    const std::string checks = R"({"contains": ["a", "b"]}, {"contains": "c", "weight": 2},
                                  {"contains": "d"}, {"contains": "e", "weight": 0})";
    Grade all = grade(with_checks(checks), answer("ab c"));
    CHECK(all.verdict == CheckVerdict::failed);
    CHECK(all.score == 0.75);
    CHECK(all.assertions_passed == 2);
    CHECK(all.assertions_total == 3); // one a check, whatever it looks for; none without weight
    CHECK(grade(with_checks(checks, R"(, "threshold": 0.75)"), answer("ab c")).verdict
          == CheckVerdict::passed);
    CHECK(grade(with_checks(checks, R"(, "threshold": 0.76)"), answer("ab c")).verdict
          == CheckVerdict::failed);
    Grade whole = grade(with_checks(checks), answer("abcd"));
    CHECK(whole.verdict == CheckVerdict::passed);
    CHECK(whole.score == 1.0);
  }

  // upskill's bug 11: what lies on the threshold passes or not by rounding.
  TEST_CASE("a share that is the threshold passes, for every number of checks") {
    for (int count = 1; count <= 40; ++count) {
      for (int passed = 1; passed <= count; ++passed) {
        Case graded;
        for (int i = 0; i < count; ++i) {
          Check check;
          check.values = {i < passed ? "x" : "y"};
          check.weight = 0.1;
          graded.checks.push_back(check);
        }
        graded.threshold = static_cast<double>(passed) / count;
        CAPTURE(count);
        CAPTURE(passed);
        CHECK(grade(graded, answer("x")).verdict == CheckVerdict::passed);
        graded.threshold = (passed + 0.5) / count;
        CHECK(grade(graded, answer("x")).verdict == CheckVerdict::failed);
      }
    }
  }

  TEST_CASE("a missing verdict counts only where it decides") {
    Observation seen = answer("a");
    CHECK(grade(with_checks(R"({"contains": "z"}, {"judge": "j"})"), seen).verdict
          == CheckVerdict::failed);
    CHECK(grade(with_checks(R"({"contains": "a"}, {"judge": "j"})"), seen).verdict
          == CheckVerdict::unknown);
    CHECK(grade(with_checks(R"({"contains": "a"}, {"judge": "j"})", R"(, "threshold": 0.5)"), seen)
              .verdict
          == CheckVerdict::passed);
    CHECK(verdict(R"({"any_of": [{"contains": "a"}, {"judge": "j"}]})", seen)
          == CheckVerdict::passed);
    CHECK(verdict(R"({"any_of": [{"contains": "z"}, {"judge": "j"}]})", seen)
          == CheckVerdict::unknown);
    Grade free = grade(with_checks(R"({"contains": "a"}, {"judge": "j", "weight": 0})"), seen);
    CHECK(free.verdict == CheckVerdict::passed);
    CHECK(free.score == 1.0);
    CHECK(free.checks[1].verdict == CheckVerdict::unknown); // reported all the same
  }

  TEST_CASE("a trigger query is graded by the skills that were used") {
    Case query = read_cases(R"([{"query": "q", "should_trigger": true}])")->cases[0];
    Case near_miss = read_cases(R"([{"query": "q", "should_trigger": false}])")->cases[0];
    Observation seen;
    seen.skill = "pdf";
    CHECK(grade(query, seen).verdict == CheckVerdict::unknown);
    CHECK(grade(near_miss, seen).verdict == CheckVerdict::unknown);
    seen.skills_used = {"pdf", "xls"};
    CHECK(grade(query, seen).verdict == CheckVerdict::passed);
    CHECK(grade(near_miss, seen).verdict == CheckVerdict::failed);
    seen.skills_used = {"xls"};
    CHECK(grade(query, seen).verdict == CheckVerdict::failed);
    CHECK(grade(near_miss, seen).verdict == CheckVerdict::passed);
    seen.skill.clear();
    CHECK(grade(near_miss, seen).verdict == CheckVerdict::unknown);
  }

  TEST_CASE("an answer of any bytes has a verdict") {
    for (std::string text : {std::string("\xFF\xFE\0x", 4), std::string(), std::string(1, '\0')}) {
      CHECK(verdict(R"({"contains": "x"})", answer(text))
            == (text.size() == 4 ? CheckVerdict::passed : CheckVerdict::failed));
      CHECK(verdict(R"({"regex": "^.*x$"})", answer("\xFFx")) == CheckVerdict::passed);
      CHECK(verdict(R"({"is_json": true})", answer(text)) == CheckVerdict::failed);
    }
    // A back-tracking matcher takes 2^1000 steps for this one.
    CHECK(verdict(R"-({"regex": "^(a+)+$"})-", answer(std::string(100'000, 'a') + "b"))
          == CheckVerdict::failed);
  }

  TEST_CASE("a case that nobody can pass or fail has no verdict") {
    CHECK(grade(Case{}, Observation{}).verdict == CheckVerdict::unknown);
    CHECK_FALSE(grade(Case{}, Observation{}).score);
  }
}
