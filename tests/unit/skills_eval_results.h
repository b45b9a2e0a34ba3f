#pragma once
#include "skills/eval/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::eval::test {

// What an attacker would write: markup, quotes, an end of CDATA, controls, bytes that are no UTF-8.
inline constexpr std::string_view k_hostile =
    "<script>alert(1)</script>\"'&amp; ]]> \x01\x1b[31m\x7f\r\n\xC2\x85\xEF\xBF\xBF\xFF</pre></td>";

inline EvalSample
sample(std::string case_id, EvalArm arm, std::int64_t run, SampleOutcome outcome) {
  EvalSample one;
  one.case_id = std::move(case_id);
  one.arm = arm;
  one.run = run;
  one.outcome = outcome;
  one.output = outcome == SampleOutcome::error ? "" : "an answer";
  one.error = outcome == SampleOutcome::error ? "the server is away" : "";
  if (outcome != SampleOutcome::error) {
    one.checks.push_back({"contains `x`", outcome, "x is there"});
    one.tokens = {80, 20, 0, 100};
    one.cost = .001;
    one.milliseconds = 1'500;
  }
  return one;
}

// Cases `case 1`.. with one run in each arm: gained, lost, the same, and so on; every fifth case of
// the arm with the skill ends in an error.
inline EvalResult result_of(std::size_t cases, std::size_t models = 1, bool baseline = true) {
  CaseSuite suite;
  std::vector<ModelSamples> samples(models);
  for (std::size_t i = 1; i <= cases; ++i) {
    Case& one = suite.cases.emplace_back();
    one.id = "case " + std::to_string(i);
    one.input = "prompt of " + one.id;
    for (std::size_t model = 0; model < models; ++model) {
      samples[model].model = "model " + std::to_string(model + 1);
      samples[model].student = "chat";
      SampleOutcome with = i % 5 == 0   ? SampleOutcome::error
                           : i % 3 == 2 ? SampleOutcome::failed
                                        : SampleOutcome::passed;
      SampleOutcome without = i % 3 == 2 ? SampleOutcome::passed : SampleOutcome::failed;
      samples[model].samples.push_back(sample(one.id, EvalArm::with_skill, 1, with));
      if (baseline) {
        samples[model].samples.push_back(sample(one.id, EvalArm::baseline, 1, without));
      }
    }
  }
  EvalResult result;
  result.skill = "pdf-forms";
  result.hash = "abc123";
  result.started_at = "2026-11-23T08:00:00Z";
  result.cases = static_cast<std::int64_t>(cases);
  result.runs = 1;
  result.seed = 1;
  result.models = *report_models(suite, std::move(samples), baseline, 1);
  return result;
}

// The same with k_hostile wherever a text can be.
inline EvalResult hostile_result() {
  const std::string hostile(k_hostile);
  EvalResult result = result_of(3, 2);
  for (std::string* text : {&result.id,
                            &result.skill,
                            &result.hash,
                            &result.started_at,
                            &result.against,
                            &result.config,
                            &result.stopped,
                            &result.failed,
                            &result.logs}) {
    *text = hostile;
  }
  result.warnings = {hostile};
  result.combinations = {{hostile, {hostile, hostile}, {}, EvalLift{}, {}}};
  for (EvalModelReport& model : result.models) {
    model.model = model.student = model.reason = model.resolved = hostile;
    model.trigger = EvalTrigger{};
    for (EvalCaseReport& one : model.cases) {
      one.case_id += hostile;
      one.input = hostile;
    }
    for (EvalSample& one : model.samples) {
      one.case_id += hostile;
      one.error = one.output = one.answered_by = hostile;
      one.checks = {{hostile, one.outcome, hostile}};
    }
  }
  return result;
}

} // namespace upskill::eval::test
