#include "skills/eval/report.h"

#include "skills/eval/report_arms.h"
#include "skills/eval/trigger.h"
#include "skills/eval/verdict.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace upskill::eval {
namespace {

EvalVerdict verdict_of(Outcome outcome) {
  switch (outcome) {
  case Outcome::better:
    return EvalVerdict::better;
  case Outcome::worse:
    return EvalVerdict::worse;
  case Outcome::undecided:
    break;
  }
  return EvalVerdict::undecided;
}

std::optional<double> ratio_of(const std::optional<CostRatio>& costs) {
  return costs ? std::optional(costs->ratio) : std::nullopt;
}

// How many runs were meant: samples are drawn run by run, so the last run is in some case of some
// model, even where it ended in an error. Each model's samples are in the order of runs.
std::size_t runs_of(const std::vector<std::vector<CaseSample>>& models) {
  std::int64_t runs = 0;
  for (const std::vector<CaseSample>& samples : models) {
    runs = std::max(runs, samples.empty() ? 0 : samples.back().sample->run);
  }
  return static_cast<std::size_t>(runs);
}

void tell(EvalModelReport& report, const PairedComparison& comparison, const Verdict& verdict) {
  if (comparison.cases > 0) {
    Interval interval = comparison.interval.value_or(Interval{-1, 1});
    report.lift = EvalLift{comparison.lift, interval.low, interval.high};
    report.p_value = verdict.adjusted_p_value;
  }
  report.verdict = verdict_of(verdict.outcome);
  if (verdict.outcome == Outcome::undecided) {
    report.reason = to_string(verdict.reason);
  }
  if (verdict.more_cases) {
    report.more_cases = static_cast<std::int64_t>(*verdict.more_cases);
  }
  report.detectable = verdict.detectable_lift;
  report.token_ratio = ratio_of(comparison.tokens);
  report.cost_ratio = ratio_of(comparison.cost);
  report.time_ratio = ratio_of(comparison.seconds);
  report.gain = comparison.gain;
  report.lift_per_1k_tokens = comparison.lift_per_thousand_tokens;
  report.cases_better = static_cast<std::int64_t>(comparison.better);
  report.cases_worse = static_cast<std::int64_t>(comparison.worse);
  report.is_beneficial = verdict.is_beneficial;
}

} // namespace

Result<std::vector<EvalModelReport>> report_models(const CaseSuite& suite,
                                                   std::vector<ModelSamples> models,
                                                   bool baseline,
                                                   std::uint64_t seed) {
  std::vector<EvalModelReport> reports;
  std::vector<PairedComparison> comparisons;
  std::vector<std::vector<CaseSample>> ordered;
  for (const ModelSamples& of : models) {
    ordered.push_back(in_order(suite, of.samples));
  }
  const std::size_t runs = runs_of(ordered);
  for (std::size_t i = 0; i < models.size(); ++i) {
    ModelSamples& of = models[i];
    const std::vector<CaseSample>& samples = ordered[i];
    std::vector<PairedCase> cases = pair_arms(suite, samples);
    EvalModelReport& report = reports.emplace_back();
    report.model = std::move(of.model);
    report.student = std::move(of.student);
    report.with_skill = summarise(cases, samples, EvalArm::with_skill);
    report.pass_all = pass_all(cases, runs);
    report.trigger = trigger_of(suite, samples);
    report.cases = report_cases(suite, cases);
    if (baseline) {
      report.baseline = summarise(cases, samples, EvalArm::baseline);
      BootstrapOptions options;
      options.seed = seed;
      TRY_ASSIGN(PairedComparison comparison, compare_arms(cases, options));
      comparisons.push_back(std::move(comparison));
    } else {
      report.reason = "nothing was asked without the skill";
    }
    report.samples = std::move(of.samples); // where `samples` points stays
  }
  std::vector<Verdict> verdicts = judge_family(comparisons);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    tell(reports[i], comparisons[i], verdicts[i]);
  }
  return reports;
}

} // namespace upskill::eval
