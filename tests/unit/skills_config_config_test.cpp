#include "skills/config/config.h"
#include "skills/config/options.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

using namespace upskill;
using namespace upskill::config;

namespace {

Config read(std::string_view text, Trust trust = Trust::user) {
  Result<Config> config = read_config(text, trust);
  if (!config) {
    FAIL(config.error().message);
  }
  return std::move(*config);
}

Error error_of(std::string_view text, Trust trust = Trust::user) {
  Result<Config> config = read_config(text, trust);
  CAPTURE(text);
  REQUIRE_FALSE(config);
  return config.error();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool warns(const Config& config, std::string_view part) {
  return std::ranges::any_of(config.warnings,
                             [&](const std::string& warning) { return has(warning, part); });
}

} // namespace

TEST_SUITE("read_config") {
  TEST_CASE("an empty file is upskill's defaults") {
    for (std::string_view text : {"", "\n", "# nothing\n", "{}", "null", "\xEF\xBB\xBF"}) {
      CAPTURE(text);
      Config config = read(text);
      CHECK(config.skill_generation_model == "sonnet");
      CHECK(config.eval_model.empty());
      CHECK(config.test_gen_model.empty());
      CHECK(config.skills_dir == "./skills");
      CHECK(config.runs_dir == "./runs");
      CHECK(config.max_refine_attempts == 2);
      CHECK_FALSE(config.num_runs);
      CHECK_FALSE(config.max_parallel);
      CHECK(config.warnings.empty());
    }
  }

  TEST_CASE("reads every key of upskill's file") {
    Config config = read("skill_generation_model: opus\n"
                         "eval_model: \"unsloth/GLM-4.7-Flash-GGUF:Q4_0\"\n"
                         "test_gen_model: null\n"
                         "fastagent_config: ~\n"
                         "skills_dir: /data/skills\n"
                         "runs_dir: ../runs\n"
                         "max_refine_attempts: 0\n"
                         "executor: local\n"
                         "num_runs: 5\n"
                         "max_parallel: 8\n"
                         "judge_model: sonnet\n");
    CHECK(config.skill_generation_model == "opus");
    CHECK(config.eval_model == "unsloth/GLM-4.7-Flash-GGUF:Q4_0");
    CHECK(config.test_gen_model.empty());
    CHECK(config.skills_dir == "/data/skills");
    CHECK(config.runs_dir == "../runs");
    CHECK(config.max_refine_attempts == 0);
    CHECK(config.num_runs == 5);
    CHECK(config.max_parallel == 8);
    CHECK(config.judge_model == "sonnet");
    CHECK(config.warnings.empty());
  }

  TEST_CASE("JSON is YAML") {
    CHECK(read(R"({"eval_model": "haiku", "num_runs": 3})").num_runs == 3);
  }

  TEST_CASE("the old name of a key holds, and the new one before it") {
    CHECK(read("model: haiku").skill_generation_model == "haiku");
    CHECK(read("skill_generation_model: opus\nmodel: haiku").skill_generation_model == "opus");
    CHECK(read("model: haiku\nskill_generation_model: opus").skill_generation_model == "opus");
  }

  TEST_CASE("what is not used is told, and what it has no matter") {
    Config config = read("auto_eval: false\n"
                         "executor: jobs\n"
                         "jobs_secrets: HF_TOKEN\n"
                         "cli_providers:\n  claude-code:\n    command: claude\n    args: [-p]\n");
    CHECK(config.warnings.size() == 4);
    for (std::string_view key : {"auto_eval", "executor", "jobs_secrets", "cli_providers"}) {
      CAPTURE(key);
      CHECK(warns(config, "`" + std::string(key) + "`"));
    }
  }

  TEST_CASE("an unknown key is named with the one that was meant") {
    Config config = read("eval_modle: haiku\nwhatever: 1\n");
    CHECK(warns(config, "`eval_modle`"));
    CHECK(warns(config, "did you mean `eval_model`?"));
    CHECK(warns(config, "`whatever`"));
    CHECK(config.eval_model.empty());
  }

  TEST_CASE("warnings have a bound and show nothing that acts on a terminal") {
    std::string text;
    for (int i = 0; i < 500; ++i) {
      text += "\"key\\e[2J" + std::to_string(i) + "\": 1\n";
    }
    Config config = read(text);
    CHECK(config.warnings.size() == k_max_warnings);
    CHECK_FALSE(warns(config, "\x1b"));
  }

  TEST_CASE("wrong values name their key") {
    for (std::string_view text : {"eval_model: 4.5",
                                  "eval_model: true",
                                  "eval_model: [haiku]",
                                  "eval_model: {name: haiku}",
                                  "eval_model: ''",
                                  "eval_model: \"a\\nb\"",
                                  "eval_model: \"a\\0b\""}) {
      CHECK(error_of(text).code == ErrorCode::invalid_argument);
      CHECK(has(error_of(text).message, "`eval_model`"));
    }
    for (std::string_view value : {"0",
                                   "-1",
                                   "1001",
                                   "1.5",
                                   "1e2",
                                   "'3'",
                                   "three",
                                   "[3]",
                                   "{}",
                                   ".nan",
                                   ".inf",
                                   "0x10",
                                   "99999999999999999999",
                                   "true"}) {
      std::string text = "num_runs: " + std::string(value);
      CHECK(error_of(text).code == ErrorCode::invalid_argument);
      CHECK(has(error_of(text).message, "`num_runs` must be a whole number from 1 to 1000"));
    }
    CHECK(has(error_of("runs_dir: " + std::string(5000, 'x')).message, "`runs_dir`"));
  }

  TEST_CASE("what is no configuration is an error") {
    CHECK(error_of(std::string(k_max_config + 1, '#')).code == ErrorCode::too_large);
    CHECK(error_of("- a\n- b\n").code == ErrorCode::invalid_argument);
    CHECK(error_of("just words").code == ErrorCode::invalid_argument);
    CHECK(error_of("a: [").code == ErrorCode::invalid_argument);
    CHECK(error_of("eval_model: \xff").code == ErrorCode::invalid_argument);
    CHECK(has(error_of("num_runs: 1\nnum_runs: 2\n").message, "`num_runs` is given twice"));
    // A few bytes that would be gigabytes.
    std::string bomb = "a0: &a0 x\n";
    for (int i = 1; i < 12; ++i) {
      std::string before = "*a" + std::to_string(i - 1);
      bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
      for (int j = 0; j < 10; ++j) {
        bomb += (j == 0 ? "" : ",") + before;
      }
      bomb += "]\n";
    }
    error_of(bomb);
  }
}

TEST_SUITE("a project's configuration") {
  TEST_CASE("names models, numbers and folders inside") {
    Config config = read("eval_model: haiku\nnum_runs: 5\nruns_dir: ./out//runs/\n"
                         "skills_dir: skills\njudge_model: scripted:./judge.json\n",
                         Trust::project);
    CHECK(config.eval_model == "haiku");
    CHECK(config.num_runs == 5);
    CHECK(config.runs_dir == "out/runs");
    CHECK(config.skills_dir == "skills");
    CHECK(config.judge_model == "scripted:judge.json");
  }

  TEST_CASE("leads nowhere else") {
    for (std::string_view path :
         {"/tmp/runs", "../runs", "a/../../runs", "a/..", "~/runs", "'~'", ".", "'a\\b'"}) {
      for (std::string_view key : {"runs_dir", "skills_dir"}) {
        std::string text = std::string(key) + ": " + std::string(path);
        Error error = error_of(text, Trust::project);
        CHECK(error.code == ErrorCode::refused);
        CHECK(has(error.message, "`" + std::string(key) + "`"));
        CHECK_NOTHROW(read(text));
      }
    }
    for (const Option& option : options()) {
      if (option.kind == Kind::model) {
        std::string text = std::string(option.key) + ": scripted:/etc/passwd";
        CHECK(error_of(text, Trust::project).code == ErrorCode::refused);
        CHECK_NOTHROW(read(text));
      }
    }
  }

  // Whoever evaluates in a repository pays for what its file asks for.
  TEST_CASE("asks for so many samples and no more, and says that it wanted more") {
    struct Bound {
      std::string key;
      std::optional<std::int64_t> Config::*number;
      std::int64_t most;
    };

    for (const Bound& bound : {Bound{"num_runs", &Config::num_runs, 10},
                               Bound{"max_parallel", &Config::max_parallel, 20}}) {
      CAPTURE(bound.key);
      auto of = [&](std::int64_t number, Trust trust) {
        return read(bound.key + ": " + std::to_string(number) + "\n", trust);
      };
      for (std::int64_t number : {std::int64_t{1}, bound.most - 1, bound.most}) {
        CHECK(of(number, Trust::project).*bound.number == number);
        CHECK(of(number, Trust::project).warnings.empty());
      }
      for (std::int64_t number : {bound.most + 1, std::int64_t{1000}}) {
        CHECK(of(number, Trust::project).*bound.number == bound.most);
        CHECK(of(number, Trust::project).warnings.size() == 1);
        CHECK(warns(of(number, Trust::project),
                    "`" + bound.key + "` of a project counts up to " + std::to_string(bound.most)));
        // The user's own may.
        CHECK(of(number, Trust::user).*bound.number == number);
        CHECK(of(number, Trust::user).warnings.empty());
      }
      CHECK_FALSE(read("eval_model: haiku\n", Trust::project).*bound.number);
      CHECK(error_of(bound.key + ": 1001\n", Trust::project).code == ErrorCode::invalid_argument);
    }
    CHECK(read("num_runs: 1000\nmax_parallel: 1000\n", Trust::project).warnings.size() == 2);
  }

  TEST_CASE("refines so often and no more, whatever a skill's author wrote into it") {
    Config most = read("max_refine_attempts: 5\n", Trust::project);
    CHECK(most.max_refine_attempts == 5);
    CHECK(most.warnings.empty());
    Config more = read("max_refine_attempts: 6\n", Trust::project);
    CHECK(more.max_refine_attempts == 5);
    CHECK(warns(more, "`max_refine_attempts` of a project counts up to 5"));
    CHECK(read("max_refine_attempts: 6\n").max_refine_attempts == 6);
    CHECK(read("eval_model: haiku\n", Trust::project).max_refine_attempts == 2);
  }

  // A new option is one that somebody has decided about: whatever names a place is inside, and what
  // is a text of any other kind is a model's name.
  TEST_CASE("every option has a policy that holds") {
    for (const Option& option : options()) {
      CAPTURE(option.key);
      CHECK((option.kind != Kind::text || option.policy != Policy::allow));
      if (option.policy == Policy::refuse) {
        std::string text = std::string(option.key) + ": value";
        CHECK(warns(read(text, Trust::project), "`" + std::string(option.key) + "`"));
      }
    }
  }
}
