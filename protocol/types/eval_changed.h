#pragma once
#include "protocol/types/watch_reports.h"

namespace upskill {

// What became of a skill since the base.
enum class SkillFate { changed, added, removed, renamed };

template <> struct EnumNames<SkillFate> {
  static constexpr std::array<std::string_view, 4> names{"changed", "added", "removed", "renamed"};
};

// What is asked of `eval_changed`. Paths are relative to the caller's folder.
struct EvalChangedParams {
  std::string base = {};
  std::string folder = {};
  std::vector<std::string> skill = {};
  std::vector<std::string> model = {};
  std::vector<std::string> student = {};
  std::optional<std::int64_t> runs = {};
  std::string judge_model = {};
  std::string base_url = {};
  bool no_sandbox = false;
  std::optional<std::int64_t> jobs = {};
  std::optional<double> budget = {};
  std::optional<std::int64_t> token_budget = {};
  std::string junit = {};
  std::string markdown = {};
  bool fail_on_undecided = false;
  bool dry_run = false;

  static void describe(auto& f) {
    // Not required, because then it would have no name on the command line.
    f.optional(&EvalChangedParams::base,
               "base",
               "A git ref; skills are held against where it and HEAD part. It has to be given.");
    f.optional(&EvalChangedParams::folder,
               "folder",
               "Of the repository, or in it; the caller's unless told.");
    f.optional(&EvalChangedParams::skill,
               "skill",
               "Only this one, by its name or its path in the repository.");
    f.optional(&EvalChangedParams::model,
               "model",
               "A model to test with; that of the configuration unless told.");
    f.optional(&EvalChangedParams::student,
               "student",
               "Who uses the model: `chat` (default), `agent`, `cli.claude-code`, ...");
    f.optional(&EvalChangedParams::runs, "runs", "Samples of each case at the base; 3.");
    f.optional(&EvalChangedParams::judge_model, "judge_model", "Answers `judge` checks.");
    f.optional(
        &EvalChangedParams::base_url, "base_url", "Where an OpenAI-compatible server answers.");
    f.for_people(&EvalChangedParams::no_sandbox,
                 "no_sandbox",
                 "Run coding agents without the sandbox: with your files and network.");
    f.optional(&EvalChangedParams::jobs, "jobs", "Samples in flight at a time; 20.");
    f.optional(&EvalChangedParams::budget, "budget", "US dollars that may be spent.");
    f.optional(&EvalChangedParams::token_budget, "token_budget", "Tokens that may be used.");
    f.optional(&EvalChangedParams::junit, "junit", "File for a JUnit XML report.");
    f.optional(&EvalChangedParams::markdown,
               "markdown",
               "File to add a summary to, as `$GITHUB_STEP_SUMMARY` is.");
    f.optional(&EvalChangedParams::fail_on_undecided,
               "fail_on_undecided",
               "Exit with 1 where a skill that was to be tested is undecided, too.");
    f.optional(&EvalChangedParams::dry_run, "dry_run", "Say what would be tested; ask nobody.");
  }
};

// A skill that the range touches.
struct ChangedSkillReport {
  std::string skill;
  std::string path = {};
  SkillFate fate = SkillFate::changed;
  std::string from = {};
  std::string hash = {};
  std::string base_hash = {};
  WatchVerdict verdict = WatchVerdict::undecided;
  WatchReason reason = WatchReason::unfinished;
  std::string why = {};
  std::vector<std::string> changed = {};
  std::vector<WatchedSubject> subjects = {};
  std::vector<std::string> faults = {};
  std::vector<std::string> problems = {};
  std::int64_t planned = 0;

  static void describe(auto& f) {
    f.required(&ChangedSkillReport::skill, "skill", "Its name: that of its folder.");
    f.required(
        &ChangedSkillReport::path, "path", "Its folder in the repository; empty: all of it.");
    f.required(&ChangedSkillReport::fate, "fate", "What became of it since the base.");
    f.optional(&ChangedSkillReport::from, "from", "Its folder at the base, where it was renamed.");
    f.optional(&ChangedSkillReport::hash, "hash", "Of the version as it is now.");
    f.optional(&ChangedSkillReport::base_hash, "base_hash", "Of the version at the base.");
    f.required(&ChangedSkillReport::verdict, "verdict", "REGRESSED, OK or UNDECIDED.");
    f.required(&ChangedSkillReport::reason, "reason", "Why.");
    f.optional(&ChangedSkillReport::why, "why", "The same for people.");
    f.optional(&ChangedSkillReport::changed, "changed", "Its parts that are different.");
    f.optional(&ChangedSkillReport::subjects,
               "subjects",
               "By model, student and measure; accepted is the version at the base.");
    f.optional(&ChangedSkillReport::faults,
               "faults",
               "New since the base, and no matter of tests: it is invalid, or severely dangerous.");
    f.optional(&ChangedSkillReport::problems, "problems", "What a look at the folder shows.");
    f.optional(&ChangedSkillReport::planned, "planned", "Samples that it takes, at most.");
  }
};

struct EvalChangedResult {
  std::string base;
  std::string commit = {};
  std::string folder = {};
  std::vector<ChangedSkillReport> skills = {};
  std::int64_t asked = 0;
  std::optional<std::int64_t> tokens = {};
  std::optional<double> cost = {};
  std::int64_t planned = 0;
  bool dry_run = false;
  std::string failed = {};
  std::string stopped = {};
  std::vector<std::string> files = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&EvalChangedResult::base, "base", "As it was asked for.");
    f.required(&EvalChangedResult::commit, "commit", "What skills are held against.");
    f.required(&EvalChangedResult::folder, "folder", "The repository's.");
    f.required(&EvalChangedResult::skills, "skills", "By their path.");
    f.optional(
        &EvalChangedResult::asked, "asked", "Questions that models were asked, and not the cache.");
    f.optional(&EvalChangedResult::tokens, "tokens", "Of what was asked.");
    f.optional(
        &EvalChangedResult::cost, "cost", "US dollars; unknown where a model does not tell.");
    f.optional(&EvalChangedResult::planned, "planned", "Samples that it takes, at most.");
    f.optional(&EvalChangedResult::dry_run, "dry_run", "Nobody was asked.");
    f.optional(&EvalChangedResult::failed, "failed", "Why the answer is no; empty: it is yes.");
    f.optional(&EvalChangedResult::stopped, "stopped", "What ended it early.");
    f.optional(&EvalChangedResult::files, "files", "That were written.");
    f.optional(&EvalChangedResult::warnings, "warnings", "What does not look right.");
  }
};

} // namespace upskill
