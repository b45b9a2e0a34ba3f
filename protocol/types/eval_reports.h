#pragma once
#include "protocol/types/evals.h"

namespace upskill {

// An estimate and the interval that holds it with 95 % confidence.
struct EvalLift {
  double value = 0;
  double low = 0;
  double high = 0;

  static void describe(auto& f) {
    f.required(&EvalLift::value, "value", "Share of passes with the skill minus without.");
    f.required(&EvalLift::low, "low", "Lower end of the 95 % interval.");
    f.required(&EvalLift::high, "high", "Upper end of the 95 % interval.");
  }
};

// A share of counts, with its 95 % interval (Wilson).
struct EvalShare {
  double value = 0;
  double low = 0;
  double high = 0;

  static void describe(auto& f) {
    f.required(&EvalShare::value, "value", "From 0 to 1.");
    f.required(&EvalShare::low, "low", "Lower end of its interval.");
    f.required(&EvalShare::high, "high", "Upper end.");
  }
};

struct EvalTokens {
  std::optional<std::int64_t> input = {};
  std::optional<std::int64_t> output = {};
  std::optional<std::int64_t> cached = {};
  std::optional<std::int64_t> total = {};

  static void describe(auto& f) {
    f.optional(&EvalTokens::input, "input", "Read by the model; unknown where it does not tell.");
    f.optional(&EvalTokens::output, "output", "Written by the model.");
    f.optional(&EvalTokens::cached, "cached", "Of what was read, from the provider's cache.");
    f.optional(&EvalTokens::total, "total", "All of them.");
  }
};

struct EvalCheckReport {
  std::string name;
  SampleOutcome outcome = SampleOutcome::failed;
  std::string evidence = {};

  static void describe(auto& f) {
    f.required(&EvalCheckReport::name, "name", "What was checked.");
    f.required(&EvalCheckReport::outcome, "outcome", "`error`: it could not be told.");
    f.optional(&EvalCheckReport::evidence, "evidence", "What was found, or was not.");
  }
};

struct EvalSample {
  std::string case_id;
  EvalArm arm = EvalArm::with_skill;
  std::int64_t run = 1;
  SampleOutcome outcome = SampleOutcome::error;
  std::string error = {};
  std::string output = {};
  std::vector<EvalCheckReport> checks = {};
  EvalTokens tokens = {};
  std::optional<double> cost = {};
  std::optional<std::int64_t> milliseconds = {};
  std::optional<std::int64_t> turns = {};
  std::optional<std::int64_t> tool_calls = {};
  std::optional<bool> skill_used = {};
  std::optional<std::int64_t> requests = {};
  std::optional<bool> skill_described = {};
  std::optional<bool> skill_read = {};
  std::string answered_by = {};
  bool cached = false;

  static void describe(auto& f) {
    f.required(&EvalSample::case_id, "case", "The case's id.");
    f.required(&EvalSample::arm, "arm", "With the skill, or without.");
    f.required(&EvalSample::run, "run", "From 1.");
    f.required(&EvalSample::outcome, "outcome", "`error`: nothing was learnt about the skill.");
    f.optional(&EvalSample::error, "error", "Why there is no outcome.");
    f.optional(&EvalSample::output, "output", "What the student said; long ones are cut.");
    f.optional(&EvalSample::checks, "checks", "What was checked.");
    f.optional(&EvalSample::tokens, "tokens", "Of this sample.");
    f.optional(&EvalSample::cost, "cost", "US dollars.");
    f.optional(&EvalSample::milliseconds, "milliseconds", "Until the answer was there.");
    f.optional(&EvalSample::turns, "turns", "Answers of the model that it took.");
    f.optional(&EvalSample::tool_calls, "tool_calls", "How many.");
    f.optional(&EvalSample::skill_used, "skill_used", "Whether the student picked the skill.");
    f.optional(&EvalSample::requests, "requests", "To models, as our proxy saw them.");
    f.optional(&EvalSample::skill_described,
               "skill_described",
               "Whether our proxy saw the skill's description in a prompt.");
    f.optional(
        &EvalSample::skill_read, "skill_read", "Whether our proxy saw the skill's text in one.");
    f.optional(&EvalSample::answered_by, "answered_by", "The model, as its server names it.");
    f.optional(&EvalSample::cached, "cached", "It was answered before, and cost nothing now.");
  }
};

struct EvalArmReport {
  std::int64_t samples = 0;
  std::int64_t passed = 0;
  std::int64_t errors = 0;
  std::optional<double> rate = {};
  std::optional<double> low = {};
  std::optional<double> high = {};
  EvalTokens tokens = {};
  std::optional<double> cost = {};
  std::optional<double> checks_passed = {};
  std::optional<double> checks = {};

  static void describe(auto& f) {
    f.required(&EvalArmReport::samples, "samples", "Those with an outcome.");
    f.required(&EvalArmReport::passed, "passed", "Of these.");
    f.required(&EvalArmReport::errors, "errors", "Samples without an outcome.");
    f.optional(&EvalArmReport::rate, "rate", "Mean of the cases' shares of passes.");
    f.optional(&EvalArmReport::low, "low", "Lower end of its 95 % interval (Wilson).");
    f.optional(&EvalArmReport::high, "high", "Upper end.");
    f.optional(&EvalArmReport::tokens, "tokens", "Of all samples together.");
    f.optional(&EvalArmReport::cost, "cost", "US dollars, of all samples together.");
    f.optional(&EvalArmReport::checks_passed, "checks_passed", "In the mean of a sample,");
    f.optional(&EvalArmReport::checks, "checks", "of so many.");
  }
};

// Whether the skill was picked where it should be, and only there. Samples without a sign either
// way are in none of the counts.
struct EvalTrigger {
  std::int64_t true_positives = 0;
  std::int64_t false_positives = 0;
  std::int64_t true_negatives = 0;
  std::int64_t false_negatives = 0;
  std::int64_t unknown = 0;
  std::optional<EvalShare> precision = {};
  std::optional<EvalShare> recall = {};
  std::optional<double> f1 = {};

  static void describe(auto& f) {
    f.required(&EvalTrigger::true_positives, "true_positives", "Picked, and should be.");
    f.required(&EvalTrigger::false_positives, "false_positives", "Picked, and should not be.");
    f.required(&EvalTrigger::true_negatives, "true_negatives", "Rightly not picked.");
    f.required(&EvalTrigger::false_negatives, "false_negatives", "Should be picked, and was not.");
    f.required(&EvalTrigger::unknown, "unknown", "Samples that do not tell.");
    f.optional(&EvalTrigger::precision, "precision", "Of those that picked it.");
    f.optional(&EvalTrigger::recall, "recall", "Of those that should.");
    f.optional(&EvalTrigger::f1, "f1", "Their harmonic mean.");
  }
};

// One case in both arms.
struct EvalCaseReport {
  std::string case_id;
  std::string input = {};
  std::optional<double> with_skill = {};
  std::optional<double> baseline = {};
  std::int64_t errors = 0;

  static void describe(auto& f) {
    f.required(&EvalCaseReport::case_id, "case", "Its id.");
    f.optional(&EvalCaseReport::input, "input", "What the student is told.");
    f.optional(&EvalCaseReport::with_skill, "with_skill", "Share of passes with the skill.");
    f.optional(&EvalCaseReport::baseline, "baseline", "Without it.");
    f.optional(&EvalCaseReport::errors, "errors", "Samples without an outcome.");
  }
};

struct EvalModelReport {
  std::string model;
  std::string student;
  EvalArmReport with_skill = {};
  std::optional<EvalArmReport> baseline = {};
  std::optional<EvalLift> lift = {};
  EvalVerdict verdict = EvalVerdict::undecided;
  std::string reason = {};
  std::optional<std::int64_t> more_cases = {};
  std::optional<double> detectable = {};
  std::optional<double> p_value = {};
  std::optional<double> token_ratio = {};
  std::optional<double> cost_ratio = {};
  std::optional<double> time_ratio = {};
  std::optional<double> gain = {};
  std::optional<double> lift_per_1k_tokens = {};
  std::optional<double> pass_all = {};
  std::int64_t cases_better = 0;
  std::int64_t cases_worse = 0;
  bool is_beneficial = false;
  std::optional<EvalTrigger> trigger = {};
  std::string resolved = {};
  std::string error = {};
  std::vector<EvalCaseReport> cases = {};
  std::vector<EvalSample> samples = {};

  static void describe(auto& f) {
    f.required(&EvalModelReport::model, "model", "As it was named.");
    f.required(&EvalModelReport::student, "student", "What answered the cases: `chat`, ...");
    f.required(&EvalModelReport::with_skill, "with_skill", "With the skill.");
    f.optional(&EvalModelReport::baseline, "baseline", "Without it.");
    f.optional(&EvalModelReport::lift, "lift", "What the skill adds, in shares of passes.");
    f.required(&EvalModelReport::verdict, "verdict", "What the samples prove.");
    f.optional(&EvalModelReport::reason, "reason", "Why it is undecided.");
    f.optional(&EvalModelReport::more_cases, "more_cases", "About so many more would decide.");
    f.optional(&EvalModelReport::detectable, "detectable", "The smallest lift that would show.");
    f.optional(&EvalModelReport::p_value, "p_value", "Of no difference, after Holm's correction.");
    f.optional(&EvalModelReport::token_ratio, "token_ratio", "Tokens with the skill by without.");
    f.optional(&EvalModelReport::cost_ratio, "cost_ratio", "Cost with the skill by without.");
    f.optional(&EvalModelReport::time_ratio, "time_ratio", "Time with the skill by without.");
    f.optional(&EvalModelReport::gain, "gain", "Lift by what was left to gain; none at a ceiling.");
    f.optional(&EvalModelReport::lift_per_1k_tokens,
               "lift_per_1k_tokens",
               "Lift for each 1,000 tokens more.");
    f.optional(
        &EvalModelReport::pass_all, "pass_all", "Share of cases that pass in every run (pass^k).");
    f.optional(&EvalModelReport::cases_better, "cases_better", "Cases that gain by the skill.");
    f.optional(&EvalModelReport::cases_worse, "cases_worse", "Cases that lose.");
    f.required(
        &EvalModelReport::is_beneficial, "is_beneficial", "upskill's rule, kept for its readers.");
    f.optional(
        &EvalModelReport::trigger, "trigger", "Whether the skill was picked when it should.");
    f.optional(
        &EvalModelReport::resolved, "resolved", "Provider, model and server behind the name.");
    f.optional(&EvalModelReport::error, "error", "Why the first sample without an outcome is one.");
    f.optional(&EvalModelReport::cases, "cases", "Each case, where samples were asked for.");
    f.optional(&EvalModelReport::samples, "samples", "Each of them, where they were asked for.");
  }
};

// Several skills at once: which of them were there, and how it went.
struct EvalCombination {
  std::string model;
  std::vector<std::string> skills = {};
  EvalArmReport arm = {};
  std::optional<EvalLift> lift = {};
  std::optional<EvalLift> without_it = {};

  static void describe(auto& f) {
    f.required(&EvalCombination::model, "model", "As it was named.");
    f.required(&EvalCombination::skills, "skills", "Those that were there.");
    f.required(&EvalCombination::arm, "arm", "What came of it.");
    f.optional(&EvalCombination::lift, "lift", "Against none of them.");
    f.optional(&EvalCombination::without_it, "without_it", "Against all of them.");
  }
};

struct EvalResult {
  std::string id = {};
  std::string skill;
  std::string hash = {};
  std::string cases_hash = {};
  std::string started_at = {};
  std::int64_t cases = 0;
  std::int64_t runs = 0;
  std::int64_t seed = 0;
  std::string against = {};
  std::string config = {};
  std::vector<EvalModelReport> models = {};
  std::vector<EvalCombination> combinations = {};
  std::optional<double> cost = {};
  std::int64_t asked = 0;
  std::int64_t cached = 0;
  std::string stopped = {};
  bool scripted = false;
  std::string failed = {};
  std::string logs = {};
  std::vector<std::string> files = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.optional(&EvalResult::id, "id", "Names the evaluation for eval_report.");
    f.required(&EvalResult::skill, "skill", "The skill's name.");
    f.optional(&EvalResult::hash, "hash", "Of the skill as it was evaluated.");
    f.optional(&EvalResult::cases_hash, "cases_hash", "Of the test cases.");
    f.optional(&EvalResult::started_at, "started_at", "RFC 3339 in UTC.");
    f.required(&EvalResult::cases, "cases", "How many there are.");
    f.required(&EvalResult::runs, "runs", "Samples of each case and arm.");
    f.required(&EvalResult::seed, "seed", "Of order and resampling.");
    f.optional(&EvalResult::against, "against", "What the other arm had, where not nothing.");
    f.optional(&EvalResult::config, "config", "Where the configuration is from.");
    f.required(&EvalResult::models, "models", "In the order in which they were named.");
    f.optional(&EvalResult::combinations, "combinations", "Of several skills.");
    f.optional(&EvalResult::cost, "cost", "US dollars that this evaluation spent.");
    f.optional(&EvalResult::asked, "asked", "Calls to models.");
    f.optional(&EvalResult::cached, "cached", "Samples that were answered before.");
    f.optional(&EvalResult::stopped, "stopped", "Why it ended before its last sample.");
    f.optional(&EvalResult::scripted, "scripted", "A model of it was a script, and no model.");
    f.optional(&EvalResult::failed, "failed", "Why the answer is no: exit code 1.");
    f.optional(&EvalResult::logs, "logs", "Folder of the run logs.");
    f.optional(&EvalResult::files, "files", "Reports that were written.");
    f.optional(&EvalResult::warnings, "warnings", "What to know before trusting this.");
  }
};

} // namespace upskill
