#include "skills/eval/changed_junit.h"
#include "skills/eval/changed_markdown.h"
#include "tests/support/markup.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;

namespace {

WatchedSubject subject(WatchVerdict verdict, WatchReason reason, std::string why) {
  WatchedSubject one;
  one.model = "haiku";
  one.student = "chat";
  one.verdict = verdict;
  one.reason = reason;
  one.why = std::move(why);
  return one;
}

ChangedSkillReport skill(std::string name, WatchVerdict verdict) {
  ChangedSkillReport report{std::move(name)};
  report.path = "skills/" + report.skill;
  report.verdict = verdict;
  return report;
}

EvalChangedResult three_skills() {
  EvalChangedResult result{"main", std::string(40, 'a'), "/repo"};
  ChangedSkillReport good = skill("good", WatchVerdict::ok);
  good.changed = {"body"};
  good.subjects = {subject(WatchVerdict::ok, WatchReason::held, "as good")};
  ChangedSkillReport bad = skill("bad", WatchVerdict::regressed);
  bad.subjects = {subject(WatchVerdict::regressed, WatchReason::dropped, "90% -> 50%"),
                  subject(WatchVerdict::undecided, WatchReason::out_of_runs, "who knows")};
  bad.subjects[0].accepted_rate = 0.9;
  bad.subjects[0].rate = EvalShare{0.5, 0.25, 0.75};
  bad.subjects[0].samples = 8;
  bad.subjects[1].student = "agent";
  ChangedSkillReport bare = skill("bare", WatchVerdict::undecided);
  bare.fate = SkillFate::added;
  bare.reason = WatchReason::no_cases;
  bare.why = "no cases";
  bare.faults = {"it is not valid: no description"};
  result.skills = {good, bad, bare};
  return result;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("changed_reports") {
  TEST_CASE("JUnit has a suite for each skill and a test for each subject") {
    std::string xml = eval::changed_junit(three_skills());
    CHECK(test::parse_markup(xml).name == "testsuites");
    // good 1; bad 2, one of them failed and one skipped; bare is skipped and has a failed fault.
    CHECK(has(xml,
              "<testsuites name=\"skills changed since main\" tests=\"5\" failures=\"2\" "
              "errors=\"0\" skipped=\"2\">"));
    CHECK(
        has(xml, "<testsuite name=\"bad\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\">"));
    CHECK(
        has(xml, "<failure message=\"90% -&gt; 50%\" type=\"REGRESSED\">90% -&gt; 50%</failure>"));
    CHECK(has(xml, "<testcase name=\"haiku (agent) forced\" classname=\"bad\">"));
    CHECK(has(xml, "<skipped message=\"who knows\"/>"));
    CHECK(has(xml, "<testcase name=\"all of it\" classname=\"bare\">"));
    CHECK(has(xml, "type=\"fault\">it is not valid: no description</failure>"));
    CHECK(has(xml, "<property name=\"haiku forced base rate\" value=\"0.9000\"/>"));
  }

  TEST_CASE("JUnit of nothing is a document") {
    std::string xml = eval::changed_junit({});
    CHECK(test::parse_markup(xml).name == "testsuites");
    CHECK(has(xml, "tests=\"0\""));
  }

  TEST_CASE("JUnit escapes what strangers wrote") {
    EvalChangedResult result{"\"><x/>"};
    ChangedSkillReport evil = skill("a\"<b>\n&\x01\xff", WatchVerdict::regressed);
    evil.subjects = {subject(WatchVerdict::regressed, WatchReason::dropped, "]]></failure><x>\n2")};
    evil.from = "<&>";
    evil.faults = {"<script>"};
    result.skills = {evil};
    std::string xml = eval::changed_junit(result);
    CHECK(test::parse_markup(xml).name == "testsuites");
    CHECK_FALSE(has(xml, "<x"));
    CHECK_FALSE(has(xml, "<script"));
  }

  TEST_CASE("Markdown has bad news first, and why") {
    std::string text = eval::changed_markdown(three_skills());
    CHECK(has(text,
              "| bad | nothing an agent notices | haiku | 90% | 50% \\[25%, 75%\\] | 8 | "
              ":x: **REGRESSED**<br>90% -\\> 50% |\n"));
    CHECK(has(text, "| bare | new | - | - | - | - | :grey_question: UNDECIDED<br>no cases |\n"));
    CHECK(has(text, "| good | body | haiku | - | - | 0 | :white_check_mark: OK |\n"));
    CHECK(text.find("| bad |") < text.find("| bare |"));
    CHECK(text.find("| bare |") < text.find("| good |"));
    CHECK(has(text, "- bare: it is not valid\\: no description\n"));
    CHECK(has(text, "Against aaaaaaaaaaaa; 0 questions were asked"));
  }

  TEST_CASE("Markdown lets nobody out of a row") {
    EvalChangedResult result{"main"};
    ChangedSkillReport evil = skill("a | b\n| c | @you <img>", WatchVerdict::undecided);
    evil.why = "[x](http://x) `code`";
    result.skills = {evil};
    std::string text = eval::changed_markdown(result);
    std::size_t row = text.find("| a \\| b \\| c");
    REQUIRE(row != std::string::npos);
    CHECK_FALSE(has(text, "<img"));
    CHECK_FALSE(has(text, "@you"));
    CHECK_FALSE(has(text, "[x]("));
  }

  TEST_CASE("Markdown is bounded") {
    EvalChangedResult result{"main"};
    for (int i = 0; i < 5'000; ++i) {
      ChangedSkillReport one = skill("s" + std::to_string(i), WatchVerdict::undecided);
      one.why = std::string(600, 'x');
      result.skills.push_back(std::move(one));
    }
    std::string text = eval::changed_markdown(result);
    CHECK(text.size() < (1u << 20));
    CHECK(has(text, "more skills are left out here"));
  }
}
