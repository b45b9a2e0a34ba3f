#include "skills/regression/settings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace upskill::regression;

namespace {

using Names = std::vector<std::string>;

struct Combination {
  WatchSettings settings = {};
  Names warnings = {};

  bool warns(std::string_view part) const {
    return std::ranges::any_of(warnings, [&](const std::string& warning) {
      return warning.find(part) != std::string::npos;
    });
  }
};

Combination with(const WatchSettings& person, const WatchSettings& file, FileTrust trust) {
  Combination both;
  both.settings = combined(person, file, trust, both.warnings);
  return both;
}

} // namespace

TEST_SUITE("combined settings of watching") {
  TEST_CASE("nobody says anything: the defaults, which spend nothing unasked") {
    for (FileTrust trust : {FileTrust::untrusted, FileTrust::trusted}) {
      Combination both = with({}, {}, trust);
      CHECK(both.settings == default_settings());
      CHECK(both.settings.mode == WatchMode::ask);
      CHECK(both.settings.thresholds == WatchThresholds{.drop = 0.2, .alpha = 0.05, .beta = 0.05});
      CHECK(both.settings.models.empty());
      CHECK(both.warnings.empty());
    }
  }

  TEST_CASE("a trusted file replaces what it says, number by number") {
    WatchSettings person{.mode = WatchMode::ask,
                         .models = {"haiku"},
                         .runs = 5,
                         .budget = {.hour = {.usd = 1.0, .runs = 10}, .day = {.usd = 3.0}},
                         .thresholds = {.drop = 0.1}};
    WatchSettings file{.mode = WatchMode::automatic,
                       .models = {"opus", "sonnet"},
                       .students = {"agent"},
                       .budget = {.hour = {.usd = 2.0}},
                       .thresholds = {.alpha = 0.1}};
    Combination both = with(person, file, FileTrust::trusted);
    CHECK(both.settings
          == WatchSettings{.mode = WatchMode::automatic,
                           .models = {"opus", "sonnet"},
                           .students = {"agent"},
                           .runs = 5,
                           .budget = {.hour = {.usd = 2.0, .runs = 10}, .day = {.usd = 3.0}},
                           .thresholds = {.drop = 0.1, .alpha = 0.1, .beta = 0.05}});
    CHECK(both.warnings.empty());
  }

  TEST_CASE("one that is not trusted takes the mode down, never up") {
    using enum WatchMode;
    for (WatchMode own : {off, ask, automatic}) {
      for (WatchMode asked : {off, ask, automatic}) {
        Combination both = with({.mode = own}, {.mode = asked}, FileTrust::untrusted);
        CHECK(both.settings.mode == std::min(own, asked));
        CHECK(both.warns("mode") == (asked > own));
      }
    }
    // Who said nothing said ask.
    CHECK(with({}, {.mode = automatic}, FileTrust::untrusted).settings.mode == ask);
    CHECK(with({.mode = automatic}, {}, FileTrust::untrusted).settings.mode == automatic);
  }

  TEST_CASE("one that is not trusted chooses among the person's models and students") {
    WatchSettings person{.models = {"haiku", "sonnet", "opus"}, .students = {"chat", "agent"}};
    Combination both = with(
        person, {.models = {"opus", "gpt", "haiku"}, .students = {"agent"}}, FileTrust::untrusted);
    CHECK(both.settings.models == Names{"haiku", "opus"});
    CHECK(both.settings.students == Names{"agent"});
    CHECK(both.warns("models"));
    CHECK_FALSE(both.warns("students"));
    // Of none that it names: the person's.
    CHECK(with(person, {.models = {"gpt"}}, FileTrust::untrusted).settings.models == person.models);
    // A person who names none has one that costs nothing more: nobody else's.
    Combination none = with({}, {.models = {"opus"}}, FileTrust::untrusted);
    CHECK(none.settings.models.empty());
    CHECK(none.warns("models"));
    CHECK(with({}, {.students = {"agent"}}, FileTrust::untrusted).settings.students
          == Names{"chat"});
  }

  TEST_CASE("one that is not trusted makes numbers smaller, and tells what it wanted more of") {
    WatchSettings person{
        .runs = 5,
        .budget = {.hour = {.usd = 1.0, .tokens = 100}, .day = {.tokens = 500, .runs = 50}},
        .thresholds = {.drop = 0.1}};
    WatchSettings less{.runs = 4,
                       .budget = {.hour = {.usd = 0.5, .tokens = 99, .runs = 3},
                                  .day = {.usd = 2.0, .tokens = 499, .runs = 49}},
                       .thresholds = {.drop = 0.05, .alpha = 0.01, .beta = 0.02}};
    Combination smaller = with(person, less, FileTrust::untrusted);
    WatchSettings expected = less;
    expected.mode = WatchMode::ask;
    expected.students = {"chat"};
    CHECK(smaller.settings == expected);
    CHECK(smaller.warnings.empty());

    WatchSettings more{.runs = 6,
                       .budget = {.hour = {.usd = 1.5, .tokens = 101}, .day = {.runs = 51}},
                       .thresholds = {.drop = 0.15, .alpha = 0.06, .beta = 0.11}};
    Combination larger = with(person, more, FileTrust::untrusted);
    CHECK(larger.settings == overridden(default_settings(), person));
    CHECK(larger.warnings.size() == 7);
    for (std::string_view key : {"`runs`",
                                 "`budget.hour.usd`",
                                 "`budget.hour.tokens`",
                                 "`budget.day.runs`",
                                 "`thresholds.drop`",
                                 "`thresholds.alpha`",
                                 "`thresholds.beta`"}) {
      CHECK(larger.warns(key));
    }
    Combination same = with(person, person, FileTrust::untrusted);
    CHECK(same.settings == larger.settings);
    CHECK(same.warnings.empty());
    // Who said no number said the default's.
    CHECK(with({}, {.runs = 1000}, FileTrust::untrusted).settings.runs == default_settings().runs);
  }

  TEST_CASE("of two budgets the smaller numbers") {
    WatchBudget both = smaller_budget({.hour = {.usd = 1.0, .tokens = 5}, .day = {.runs = 7}},
                                      {.hour = {.usd = 2.0, .runs = 3}, .day = {.runs = 6}});
    CHECK(both.hour == Allowance{.usd = 1.0, .tokens = 5, .runs = 3});
    CHECK(both.day == Allowance{.runs = 6});
  }
}
