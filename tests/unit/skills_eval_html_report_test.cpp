#include "protocol/base/utf8.h"
#include "skills/eval/html_report.h"
#include "skills/eval/svg_plot.h"
#include "tests/support/markup.h"
#include "tests/unit/skills_eval_results.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

using namespace upskill;
using namespace upskill::eval;
using namespace upskill::eval::test;
using doctest::Approx;
using upskill::test::Element;
using upskill::test::parse_markup;

namespace {

std::vector<const Element*>
of_class(const Element& in, std::string_view name, std::string_view wanted) {
  std::vector<const Element*> found = in.all(name);
  std::erase_if(found, [&](const Element* one) {
    return one->attribute("class").find(wanted) == std::string::npos;
  });
  return found;
}

// The ids of the cases of a model's table, as they are shown.
std::vector<std::string> shown_cases(const Element& section) {
  std::vector<std::string> ids;
  for (const Element* body : section.all("tbody")) {
    for (const Element* head : body->all("th")) {
      if (head->text.starts_with("case ")) {
        ids.push_back(head->text);
      }
    }
  }
  return ids;
}

bool has_handler(const Element& element) {
  return std::ranges::any_of(element.attributes,
                             [](const auto& one) { return one.first.starts_with("on"); })
         || std::ranges::any_of(element.children, has_handler);
}

double number(const Element& element, const std::string& attribute) {
  return std::strtod(element.attribute(attribute).c_str(), nullptr);
}

} // namespace

TEST_SUITE("html_report") {
  TEST_CASE("one file that says what the samples say") {
    EvalResult result = result_of(3, 2);
    result.models[0].verdict = EvalVerdict::worse;
    const std::string html = html_report(result);
    const Element page = parse_markup(html);
    CHECK(page.all("title").front()->text == "Evaluation of pdf-forms");
    CHECK(page.text.find("abc123") != std::string::npos);
    CHECK(page.text.find("2026-11-23T08:00:00Z") != std::string::npos);
    CHECK(page.all("section").size() == 2);
    // A harm is said as loudly as a gain: a word, a sign and a colour.
    const auto verdicts = of_class(page, "span", "verdict");
    REQUIRE(verdicts.size() == 2);
    CHECK(verdicts[0]->attribute("class") == "verdict worse");
    CHECK(verdicts[0]->text.ends_with("worse"));
    CHECK(verdicts[1]->attribute("class") == "verdict undecided");
    // With: passed, failed, passed. Without: the reverse.
    const Element& section = *page.all("section").front();
    const auto bars = of_class(section, "pre", "bars");
    REQUIRE(bars.size() == 1);
    CHECK(bars[0]->text.find("33.3%") < bars[0]->text.find("66.7%"));
    CHECK(bars[0]->text.ends_with("(+33.3%)"));
    CHECK(shown_cases(section) == std::vector<std::string>{"case 2", "case 1", "case 3"});
    CHECK(of_class(section, "td", "worse").front()->text == "-100% worse");
    CHECK(of_class(section, "td", "better").size() == 2);
    CHECK(of_class(section, "div", "sample").size() == 6);
    CHECK(section.text.find("prompt of case 2") != std::string::npos);
    CHECK(section.text.find("an answer") != std::string::npos);
    CHECK(section.text.find("x is there") != std::string::npos);
    CHECK(section.text.find("100 tokens, cost $0.0010, time 1.50 s") != std::string::npos);
  }

  TEST_CASE("nothing comes from elsewhere, and nothing may") {
    const std::string html = html_report(hostile_result());
    const Element page = parse_markup(html);
    for (std::string_view element : {"script", "link", "img", "iframe", "object", "base", "form"}) {
      CHECK(page.all(element).empty());
    }
    const auto policy = page.all("meta")[1]->attribute("content");
    CHECK(page.all("meta")[1]->attribute("http-equiv") == "Content-Security-Policy");
    CHECK(policy.find("default-src 'none'") != std::string::npos);
    CHECK(policy.find("script-src") == std::string::npos);
    CHECK(html.find(" src=") == std::string::npos);
    CHECK(html.find("href=") == std::string::npos);
    CHECK(html.find("url(") == std::string::npos);
    CHECK(html.find("@import") == std::string::npos);
    CHECK_FALSE(has_handler(page));
  }

  TEST_CASE("hostile texts are texts") {
    const std::string html = html_report(hostile_result()); // it parses, so nothing broke out
    const Element page = parse_markup(html);
    CHECK(html.find("<script") == std::string::npos);
    CHECK(html.find("</pre></td>\"") == std::string::npos);
    // And they are still all there.
    CHECK(page.all("h1").front()->text.find("<script>alert(1)</script>\"'&amp; ]]> ")
          != std::string::npos);
    const auto outputs = page.all("pre");
    CHECK(std::ranges::any_of(outputs, [](const Element* one) {
      return one->text.starts_with("<script>") && one->text.ends_with("</pre></td>");
    }));
  }

  TEST_CASE("errors, and what is unknown") {
    EvalResult result = result_of(5);
    const Element page = parse_markup(html_report(result));
    CHECK(page.text.find("the server is away") != std::string::npos);
    CHECK(of_class(page, "div", "sample error").size() == 1);
    // The case with the error has no change, and stands last.
    CHECK(shown_cases(*page.all("section").front()).back() == "case 5");
    CHECK(page.text.find("unknown") != std::string::npos);
    CHECK(page.text.find("nan") == std::string::npos);
    CHECK(page.text.find("inf") == std::string::npos);
  }

  TEST_CASE("a script is no model, and says so first") {
    EvalResult result = result_of(3);
    CHECK(html_report(result).find("Scripted") == std::string::npos);
    result.scripted = true;
    const Element page = parse_markup(html_report(result));
    CHECK(of_class(page, "p", "notice").front()->text.starts_with("Scripted:"));
  }

  TEST_CASE("one arm only") {
    const Element page = parse_markup(html_report(result_of(4, 1, false)));
    CHECK(page.all("svg").empty());
    CHECK(page.text.find("nothing was asked without the skill") != std::string::npos);
    const auto ids = shown_cases(*page.all("section").front());
    CHECK(ids == std::vector<std::string>{"case 2", "case 1", "case 3", "case 4"});
    for (const Element* bars : of_class(page, "pre", "bars")) {
      CHECK(bars->text.find("baseline") == std::string::npos);
    }
  }

  TEST_CASE("nothing at all") {
    const Element empty = parse_markup(html_report({}));
    CHECK(empty.text.find("No model was asked.") != std::string::npos);
    EvalResult result = result_of(3);
    result.models[0].samples.clear();
    result.models[0].cases.clear();
    CHECK(parse_markup(html_report(result)).text.find("no samples") != std::string::npos);
  }

  TEST_CASE("2,000 cases are told in full, and the greatest losses are among them") {
    const EvalResult result = result_of(2'001);
    const Element page = parse_markup(html_report(result));
    const auto ids = shown_cases(*page.all("section").front());
    CHECK(ids.size() == 2'000);
    CHECK(ids.front() == "case 2");
    CHECK(page.text.find("1 more cases are left out") != std::string::npos);
    const Element whole = parse_markup(html_report(result_of(2'000)));
    CHECK(shown_cases(*whole.all("section").front()).size() == 2'000);
    CHECK(whole.text.find("left out") == std::string::npos);
  }

  TEST_CASE("a file does not outgrow its limit, and each model has its share") {
    EvalResult result = result_of(60, 2);
    for (EvalModelReport& model : result.models) {
      for (EvalSample& one : model.samples) {
        one.output = std::string(60'000, '<'); // four bytes each
      }
    }
    HtmlLimits limits;
    limits.bytes = 2'000'000;
    const std::string html = html_report(result, limits);
    CHECK(html.size() <= limits.bytes);
    const Element page = parse_markup(html);
    for (const Element* section : page.all("section")) {
      CHECK(section->text.find(std::string(60'000, '<')) != std::string::npos);
      CHECK(section->text.find("output: left out") != std::string::npos);
    }
    CHECK(of_class(page, "p", "notice").front()->text.starts_with("To keep this file small"));
    // Rows have a limit, too.
    limits.bytes = 300'000;
    const std::string small = html_report(result_of(2'000, 3), limits);
    CHECK(small.size() <= limits.bytes);
    CHECK(parse_markup(small).text.find("more cases are left out") != std::string::npos);
  }

  TEST_CASE("triggers and combinations have tables where there are any") {
    EvalResult result = result_of(3);
    CHECK(html_report(result).find("Was the skill picked?") == std::string::npos);
    CHECK(html_report(result).find("Skills together") == std::string::npos);
    EvalTrigger trigger;
    trigger.true_positives = 7;
    trigger.recall = EvalShare{.875, .5, .98};
    result.models[0].trigger = trigger;
    result.combinations = {{"model 1", {"pdf-forms", "docx"}, {}, EvalLift{-.2, -.3, -.1}, {}}};
    const Element page = parse_markup(html_report(result));
    CHECK(page.text.find("87.5% [50%, 98%]") != std::string::npos);
    CHECK(page.text.find("pdf-forms, docx") != std::string::npos);
    const auto worse = of_class(page, "td", "n worse");
    CHECK(std::ranges::any_of(worse,
                              [](const Element* one) { return one->text == "-20% [-30%, -10%]"; }));
  }
}

TEST_SUITE("svg_plot") {
  TEST_CASE("lines end where intervals do") {
    const Element svg = parse_markup(forest_plot(std::vector<PlottedLift>{
        {"a <b>", {.35, .1, .6}, EvalVerdict::better}, {"c", {-.2, -.4, 0}, EvalVerdict::worse}}));
    // From -40 to +60 %: the plot's 370 units begin at 220, so a tenth is 37.
    const auto groups = svg.all("g");
    REQUIRE(groups.size() == 2);
    CHECK(groups[0]->attribute("class") == "better");
    CHECK(groups[0]->all("title").front()->text == "a <b>");
    const auto lines = groups[0]->all("line");
    REQUIRE(lines.size() == 3);
    CHECK(number(*lines[0], "x1") == Approx(220 + 5 * 37));
    CHECK(number(*lines[0], "x2") == Approx(590));
    CHECK(number(*groups[0]->all("circle").front(), "cx") == Approx(220 + 7.5 * 37));
    CHECK(number(*groups[1]->all("line").front(), "x1") == Approx(220));
    CHECK(number(*groups[1]->all("line").front(), "x2") == Approx(220 + 4 * 37));
    const auto zero = of_class(svg, "line", "zero");
    REQUIRE(zero.size() == 1);
    CHECK(number(*zero[0], "x1") == Approx(220 + 4 * 37));
    CHECK(svg.text.find("+35% [+10%, +60%]") != std::string::npos);
    CHECK(groups[1]->attribute("class") == "worse");
  }

  TEST_CASE("the zero line is always there, and nothing lies outside") {
    for (const EvalLift& lift :
         {EvalLift{0, 0, 0}, EvalLift{1, .96, 1}, EvalLift{-1, -1, -.9}, EvalLift{0, -3, 3}}) {
      const Element svg = parse_markup(forest_plot(std::vector<PlottedLift>{{"m", lift, {}}}));
      CHECK(of_class(svg, "line", "zero").size() == 1);
      for (const Element* line : svg.all("line")) {
        CHECK(number(*line, "x1") >= 220);
        CHECK(number(*line, "x2") <= 590);
      }
    }
    CHECK(forest_plot({}).empty());
  }

  TEST_CASE("bars have twenty cells") {
    for (const std::optional<double> rate : {std::optional(0.0), {.6}, {1.0}, {7.0}, {-1.0}}) {
      CHECK(code_points(rate_bar(rate)) == 20);
    }
    CHECK(rate_bar(.6).find("\xE2\x96\x91") == 12 * 3);
    CHECK(rate_bar({}) == std::string(20, ' '));
  }
}
