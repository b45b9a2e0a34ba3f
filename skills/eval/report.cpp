#include "skills/eval/report.h"

#include "skills/eval/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace upskill::eval {
namespace {

template <class T>
std::optional<T> sum(const std::optional<T>& one, const std::optional<T>& other) {
  return one && other ? std::optional<T>(*one + *other) : std::nullopt;
}

// Means over the scored samples of a case; unknown where one of them is.
class Means {
public:
  void add(const EvalSample& sample, ArmSamples& arm) {
    if (sample.outcome == SampleOutcome::error) {
      ++arm.errors;
      return;
    }
    arm.scores.push_back(sample.outcome == SampleOutcome::passed ? 1.0 : 0.0);
    m_tokens = sum(m_tokens, as_double(sample.tokens.total));
    m_cost = sum(m_cost, sample.cost);
    m_milliseconds = sum(m_milliseconds, as_double(sample.milliseconds));
  }

  void finish(ArmSamples& arm) const {
    auto count = static_cast<double>(arm.scores.size());
    if (count == 0) {
      return;
    }
    arm.tokens = mean(m_tokens, count);
    arm.cost = mean(m_cost, count);
    arm.seconds = mean(m_milliseconds, count * 1000);
  }

private:
  static std::optional<double> as_double(std::optional<std::int64_t> value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  }

  static std::optional<double> mean(std::optional<double> total, double count) {
    return total ? std::optional(*total / count) : std::nullopt;
  }

  std::optional<double> m_tokens = 0;
  std::optional<double> m_cost = 0;
  std::optional<double> m_milliseconds = 0;
};

struct CaseSample {
  std::size_t case_number = 0;
  const EvalSample* sample = nullptr;
};

// Those of the suite's cases, run by run: compare_arms() wants scores in the order drawn, and sums
// must not depend on the order in which samples came, not even in their last bit.
std::vector<CaseSample> in_order(const CaseSuite& suite, const std::vector<EvalSample>& samples) {
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    numbers.emplace(suite.cases[i].id, i);
  }
  std::vector<CaseSample> known;
  for (const EvalSample& sample : samples) {
    auto found = numbers.find(sample.case_id);
    if (found != numbers.end()) {
      known.push_back({found->second, &sample});
    }
  }
  std::ranges::sort(known, {}, [](const CaseSample& one) {
    return std::tuple(one.sample->run, one.case_number, one.sample->arm, one.sample);
  });
  return known;
}

std::vector<PairedCase> pair(const CaseSuite& suite, const std::vector<CaseSample>& samples) {
  std::vector<PairedCase> cases(suite.cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].id = suite.cases[i].id;
    cases[i].cluster = suite.cases[i].cluster;
  }
  std::vector<std::pair<Means, Means>> means(cases.size());
  for (const auto& [number, sample] : samples) {
    bool has_skill = sample->arm == EvalArm::with_skill;
    (has_skill ? means[number].first : means[number].second)
        .add(*sample, has_skill ? cases[number].with : cases[number].baseline);
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    means[i].first.finish(cases[i].with);
    means[i].second.finish(cases[i].baseline);
  }
  return cases;
}

EvalArmReport summarise(const std::vector<PairedCase>& cases,
                        const std::vector<CaseSample>& samples,
                        EvalArm arm) {
  EvalArmReport report;
  double rates = 0;
  std::size_t scored_cases = 0;
  for (const PairedCase& one : cases) {
    const ArmSamples& of = arm == EvalArm::with_skill ? one.with : one.baseline;
    double passed = 0;
    for (double score : of.scores) {
      passed += score;
    }
    report.samples += static_cast<std::int64_t>(of.scores.size());
    report.passed += std::llround(passed);
    report.errors += static_cast<std::int64_t>(of.errors);
    if (!of.scores.empty()) {
      rates += passed / static_cast<double>(of.scores.size());
      ++scored_cases;
    }
  }
  if (scored_cases > 0) {
    report.rate = rates / static_cast<double>(scored_cases);
    // Runs of one case say little about others, so it is cases that are counted.
    Interval interval = wilson(static_cast<std::size_t>(std::llround(rates)), scored_cases);
    report.low = interval.low;
    report.high = interval.high;
  }
  bool any = false;
  report.tokens = {0, 0, 0, 0};
  report.cost = 0;
  for (const auto& [number, sample] : samples) {
    if (sample->arm == arm && sample->outcome != SampleOutcome::error) {
      any = true;
      report.tokens = add_tokens(report.tokens, sample->tokens);
      report.cost = sum(report.cost, sample->cost);
    }
  }
  if (!any) {
    report.tokens = {};
    report.cost.reset();
  }
  return report;
}

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
  if (comparison.tokens) {
    report.token_ratio = comparison.tokens->ratio;
  }
  report.is_beneficial = verdict.is_beneficial;
}

} // namespace

EvalTokens add_tokens(const EvalTokens& one, const EvalTokens& other) {
  return {sum(one.input, other.input),
          sum(one.output, other.output),
          sum(one.cached, other.cached),
          sum(one.total, other.total)};
}

Result<std::vector<EvalModelReport>> report_models(const CaseSuite& suite,
                                                   std::vector<ModelSamples> models,
                                                   bool baseline,
                                                   std::uint64_t seed) {
  std::vector<EvalModelReport> reports;
  std::vector<PairedComparison> comparisons;
  for (ModelSamples& of : models) {
    std::vector<CaseSample> samples = in_order(suite, of.samples);
    std::vector<PairedCase> cases = pair(suite, samples);
    EvalModelReport& report = reports.emplace_back();
    report.model = std::move(of.model);
    report.student = std::move(of.student);
    report.with_skill = summarise(cases, samples, EvalArm::with_skill);
    if (baseline) {
      report.baseline = summarise(cases, samples, EvalArm::baseline);
      BootstrapOptions options;
      options.seed = seed;
      TRY_ASSIGN(PairedComparison comparison, compare_arms(cases, options));
      comparisons.push_back(std::move(comparison));
    } else {
      report.reason = "nothing was asked without the skill";
    }
    report.samples = std::move(of.samples);
  }
  std::vector<Verdict> verdicts = judge_family(comparisons);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    tell(reports[i], comparisons[i], verdicts[i]);
  }
  return reports;
}

} // namespace upskill::eval
