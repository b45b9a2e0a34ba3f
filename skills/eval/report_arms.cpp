#include "skills/eval/report_arms.h"

#include "skills/eval/interval.h"
#include "skills/eval/report.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
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

double passes_of(const ArmSamples& arm) {
  return std::accumulate(arm.scores.begin(), arm.scores.end(), 0.0);
}

std::optional<double> rate_of(const ArmSamples& arm) {
  if (arm.scores.empty()) {
    return std::nullopt;
  }
  return passes_of(arm) / static_cast<double>(arm.scores.size());
}

} // namespace

std::vector<CaseSample> in_order(const CaseSuite& suite, const std::vector<EvalSample>& samples) {
  std::unordered_map<std::string_view, std::size_t> numbers;
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

std::vector<PairedCase> pair_arms(const CaseSuite& suite, const std::vector<CaseSample>& samples) {
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

// upskill's "avg assertions", over samples with an outcome.
void count_checks(EvalArmReport& report, const std::vector<CaseSample>& samples, EvalArm arm) {
  double count = 0;
  double passed = 0;
  double all = 0;
  for (const auto& [number, sample] : samples) {
    if (sample->arm == arm && sample->outcome != SampleOutcome::error) {
      ++count;
      for (const EvalCheckReport& check : sample->checks) {
        passed += check.outcome == SampleOutcome::passed ? 1 : 0;
        ++all;
      }
    }
  }
  if (all > 0) {
    report.checks_passed = passed / count;
    report.checks = all / count;
  }
}

EvalArmReport summarise(const std::vector<PairedCase>& cases,
                        const std::vector<CaseSample>& samples,
                        EvalArm arm) {
  EvalArmReport report;
  double rates = 0;
  std::size_t scored_cases = 0;
  for (const PairedCase& one : cases) {
    const ArmSamples& of = arm == EvalArm::with_skill ? one.with : one.baseline;
    report.samples += static_cast<std::int64_t>(of.scores.size());
    report.passed += std::llround(passes_of(of));
    report.errors += static_cast<std::int64_t>(of.errors);
    if (auto rate = rate_of(of)) {
      rates += *rate;
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
  count_checks(report, samples, arm);
  return report;
}

std::vector<EvalCaseReport> report_cases(const CaseSuite& suite,
                                         const std::vector<PairedCase>& cases) {
  std::vector<EvalCaseReport> reports;
  reports.reserve(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EvalCaseReport& report = reports.emplace_back();
    report.case_id = suite.cases[i].id;
    report.input = suite.cases[i].input;
    report.with_skill = rate_of(cases[i].with);
    report.baseline = rate_of(cases[i].baseline);
    report.errors = static_cast<std::int64_t>(cases[i].with.errors + cases[i].baseline.errors);
  }
  return reports;
}

std::optional<double> pass_all(const std::vector<PairedCase>& cases, std::size_t runs) {
  double chances = 0;
  std::size_t known = 0;
  for (const PairedCase& one : cases) {
    auto passed = static_cast<std::size_t>(std::llround(passes_of(one.with)));
    if (auto chance = pass_hat_k(one.with.scores.size(), passed, runs)) {
      chances += *chance;
      ++known;
    }
  }
  return known > 0 ? std::optional(chances / static_cast<double>(known)) : std::nullopt;
}

EvalTokens add_tokens(const EvalTokens& one, const EvalTokens& other) {
  return {sum(one.input, other.input),
          sum(one.output, other.output),
          sum(one.cached, other.cached),
          sum(one.total, other.total)};
}

} // namespace upskill::eval
