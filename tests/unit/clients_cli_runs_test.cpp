#include "clients/cli/bars.h"
#include "clients/cli/render.h"
#include "clients/cli/text.h"
#include "protocol/codec/codec.h"

#include <doctest/doctest.h>

#include <limits>

using namespace upskill;
using namespace upskill::cli;

namespace {

std::string shown(const RunsResult& result,
                  std::vector<std::string_view> words = {"runs"},
                  bool unicode = true) {
  Screen screen;
  screen.unicode = unicode;
  screen.home = "/home/ann";
  Page page(screen);
  auto invocation = parse(words);
  REQUIRE(invocation);
  std::string text = encode(result);
  auto reader = connect::TextReader::open(text, "the result");
  REQUIRE(reader);
  Result<void> done = render(page, *invocation, *reader);
  if (!done) {
    FAIL(done.error().message);
  }
  return page.text(Stream::out);
}

RunsArm arm_of(double rate, double tokens = 100) {
  RunsArm arm;
  arm.runs = 3;
  arm.rate = rate;
  arm.tokens = tokens;
  return arm;
}

RunsRow row_of(std::string skill, std::string model, double baseline, double with) {
  RunsRow row;
  row.skill = std::move(skill);
  row.model = std::move(model);
  row.time = "2026-01-28T14:03:11.482913";
  row.baseline = arm_of(baseline);
  row.with_skill = arm_of(with, 150);
  row.lift = with - baseline;
  return row;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) {
    ++found;
  }
  return found;
}

} // namespace

TEST_SUITE("bars") {
  TEST_CASE("have 20 cells whatever the share") {
    for (bool unicode : {true, false}) {
      Screen screen;
      screen.unicode = unicode;
      Page page(screen);
      for (double share : {-1.0, 0.0, 0.024, 0.026, 0.5, 0.976, 1.0, 7.0}) {
        CHECK(display_width(bar(page, share)) == 20);
      }
      CHECK(count_of(bar(page, 0.6), page.sign("█", "#")) == 12);
    }
  }

  TEST_CASE("a loss is as visible as a gain") {
    CHECK(points(0.354) == "+35%");
    CHECK(points(-0.05) == "-5%");
    CHECK(points(0) == "+0%");
    CHECK(percent(0.954) == "95%");
  }
}

TEST_SUITE("render runs") {
  TEST_CASE("one skill has a panel for each model") {
    RunsResult result;
    result.rows = {row_of("pdf", "haiku", 0.6, 0.95), row_of("pdf", "opus", 0.9, 0.8)};
    std::string out = shown(result, {"runs"}, false);
    CHECK(has(out, "Config source: defaults"));
    CHECK(has(out, "pdf  pass rate"));
    CHECK(has(out, "haiku  2026-01-28 14:03"));
    CHECK(has(out, "  baseline    ############........  60%          3 runs"));
    CHECK(has(out, "  with skill  ###################.  95%  (+35%)  3 runs"));
    CHECK(has(out, "(-10%)"));
    CHECK(count_of(out, "with skill") == 2);
  }

  TEST_CASE("one model has a panel for each skill") {
    RunsResult result;
    result.rows = {row_of("csv", "haiku", 0, 1), row_of("pdf", "haiku", 1, 1)};
    std::string out = shown(result);
    CHECK(has(out, "haiku  pass rate"));
    CHECK(has(out, "csv  2026"));
    CHECK(has(out, "pdf  2026"));
  }

  TEST_CASE("several of both are a matrix, with holes where nothing was run") {
    RunsResult result;
    result.rows = {row_of("csv", "opus", 0.6, 0.8), row_of("pdf", "haiku", 0.5, 0.25)};
    std::string out = shown(result, {"runs"}, false);
    CHECK(has(out, "SKILL  haiku     opus\n"));
    CHECK(has(out, "csv              60%->80%"));
    CHECK(has(out, "pdf    50%->25%"));
    CHECK_FALSE(has(out, "#"));
    CHECK(has(shown(result, {"runs", "--metric", "tokens"}, false), "100->150"));
  }

  TEST_CASE("a matrix of more models than fit is several, and cuts no number") {
    RunsResult result;
    for (const char* skill : {"csv", "pdf"}) {
      for (int i = 1; i <= 12; ++i) {
        result.rows.push_back(row_of(skill, "a-model-" + std::to_string(i), 0, 1));
      }
    }
    std::string out = shown(result, {"runs"}, false);
    CHECK(count_of(out, "0%->100%") == 24);
    CHECK(count_of(out, "SKILL") == 4); // three models at a time
    for (int i = 1; i <= 12; ++i) {
      CHECK(count_of(out, "a-model-" + std::to_string(i)) >= 1);
    }
  }

  TEST_CASE("tokens are told by their number, the longest bar is the most") {
    RunsResult result;
    result.rows = {row_of("pdf", "haiku", 0.6, 0.95)};
    std::string out = shown(result, {"runs", "--metric", "tokens"}, false);
    CHECK(has(out, "#############.......  100"));
    CHECK(has(out, "####################  150  (+50%)"));
  }

  TEST_CASE("what is unknown is no 0") {
    RunsResult result;
    RunsRow& row = result.rows.emplace_back();
    row.model = "haiku";
    row.unknown = RunsArm{};
    row.unknown->runs = 2;
    row.unknown->incomplete = 2;
    std::string out = shown(result);
    CHECK(has(out, "a skill that is not told"));
    CHECK(has(out, "nothing is known"));
    CHECK(has(out, "2 runs, 2 with errors"));
    CHECK_FALSE(has(out, "0%"));
  }

  TEST_CASE("a model by another student is another column") {
    RunsResult result;
    result.rows = {row_of("pdf", "haiku", 0.6, 0.95), row_of("pdf", "haiku", 0.1, 0.2)};
    result.rows[0].student = "agent";
    result.rows[1].student = "chat";
    std::string out = shown(result);
    CHECK(has(out, "haiku by agent  2026"));
    CHECK(has(out, "haiku  2026"));
  }

  TEST_CASE("another version in the other arm is not called a baseline") {
    RunsResult result;
    result.rows = {row_of("pdf", "haiku", 0.6, 0.95)};
    result.rows[0].against = "../old";
    CHECK_FALSE(has(shown(result), "baseline"));
    CHECK(has(shown(result), "other version"));
  }

  TEST_CASE("no log can act on a terminal or break a number") {
    RunsResult result;
    result.rows = {row_of("evil\x1b[2J", "m\x1b]0;owned\x07\r", -5, 1e300),
                   row_of("pdf", "haiku", 0.5, 0.5)};
    result.rows[0].with_skill->tokens = 1e300;
    result.rows[0].baseline->tokens = 1e-300;
    result.rows[1].time = "\x1b[31m";
    for (std::string_view metric : {"success", "tokens"}) {
      std::string out = shown(result, {"runs", "--metric", metric});
      CHECK_FALSE(has(out, "\x1b"));
      CHECK_FALSE(has(out, "\r"));
      RunsResult one;
      one.rows = {result.rows[0]};
      CHECK_FALSE(has(shown(one, {"runs", "--metric", metric}), "\x1b"));
    }
  }

  TEST_CASE("nothing is told with the next step") {
    RunsResult result;
    result.dir = "/home/ann/runs";
    std::string out = shown(result);
    CHECK(has(out, "no runs in ~/runs"));
    CHECK(has(out, "`upskill eval`"));
  }
}
