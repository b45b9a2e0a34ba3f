#include "skills/regression/settings_file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace upskill;
using namespace upskill::regression;

namespace {

WatchFile read(std::string_view text) {
  Result<WatchFile> file = read_watch_file(text);
  CAPTURE(text);
  REQUIRE_MESSAGE(file.has_value(), (file ? "" : file.error().message));
  return std::move(*file);
}

Error error_of(std::string_view text) {
  Result<WatchFile> file = read_watch_file(text);
  CAPTURE(text);
  REQUIRE_FALSE(file);
  return file.error();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("read_watch_file") {
  TEST_CASE("an empty file says nothing") {
    for (std::string_view text :
         {"", "\n", "# nothing\n", "{}", "null", "\xEF\xBB\xBF", "mode:\n", "budget: ~\n"}) {
      CAPTURE(text);
      CHECK(read(text).settings == WatchSettings{});
      CHECK(read(text).warnings.empty());
    }
  }

  TEST_CASE("reads every key") {
    WatchFile file = read("mode: auto\n"
                          "models:\n"
                          "  - haiku\n"
                          "  - \"unsloth/GLM-4.7-Flash-GGUF:Q4_0\"\n"
                          "students: [chat, agent, cli.claude-code]\n"
                          "runs: 12\n"
                          "budget:\n"
                          "  hour:\n"
                          "    usd: 0.25\n"
                          "    tokens: 200000\n"
                          "    runs: 40\n"
                          "  day:\n"
                          "    usd: 2\n"
                          "    tokens: 1000000\n"
                          "    runs: 0\n"
                          "thresholds:\n"
                          "  drop: 0.25\n"
                          "  alpha: .01\n"
                          "  beta: 2e-1\n");
    CHECK(file.warnings.empty());
    CHECK(file.settings.mode == WatchMode::automatic);
    CHECK(file.settings.models
          == std::vector<std::string>{"haiku", "unsloth/GLM-4.7-Flash-GGUF:Q4_0"});
    CHECK(file.settings.students == std::vector<std::string>{"chat", "agent", "cli.claude-code"});
    CHECK(file.settings.runs == 12);
    CHECK(file.settings.budget.hour == Allowance{.usd = 0.25, .tokens = 200'000, .runs = 40});
    CHECK(file.settings.budget.day == Allowance{.usd = 2.0, .tokens = 1'000'000, .runs = 0});
    CHECK(file.settings.thresholds == WatchThresholds{.drop = 0.25, .alpha = 0.01, .beta = 0.2});
  }

  TEST_CASE("what is not said is absent, and one text is a list of it") {
    WatchFile file = read("{\"models\": \"haiku\", \"budget\": {\"day\": {\"usd\": 1}}}");
    CHECK(file.settings.models == std::vector<std::string>{"haiku"});
    CHECK_FALSE(file.settings.mode);
    CHECK_FALSE(file.settings.runs);
    CHECK(file.settings.budget.hour == Allowance{});
    CHECK(file.settings.budget.day == Allowance{.usd = 1.0});
  }

  TEST_CASE("all modes by their words") {
    CHECK(read("mode: off\n").settings.mode == WatchMode::off);
    CHECK(read("\xEF\xBB\xBFmode: off\n").settings.mode == WatchMode::off);
    CHECK(read("mode: 'ask'\n").settings.mode == WatchMode::ask);
    CHECK(read("mode: auto\n").settings.mode == WatchMode::automatic);
    for (std::string_view value : {"on", "Auto", "true", "1", "''", "[auto]", "{}"}) {
      Error error = error_of("runs: 3\nmode: " + std::string(value) + "\n");
      CHECK(error.code == ErrorCode::invalid_argument);
      CHECK(error.message == "evals/watch.yaml:2: `mode` must be `off`, `ask` or `auto`");
    }
  }

  TEST_CASE("a wrong value names its line and its whole key") {
    CHECK(has(error_of("mode: ask\n\nbudget:\n  day:\n    tokens: 5\n    usd: much\n").message,
              "evals/watch.yaml:6: `budget.day.usd` must be a number from 0 to 10000"));
    CHECK(has(error_of("thresholds:\n  drop: 0.04\n").message,
              "evals/watch.yaml:2: `thresholds.drop` must be a number from 0.05 to 0.5"));
    CHECK(has(error_of("{\n\"models\":\n [haiku, 3]}").message,
              "evals/watch.yaml:2: `models` must be text"));
    CHECK(has(error_of("budget: 5\n").message, "`budget` must be keys with values"));
    CHECK(has(error_of("budget:\n  hour: [1]\n").message, "`budget.hour` must be keys"));
  }

  TEST_CASE("numbers have bounds, which are inside") {
    auto runs = [](std::string_view value) { return "runs: " + std::string(value) + "\n"; };
    CHECK(read(runs("1")).settings.runs == 1);
    CHECK(read(runs("1000")).settings.runs == 1000);
    for (std::string_view value :
         {"0", "-1", "1001", "2.5", "'3'", "0x10", "99999999999999999999", "true", "[3]", ".nan"}) {
      CHECK(has(error_of(runs(value)).message, "`runs` must be a whole number from 1 to 1000"));
    }

    struct Bound {
      std::string key;
      std::string least;
      std::string most;
      std::string less;
      std::string more;
    };

    for (const Bound& bound : {Bound{"drop", "0.05", "0.5", "0.049", "0.51"},
                               Bound{"alpha", "0.001", "0.2", "0.0009", "0.21"},
                               Bound{"beta", "0.01", "0.5", "0.009", "0.51"}}) {
      auto of = [&](std::string_view value) {
        return "thresholds:\n  " + bound.key + ": " + std::string(value) + "\n";
      };
      read(of(bound.least));
      read(of(bound.most));
      for (std::string_view value : {std::string_view(bound.less),
                                     std::string_view(bound.more),
                                     std::string_view(".nan"),
                                     std::string_view(".inf"),
                                     std::string_view("1e999"),
                                     std::string_view("'0.1'")}) {
        CHECK(has(error_of(of(value)).message, "`thresholds." + bound.key + "`"));
      }
    }
    for (std::string_view value : {"-0.01", "10001", "-.inf"}) {
      error_of("budget:\n  hour:\n    usd: " + std::string(value) + "\n");
    }
    error_of("budget:\n  hour:\n    tokens: 1000000000001\n");
    error_of("budget:\n  hour:\n    runs: 1000001\n");
  }

  TEST_CASE("names are distinct, few, short and can be shown") {
    CHECK(has(error_of("models: [haiku, opus, haiku]\n").message, "`models` names `haiku` twice"));
    error_of("models: []\n");
    error_of("models: ['']\n");
    error_of("models: [\"a\\e[2J\"]\n");
    error_of("models: " + std::string(201, 'x') + "\n");
    read("models: " + std::string(200, 'x') + "\n");
    std::string many = "models:\n";
    for (int i = 0; i < 21; ++i) {
      many += "- m" + std::to_string(i) + "\n";
    }
    CHECK(has(error_of(many).message, "`models` has more than 20 entries"));
    read("students: cli.opencode\n");
    for (std::string_view name : {"cli.", "cli.a/b", "cli.A", "bash", "Chat", "cli"}) {
      CHECK(has(error_of("students: " + std::string(name) + "\n").message, "`students` has `"));
    }
  }

  TEST_CASE("a key that is given twice is an error with the second line") {
    CHECK(error_of("mode: ask\nruns: 3\nmode: auto\n").message
          == "evals/watch.yaml:3: `mode` is given twice");
    CHECK(error_of("budget:\n  hour:\n    usd: 1\n    usd: 2\n").message
          == "evals/watch.yaml:4: `usd` is given twice");
  }

  TEST_CASE("an unknown key is a warning with its line, and the one that was meant") {
    WatchFile file = read("modle: auto\nbudget:\n  week:\n    usd: 1\n  hour:\n    eur: 1\n");
    CHECK(file.settings == WatchSettings{});
    REQUIRE(file.warnings.size() == 3);
    auto warns = [&](std::string_view part) {
      return std::ranges::any_of(file.warnings,
                                 [&](const std::string& warning) { return has(warning, part); });
    };
    CHECK(warns("evals/watch.yaml:1: `modle` is not a key that we know, did you mean `mode`?"));
    CHECK(warns("evals/watch.yaml:3: `budget.week`"));
    CHECK(warns("evals/watch.yaml:6: `budget.hour.eur`"));
  }

  TEST_CASE("what is no YAML names its line") {
    CHECK(error_of("mode: ask\nmodels: [a\n").message.starts_with("evals/watch.yaml:"));
    CHECK(has(error_of("mode: ask\nruns: \xff\n").message, "evals/watch.yaml:2: a control"));
    CHECK(error_of("- a\n- b\n").message
          == "evals/watch.yaml:1: the file must be keys with values");
    CHECK(error_of("auto\n").code == ErrorCode::invalid_argument);
  }

  TEST_CASE("what would be gigabytes is refused") {
    CHECK(error_of(std::string(k_max_watch_file + 1, '#')).code == ErrorCode::too_large);
    read(std::string(k_max_watch_file, '#'));
    std::string bomb = "a0: &a0 [x]\n";
    for (int i = 1; i < 12; ++i) {
      std::string before = "*a" + std::to_string(i - 1);
      bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
      for (int j = 0; j < 10; ++j) {
        bomb += (j == 0 ? "" : ",") + before;
      }
      bomb += "]\n";
    }
    CHECK(error_of(bomb).code == ErrorCode::too_large);
  }

  TEST_CASE("warnings have a bound and show nothing that acts on a terminal") {
    std::string text;
    for (int i = 0; i < 500; ++i) {
      text += "\"key\\e[2J" + std::to_string(i) + "\": 1\n";
    }
    WatchFile file = read(text);
    CHECK(file.warnings.size() == eval::k_max_warnings);
    for (const std::string& warning : file.warnings) {
      CHECK_FALSE(has(warning, "\x1b"));
    }
  }
}
