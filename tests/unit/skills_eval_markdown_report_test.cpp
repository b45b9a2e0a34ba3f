#include "skills/eval/markdown_report.h"
#include "skills/eval/markup.h"
#include "skills/eval/report_numbers.h"
#include "tests/unit/skills_eval_results.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::eval;
using namespace upskill::eval::test;

TEST_SUITE("markdown_report") {
  TEST_CASE("a row for each model") {
    EvalResult result = result_of(3, 2);
    result.models[0].lift = EvalLift{.35, .1, .55};
    result.models[0].verdict = EvalVerdict::better;
    result.models[1].lift = EvalLift{-.35, -.55, -.1};
    result.models[1].verdict = EvalVerdict::worse;
    const std::string text = markdown_report(result);
    CHECK(text.find("| model 1 | 33.3% | 66.7% | +35% [+10%, +55%] | **better** |\n")
          != std::string::npos);
    CHECK(text.find("| model 2 | 33.3% | 66.7% | -35% [-55%, -10%] | **WORSE** |\n")
          != std::string::npos);
    CHECK(text.find("Scripted") == std::string::npos);
    CHECK(text.find("3 cases, 1 runs each, seed 1, skill abc123.") != std::string::npos);
  }

  TEST_CASE("why it is undecided, and what else to know") {
    EvalResult result = result_of(3);
    result.models[0].more_cases = 1'200;
    result.scripted = true;
    result.warnings.assign(25, "look out");
    result.failed = "too low";
    const std::string text = markdown_report(result);
    CHECK(text.find("undecided: too few cases for any verdict; needs about 1,200 more cases")
          != std::string::npos);
    CHECK(text.find("**Scripted:**") != std::string::npos);
    CHECK(text.find("**Failed:** too low") != std::string::npos);
    CHECK(text.find("- 5 more warnings") != std::string::npos);
  }

  TEST_CASE("students of one model, and samples without an outcome") {
    EvalResult result = result_of(3, 2);
    result.models[0].model = result.models[1].model = "haiku";
    result.models[1].student = "agent";
    result.models[1].with_skill.errors = 2;
    result.models[1].error = "the server is busy";
    const std::string text = markdown_report(result);
    CHECK(text.find("| haiku by chat | ") != std::string::npos);
    CHECK(text.find("| haiku by agent | ") != std::string::npos);
    CHECK(text.find("\n- haiku by agent: 2 samples have no outcome; first: the server is busy\n")
          != std::string::npos);
    CHECK(text.find("haiku by chat: ") == std::string::npos);
  }

  TEST_CASE("what it was compared with, and skills together") {
    EvalResult result = result_of(3);
    result.against = "old/greet";
    EvalCombination none;
    none.model = "m|1";
    none.arm.rate = .25;
    EvalCombination both = none;
    both.skills = {"greet", "a_b"};
    both.arm.rate = .75;
    both.lift = EvalLift{.5, .25, .75};
    result.combinations = {none, both};
    const std::string text = markdown_report(result);
    CHECK(text.find("| model | other version | with skill |") != std::string::npos);
    CHECK(text.find("The other version is old/greet.\n") != std::string::npos);
    CHECK(text.find("baseline") == std::string::npos);
    CHECK(text.find("| m\\|1 | none | 25% | - | - |\n") != std::string::npos);
    CHECK(text.find("| m\\|1 | greet, a\\_b | 75% | +50% [+25%, +75%] | - |\n")
          != std::string::npos);
    result.combinations.assign(201, both);
    CHECK(markdown_report(result).find("\n1 more are left out here.") != std::string::npos);
  }

  TEST_CASE("no text is markup, ends a row, or calls a person") {
    EvalResult result = result_of(1, 1, false);
    result.models[0].model = "a|b\n# <img src=x> [x](http://x) @someone `x` &copy;";
    const std::string text = markdown_report(result);
    CHECK(std::ranges::count(text, '<') == 0);
    CHECK(text.find("a\\|b \\# &lt;img") != std::string::npos);
    CHECK(text.find("@someone") == std::string::npos);
    CHECK(text.find("\\[x\\](http\\://x)") != std::string::npos);
    CHECK(text.find("&amp;copy;") != std::string::npos);
    CHECK(text.find(" | - | ") != std::string::npos); // no baseline
    CHECK(markdown_report(hostile_result()).find('\x1b') == std::string::npos);
    CHECK_FALSE(markdown_report({}).empty());
  }
}

TEST_SUITE("report_numbers") {
  TEST_CASE("numbers as people read them") {
    CHECK(as_percent(.6) == "60%");
    CHECK(as_percent(2 / 3.0) == "66.7%");
    CHECK(as_percent(0) == "0%");
    CHECK(as_percent({}) == "unknown");
    CHECK(as_change(.35) == "+35%");
    CHECK(as_change(-.05) == "-5%");
    CHECK(as_change(0) == "0%");
    CHECK(as_change(-.0001) == "0%");
    CHECK(as_change(.0001) == "0%");
    CHECK(as_count(0) == "0");
    CHECK(as_count(999) == "999");
    CHECK(as_count(1'000) == "1,000");
    CHECK(as_count(-1'234'567) == "-1,234,567");
    CHECK(as_count(-123) == "-123");
    CHECK(as_count({}) == "unknown");
    CHECK(as_dollars(0) == "$0");
    CHECK(as_dollars(.00001) == "under $0.0001");
    CHECK(as_dollars(.0123) == "$0.0123");
    CHECK(as_dollars(12.5) == "$12.50");
    CHECK(as_dollars({}) == "unknown");
    CHECK(as_seconds(1'250) == "1.25 s");
    CHECK(as_ratio(1.254) == "1.25x");
    CHECK(as_lift(.1, -.2, .4) == "+10% [-20%, +40%]");
    CHECK(as_decimal(1e308, 1).size() == 311);
  }
}

TEST_SUITE("markup") {
  TEST_CASE("texts and values") {
    std::string text;
    append_text(text, "a<b>&\"'\t\n\r\n\rc\x01\x7f\xC2\x9F\xC2\xA0\xEF\xBF\xBE\xFF");
    CHECK(text
          == "a&lt;b&gt;&amp;&quot;&#39;\t\n\n\nc\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xC2\xA0"
             "\xEF\xBF\xBD\xEF\xBF\xBD");
    std::string value;
    append_attribute(value, "a\tb\nc\r\nd");
    CHECK(value == "a&#9;b&#10;c&#10;d");
    std::string nul;
    append_text(nul, std::string_view("\0x", 2));
    CHECK(nul == "\xEF\xBF\xBDx");
  }
}
