#include "skills/eval/trigger.h"

#include "skills/eval/interval.h"

#include <algorithm>
#include <cmath>

namespace upskill::eval {
namespace {

// Of one query's samples.
struct Picks {
  std::int64_t picked = 0;
  std::int64_t not_picked = 0;
  std::int64_t unknown = 0;
};

std::optional<bool> was_picked(const EvalSample& sample) {
  bool is_conclusive = sample.outcome != SampleOutcome::error || sample.skill_used.value_or(false);
  return is_conclusive ? sample.skill_used : std::nullopt;
}

std::optional<EvalShare> share(std::int64_t part, std::int64_t whole, std::size_t cases) {
  if (whole == 0) {
    return std::nullopt;
  }
  double value = static_cast<double>(part) / static_cast<double>(whole);
  auto successes = static_cast<std::size_t>(std::llround(value * static_cast<double>(cases)));
  Interval interval = wilson(successes, cases);
  return EvalShare{value, interval.low, interval.high};
}

} // namespace

std::optional<EvalTrigger> trigger_of(const CaseSuite& suite,
                                      const std::vector<CaseSample>& samples) {
  bool has_queries = std::ranges::any_of(
      suite.cases, [](const Case& one) { return one.should_trigger.has_value(); });
  bool any = false;
  bool any_unwanted = false;
  std::vector<Picks> picks(suite.cases.size());
  for (const auto& [number, sample] : samples) {
    const std::optional<bool>& wanted = suite.cases[number].should_trigger;
    if (sample->arm != EvalArm::with_skill || (has_queries && !wanted)) {
      continue;
    }
    any = any || has_queries || sample->skill_used.has_value();
    any_unwanted = any_unwanted || !wanted.value_or(true);
    std::optional<bool> picked = was_picked(*sample);
    Picks& of = picks[number];
    ++(!picked ? of.unknown : *picked ? of.picked : of.not_picked);
  }
  if (!any) {
    return std::nullopt;
  }
  EvalTrigger trigger;
  std::size_t picking_cases = 0;
  std::size_t wanted_cases = 0;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    bool is_wanted = suite.cases[i].should_trigger.value_or(true);
    (is_wanted ? trigger.true_positives : trigger.false_positives) += picks[i].picked;
    (is_wanted ? trigger.false_negatives : trigger.true_negatives) += picks[i].not_picked;
    trigger.unknown += picks[i].unknown;
    picking_cases += picks[i].picked > 0 ? 1 : 0;
    wanted_cases += is_wanted && picks[i].picked + picks[i].not_picked > 0 ? 1 : 0;
  }
  std::int64_t hits = trigger.true_positives;
  if (any_unwanted) {
    trigger.precision = share(hits, hits + trigger.false_positives, picking_cases);
  }
  trigger.recall = share(hits, hits + trigger.false_negatives, wanted_cases);
  if (trigger.precision && trigger.recall) {
    trigger.f1 =
        2 * static_cast<double>(hits)
        / static_cast<double>(2 * hits + trigger.false_positives + trigger.false_negatives);
  }
  return trigger;
}

} // namespace upskill::eval
