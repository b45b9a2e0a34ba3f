#include "skills/config/watch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::config;
using regression::Allowance;
using regression::FileTrust;
using regression::WatchMode;
using regression::WatchSettings;

namespace {

using Names = std::vector<std::string>;

Config read(std::string_view text, Trust trust = Trust::user) {
  Result<Config> config = read_config(text, trust);
  CAPTURE(text);
  REQUIRE_MESSAGE(config.has_value(), (config ? "" : config.error().message));
  return std::move(*config);
}

std::string error_of(std::string_view text, Trust trust = Trust::user) {
  Result<Config> config = read_config(text, trust);
  CAPTURE(text);
  REQUIRE_FALSE(config);
  CHECK(config.error().code == ErrorCode::invalid_argument);
  return config.error().message;
}

bool warns(const Names& warnings, std::string_view part) {
  return std::ranges::any_of(warnings, [&](const std::string& warning) {
    return warning.find(part) != std::string::npos;
  });
}

WatchSettings counted(std::string_view skill,
                      std::string_view person,
                      std::string_view project,
                      const WatchSettings& file,
                      FileTrust trust) {
  Names warnings;
  return settings_of(skill,
                     read(person).watch,
                     read(project, Trust::project).project_watch,
                     file,
                     trust,
                     warnings);
}

} // namespace

TEST_SUITE("`watch` in a configuration") {
  TEST_CASE("the user's own says everything") {
    Config config = read("eval_model: haiku\n"
                         "watch:\n"
                         "  mode: auto\n"
                         "  models: [haiku, sonnet]\n"
                         "  students: [chat]\n"
                         "  runs: 8\n"
                         "  budget:\n"
                         "    hour: {usd: 1}\n"
                         "    day: {usd: 5, tokens: 9000000, runs: 500}\n"
                         "  thresholds: {drop: 0.1}\n"
                         "  ask_above: 5\n"
                         "  notify: false\n"
                         "  hook: [/usr/bin/logger, -t, upskill]\n"
                         "  skills:\n"
                         "    pdf:\n"
                         "      mode: off\n"
                         "    build-toml: {models: opus, budget: {day: {usd: 2}}}\n");
    CHECK(config.warnings.empty());
    CHECK(config.eval_model == "haiku");
    const Watch& watch = config.watch;
    CHECK(watch.all.mode == WatchMode::automatic);
    CHECK(watch.all.models == Names{"haiku", "sonnet"});
    CHECK(watch.all.runs == 8);
    CHECK(watch.all.budget.hour == Allowance{.usd = 1.0});
    CHECK(watch.all.budget.day == Allowance{.usd = 5.0, .tokens = 9'000'000, .runs = 500});
    CHECK(watch.all.thresholds.drop == 0.1);
    CHECK(watch.ask_above == 5);
    CHECK(watch.notify == false);
    CHECK(watch.hook == Names{"/usr/bin/logger", "-t", "upskill"});
    REQUIRE(watch.skills.size() == 2);
    CHECK(watch.skills.at("pdf") == WatchSettings{.mode = WatchMode::off});
    CHECK(watch.skills.at("build-toml")
          == WatchSettings{.models = {"opus"}, .budget = {.day = {.usd = 2.0}}});
    CHECK(config.project_watch.skills.empty());
  }

  TEST_CASE("a wrong value names its line and its whole key") {
    CHECK(error_of("eval_model: haiku\nwatch:\n  mode: on\n")
          == "line 3: `watch.mode` must be `off`, `ask` or `auto`");
    CHECK(error_of("watch:\n  skills:\n    pdf:\n      runs: 0\n")
              .starts_with("line 4: `watch.skills.pdf.runs` must be"));
    CHECK(error_of("watch:\n  ask_above: 0\n").starts_with("line 2: `watch.ask_above` must be"));
    CHECK(error_of("watch:\n  notify: maybe\n").starts_with("line 2: `watch.notify` must be"));
    CHECK(error_of("watch:\n  hook: []\n").starts_with("line 2: `watch.hook` is empty"));
    CHECK(error_of("watch:\n  hook: [\"a\\0b\"]\n").starts_with("line 2: `watch.hook` has"));
    CHECK(error_of("watch:\n  skills: [pdf]\n").starts_with("line 2: `watch.skills` must be"));
    CHECK(error_of("watch:\n  skills:\n    pdf: off\n")
              .starts_with("line 3: `watch.skills.pdf` must be"));
    CHECK(error_of("watch: auto\n").find("`watch` must be keys with values") != std::string::npos);
    error_of("watch:\n  mode: ask\n  mode: auto\n");
    std::string many = "watch:\n  skills:\n";
    for (int i = 0; i <= 1000; ++i) {
      many += "    s" + std::to_string(i) + ": {mode: ask}\n";
    }
    CHECK(error_of(many).starts_with("line 2: `watch.skills` has more than 1000 entries"));
  }

  TEST_CASE("an unknown key is a warning") {
    Config config = read("watch:\n  mdoe: auto\n  skills:\n    pdf: {runz: 3}\n");
    CHECK(config.warnings.size() == 2);
    CHECK(warns(config.warnings, "line 2: `watch.mdoe`"));
    CHECK(warns(config.warnings, "line 4: `watch.skills.pdf.runz`"));
  }

  TEST_CASE("a project runs no program, and its words are kept apart") {
    Config config = read("watch:\n"
                         "  mode: auto\n"
                         "  notify: true\n"
                         "  hook: [rm, -rf, /]\n"
                         "  ask_above: 3\n",
                         Trust::project);
    CHECK(config.watch.all == WatchSettings{});
    CHECK_FALSE(config.watch.ask_above);
    CHECK(config.project_watch.all.mode == WatchMode::automatic);
    CHECK(config.project_watch.ask_above == 3);
    CHECK(config.project_watch.hook.empty());
    CHECK_FALSE(config.project_watch.notify);
    CHECK(config.warnings.size() == 2);
    for (std::string_view key : k_watch_refused) {
      CHECK(warns(config.warnings, "`watch." + std::string(key) + "` is not taken"));
    }
  }
}

TEST_SUITE("what counts for a skill") {
  TEST_CASE("the person's word of one skill goes before that of all, and before a trusted file") {
    std::string_view person = "watch:\n  mode: ask\n  runs: 5\n  skills: {pdf: {mode: off}}\n";
    WatchSettings file{.mode = WatchMode::automatic, .runs = 50};
    CHECK(counted("pdf", person, "", file, FileTrust::trusted).mode == WatchMode::off);
    CHECK(counted("pdf", person, "", file, FileTrust::trusted).runs == 50);
    CHECK(counted("git", person, "", file, FileTrust::trusted).mode == WatchMode::automatic);
    CHECK(counted("git", person, "", file, FileTrust::untrusted).mode == WatchMode::ask);
    CHECK(counted("git", person, "", file, FileTrust::untrusted).runs == 5);
  }

  TEST_CASE("a file that is not trusted narrows what the person says of that skill") {
    std::string_view person =
        "watch:\n  mode: off\n  skills: {pdf: {mode: auto, models: [a, b]}}\n";
    WatchSettings file{.mode = WatchMode::ask, .models = {"b", "c"}};
    WatchSettings pdf = counted("pdf", person, "", file, FileTrust::untrusted);
    CHECK(pdf.mode == WatchMode::ask);
    CHECK(pdf.models == Names{"b"});
    CHECK(counted("git", person, "", file, FileTrust::untrusted).mode == WatchMode::off);
  }

  TEST_CASE("a project narrows all of it, trusted files too") {
    std::string_view person = "watch:\n  mode: auto\n  models: [a, b]\n  budget: {day: {usd: 5}}\n";
    std::string_view project = "watch:\n"
                               "  mode: auto\n"
                               "  models: [b, z]\n"
                               "  budget: {day: {usd: 4}, hour: {usd: 1}}\n"
                               "  skills: {pdf: {mode: off}}\n";
    WatchSettings file{.budget = {.day = {.usd = 9.0}}};
    WatchSettings git = counted("git", person, project, file, FileTrust::trusted);
    CHECK(git.mode == WatchMode::automatic);
    CHECK(git.models == Names{"b"});
    CHECK(git.budget.day == Allowance{.usd = 4.0});
    CHECK(git.budget.hour == Allowance{.usd = 1.0});
    CHECK(counted("pdf", person, project, file, FileTrust::trusted).mode == WatchMode::off);
    // Where it would widen, it does nothing.
    WatchSettings quiet = counted("git", "watch: {mode: ask}", project, {}, FileTrust::untrusted);
    CHECK(quiet.mode == WatchMode::ask);
    CHECK(quiet.models.empty());
  }

  TEST_CASE("together they spend what the person says at most, and ask as early as anybody says") {
    Watch person = read("watch:\n  budget: {day: {usd: 5}}\n  ask_above: 10\n").watch;
    auto project = [](std::string_view text) { return read(text, Trust::project).project_watch; };
    CHECK(total_budget(person, project("watch: {budget: {day: {usd: 9}, hour: {runs: 3}}}"))
          == regression::WatchBudget{.hour = {.runs = 3}, .day = {.usd = 5.0}});
    CHECK(ask_above(person, project("watch: {ask_above: 4}")) == 4);
    CHECK(ask_above(person, project("watch: {ask_above: 40}")) == 10);
    CHECK(ask_above({}, {}) == 20);
    CHECK(ask_above({}, project("watch: {ask_above: 40}")) == 20);
  }
}
