#pragma once
#include "protocol/types/describe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill {

// What a student has beside the prompt.
enum class EvalArm { with_skill, baseline };

template <> struct EnumNames<EvalArm> {
  static constexpr std::array<std::string_view, 2> names{"with_skill", "baseline"};
};

enum class EvalVerdict { better, worse, undecided };

template <> struct EnumNames<EvalVerdict> {
  static constexpr std::array<std::string_view, 3> names{"better", "worse", "undecided"};
};

// How one sample ended. An error says nothing about the skill, so it is none of the failures.
enum class SampleOutcome { passed, failed, error };

template <> struct EnumNames<SampleOutcome> {
  static constexpr std::array<std::string_view, 3> names{"passed", "failed", "error"};
};

// What is asked of `skill_eval` and `benchmark`. Paths are relative to the caller's folder; agents
// name files of the skill only.
struct EvalParams {
  std::string skill;
  std::string tests = {};
  std::vector<std::string> model = {};
  std::vector<std::string> student = {};
  std::optional<std::int64_t> runs = {};
  bool triggers = false;
  bool no_baseline = false;
  std::string against = {};
  std::vector<std::string> with = {};
  bool verbose = false;
  std::optional<std::int64_t> jobs = {};
  std::int64_t seed = 1;
  bool fresh = false;
  std::optional<double> budget = {};
  std::optional<std::int64_t> token_budget = {};
  std::optional<std::int64_t> time_budget = {};
  std::string base_url = {};
  bool no_sandbox = false;
  std::string judge_model = {};
  std::string test_gen_model = {};
  std::optional<double> fail_under = {};
  bool fail_on_undecided = false;
  std::optional<bool> log_runs = {};
  std::string runs_dir = {};
  std::string output = {};
  std::string html = {};
  std::string junit = {};
  std::string csv = {};
  std::string benchmark_json = {};
  std::string record = {};
  std::string replay = {};
  std::string executor = {};

  static void describe(auto& f) {
    f.required(&EvalParams::skill, "skill", "The skill's name, or its folder.");
    f.optional(&EvalParams::tests, "tests", "A file of test cases, in place of the skill's own.");
    f.optional(&EvalParams::model, "model", "A model to ask; several are compared as a family.");
    f.optional(&EvalParams::student,
               "student",
               "Who uses the model: `chat` (default), `agent`, `cli.claude-code`, ...");
    f.optional(&EvalParams::runs, "runs", "Samples of each case and arm.");
    f.optional(&EvalParams::triggers,
               "triggers",
               "Ask its trigger queries: is the skill picked where it should be, and only there.");
    f.optional(&EvalParams::no_baseline, "no_baseline", "Do not ask without the skill.");
    f.for_people(&EvalParams::against,
                 "against",
                 "Folder of another version of the skill, for the other arm in place of nothing.");
    f.for_people(&EvalParams::with,
                 "with",
                 "Another skill: all together, each left out, and each pair are measured.");
    f.optional(&EvalParams::verbose, "verbose", "Also return each sample and its checks.");
    f.for_people(&EvalParams::jobs, "jobs", "Samples in flight at a time; adaptive from 20.");
    f.for_people(&EvalParams::seed, "seed", "Of the order of samples and of intervals; 1.");
    f.optional(&EvalParams::fresh, "fresh", "Ask again what was answered before.");
    f.optional(&EvalParams::budget, "budget", "US dollars that may be spent.");
    f.for_people(&EvalParams::token_budget, "token_budget", "Tokens that may be used.");
    f.for_people(&EvalParams::time_budget, "time_budget", "Seconds that it may take.");
    f.optional(&EvalParams::base_url, "base_url", "Where an OpenAI-compatible server answers.");
    f.for_people(&EvalParams::no_sandbox,
                 "no_sandbox",
                 "Run coding agents without the sandbox: with your files and network.");
    f.optional(&EvalParams::judge_model, "judge_model", "Answers `judge` checks.");
    f.for_people(&EvalParams::test_gen_model,
                 "test_gen_model",
                 "Writes the test cases of a skill that has none.");
    f.for_people(&EvalParams::fail_under,
                 "fail_under",
                 "Exit with 1 where a pass rate with the skill is lower; 0 to 1.");
    f.for_people(&EvalParams::fail_on_undecided,
                 "fail_on_undecided",
                 "Exit with 1 where nothing could be decided.");
    f.for_people(&EvalParams::log_runs, "log_runs", "Write run logs; on unless told.");
    f.for_people(&EvalParams::runs_dir, "runs_dir", "Folder of run logs; `./runs` unless told.");
    f.for_people(&EvalParams::output, "output", "Folder to write every kind of report to.");
    f.for_people(&EvalParams::html, "html", "File for a report to look at.");
    f.for_people(&EvalParams::junit, "junit", "File for a JUnit XML report.");
    f.for_people(&EvalParams::csv, "csv", "File for a table of the runs.");
    f.for_people(
        &EvalParams::benchmark_json, "benchmark_json", "File as skill-creator's viewer reads it.");
    f.for_people(&EvalParams::record, "record", "Folder to record the models' answers to.");
    f.for_people(&EvalParams::replay, "replay", "Folder of such a record, to ask in their place.");
    f.for_people(&EvalParams::executor, "executor", "Where it runs; there is only `local`.");
  }
};

// An evaluation that was made before.
struct EvalReportParams {
  std::string id = {};
  std::string skill = {};
  bool verbose = false;
  std::string html = {};

  static void describe(auto& f) {
    f.optional(&EvalReportParams::id, "id", "Of the evaluation; the newest unless told.");
    f.optional(&EvalReportParams::skill, "skill", "The newest of this skill.");
    f.optional(&EvalReportParams::verbose, "verbose", "Also return each sample and its checks.");
    f.for_people(&EvalReportParams::html, "html", "File for a report to look at.");
  }
};

} // namespace upskill
