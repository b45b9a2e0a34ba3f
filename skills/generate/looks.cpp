#include "skills/generate/looks.h"

#include "skills/eval/report_numbers.h"

#include <algorithm>

namespace upskill::generate {
namespace {

EvalVerdict verdict_of(eval::Outcome outcome) {
  switch (outcome) {
  case eval::Outcome::better:
    return EvalVerdict::better;
  case eval::Outcome::worse:
    return EvalVerdict::worse;
  case eval::Outcome::undecided:
    break;
  }
  return EvalVerdict::undecided;
}

// What a budget cut short, or a server did not answer, is no proof.
std::size_t whole_cases(const std::vector<eval::PairedCase>& cases, std::size_t runs) {
  return static_cast<std::size_t>(std::ranges::count_if(cases, [&](const eval::PairedCase& one) {
    return one.with.scores.size() >= runs && one.baseline.scores.size() >= runs;
  }));
}

Result<bool> is_harmed(const std::vector<eval::PairedCase>& cases,
                       const eval::BootstrapOptions& bootstrap) {
  eval::BootstrapOptions options = bootstrap;
  options.confidence = 1 - k_harm_alpha;
  TRY_ASSIGN(eval::PairedComparison comparison, eval::compare_arms(cases, options));
  return eval::judge(comparison).outcome == eval::Outcome::worse;
}

} // namespace

Result<void>
judge_look(Look& look, const StudentCases& students, const eval::BootstrapOptions& bootstrap) {
  eval::BootstrapOptions options = bootstrap;
  options.confidence = 1 - look.alpha;
  std::vector<eval::PairedComparison> comparisons;
  double known = 0;
  for (const std::vector<eval::PairedCase>& cases : students) {
    TRY_ASSIGN(eval::PairedComparison comparison, eval::compare_arms(cases, options));
    look.lifts.push_back(comparison.lift);
    look.lift += comparison.lift;
    known += comparison.cases > 0 ? 1 : 0;
    comparisons.push_back(std::move(comparison));
  }
  look.lift = known > 0 ? look.lift / known : 0;
  look.verdicts = eval::judge_family(comparisons);
  bool any_better = false;
  bool all_known = true;
  for (std::size_t i = 0; i < students.size(); ++i) {
    const bool is_known = whole_cases(students[i], look.runs) >= look.least_cases;
    if (!is_known && look.verdicts[i].outcome == eval::Outcome::better) {
      look.verdicts[i].outcome = eval::Outcome::undecided;
      look.verdicts[i].reason = eval::Reason::too_few_units;
    }
    any_better = any_better || look.verdicts[i].outcome == eval::Outcome::better;
    all_known = all_known && is_known;
    if (comparisons[i].lift < 0) { // else it takes no second test
      TRY_ASSIGN(const bool harmed, is_harmed(students[i], bootstrap));
      if (harmed) {
        look.verdicts[i].outcome = eval::Outcome::worse;
        look.verdicts[i].reason = eval::Reason::significant;
        look.harmed = look.harmed.value_or(i);
      }
    }
  }
  look.is_better = any_better && all_known && !look.harmed;
  return {};
}

Result<std::optional<std::size_t>> find_harm(const StudentCases& students,
                                             const eval::BootstrapOptions& bootstrap) {
  for (std::size_t i = 0; i < students.size(); ++i) {
    TRY_ASSIGN(const bool harmed, is_harmed(students[i], bootstrap));
    if (harmed) {
      return i;
    }
  }
  return std::nullopt;
}

void tell_look(EvalModelReport& report, const Look& look, std::size_t student) {
  const eval::Verdict& verdict = look.verdicts[student];
  report.verdict = verdict_of(verdict.outcome);
  report.detectable = verdict.detectable_lift;
  report.more_cases.reset();
  report.reason.clear();
  if (verdict.outcome != eval::Outcome::undecided) {
    return;
  }
  if (verdict.more_cases) {
    report.more_cases = static_cast<std::int64_t>(*verdict.more_cases);
  }
  report.reason = to_string(verdict.reason);
  if (verdict.reason == eval::Reason::chance || verdict.reason == eval::Reason::wide_interval) {
    report.reason += " (look " + std::to_string(look.number)
                     + " at held-out cases, which may err in " + eval::as_percent(look.alpha) + ")";
  }
}

std::string lifts_in_words(const Look& look, const std::vector<std::string>& students) {
  std::string words;
  for (std::size_t i = 0; i < students.size(); ++i) {
    words += (i == 0 ? "`" : ", `") + students[i] + "` " + eval::as_change(look.lifts[i]);
  }
  return words;
}

} // namespace upskill::generate
