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

struct EvalParams {
  std::string skill;
  std::string tests = {};
  std::vector<std::string> model = {};
  std::int64_t runs = 1;
  bool no_baseline = false;
  std::string base_url = {};
  std::int64_t jobs = 20;
  std::int64_t seed = 1;
  bool samples = false;

  static void describe(auto& f) {
    f.required(&EvalParams::skill, "skill", "The skill's name, or its folder.");
    f.optional(&EvalParams::tests, "tests", "A file of test cases, in place of the skill's own.");
    f.optional(&EvalParams::model, "model", "A model to ask; several are compared as a family.");
    f.optional(&EvalParams::runs, "runs", "Samples of each case and arm; 1 by default.");
    f.optional(&EvalParams::no_baseline, "no_baseline", "Do not ask without the skill.");
    f.optional(&EvalParams::base_url, "base_url", "Where an OpenAI-compatible server answers.");
    f.optional(&EvalParams::jobs, "jobs", "Samples in flight at a time; 20 by default.");
    f.optional(&EvalParams::seed, "seed", "Of the order of samples and of intervals; 1.");
    f.optional(&EvalParams::samples, "samples", "Also return each sample and its checks.");
  }
};

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

  static void describe(auto& f) {
    f.required(&EvalArmReport::samples, "samples", "Those with an outcome.");
    f.required(&EvalArmReport::passed, "passed", "Of these.");
    f.required(&EvalArmReport::errors, "errors", "Samples without an outcome.");
    f.optional(&EvalArmReport::rate, "rate", "Mean of the cases' shares of passes.");
    f.optional(&EvalArmReport::low, "low", "Lower end of its 95 % interval (Wilson).");
    f.optional(&EvalArmReport::high, "high", "Upper end.");
    f.optional(&EvalArmReport::tokens, "tokens", "Of all samples together.");
    f.optional(&EvalArmReport::cost, "cost", "US dollars, of all samples together.");
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
  bool is_beneficial = false;
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
    f.optional(
        &EvalModelReport::is_beneficial, "is_beneficial", "upskill's rule, kept for its readers.");
    f.optional(&EvalModelReport::samples, "samples", "Each of them, where they were asked for.");
  }
};

struct EvalResult {
  std::string skill;
  std::int64_t cases = 0;
  std::int64_t runs = 0;
  std::int64_t seed = 0;
  std::vector<EvalModelReport> models = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&EvalResult::skill, "skill", "The skill's name.");
    f.required(&EvalResult::cases, "cases", "How many there are.");
    f.required(&EvalResult::runs, "runs", "Samples of each case and arm.");
    f.required(&EvalResult::seed, "seed", "Of order and resampling.");
    f.required(&EvalResult::models, "models", "In the order in which they were named.");
    f.optional(&EvalResult::warnings, "warnings", "What to know before trusting this.");
  }
};

} // namespace upskill
