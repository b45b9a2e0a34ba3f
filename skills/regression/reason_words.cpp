#include "skills/regression/reason_words.h"

#include "skills/eval/report_numbers.h"

namespace upskill::regression {
namespace {

// "93% -> 50%, 4 of 8 samples passed".
std::string rates(const TestReport& report) {
  if (!report.rate) {
    return "no sample was drawn";
  }
  const auto samples = static_cast<double>(report.samples);
  const auto passes = static_cast<std::int64_t>(*report.rate * samples + 0.5);
  return eval::as_percent(report.accepted_rate) + " -> " + eval::as_percent(report.rate) + ", "
         + eval::as_count(passes) + " of "
         + eval::as_count(static_cast<std::int64_t>(report.samples)) + " samples passed";
}

} // namespace

std::string reason_in_words(const TestReport& report) {
  switch (report.reason) {
  case WatchReason::dropped:
    return "worse than the accepted version: " + rates(report);
  case WatchReason::held:
    return "as good as the accepted version: " + rates(report);
  case WatchReason::unfinished:
    return "not decided yet: " + rates(report);
  case WatchReason::out_of_runs:
    return "as many runs as may be drawn decide nothing: " + rates(report)
           + "; more runs of the accepted version would tell more";
  case WatchReason::out_of_budget:
    return "the budget is spent: " + rates(report);
  case WatchReason::waiting:
    return "waits for a person to say go: " + rates(report);
  case WatchReason::cancelled:
    return "a person has ended the test: " + rates(report);
  case WatchReason::moved:
    return "stable cases got worse and flaky ones better, the whole did not: " + rates(report)
           + "; of all " + eval::as_percent(report.accepted_whole) + " -> "
           + eval::as_percent(report.whole);
  case WatchReason::errors:
    return eval::as_count(static_cast<std::int64_t>(report.errors))
           + " errors, which say nothing about the skill: " + rates(report);
  case WatchReason::no_cases:
    return "there are no test cases";
  case WatchReason::nothing_accepted:
    return "there are no samples of an accepted version";
  case WatchReason::nothing_to_lose:
    return "the accepted version passes only " + eval::as_percent(report.accepted_rate)
           + ", too few to lose more";
  }
  return {};
}

} // namespace upskill::regression
