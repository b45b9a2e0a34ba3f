#include "skills/regression/verdict.h"

#include <algorithm>

namespace upskill::regression {
namespace {

constexpr std::size_t k_most_named = 3;

WatchVerdict joined(const std::vector<SubjectVerdict>& subjects) {
  if (std::ranges::count(subjects, WatchVerdict::regressed, &SubjectVerdict::verdict) > 0) {
    return WatchVerdict::regressed;
  }
  const bool all_hold = std::ranges::all_of(
      subjects, [](const SubjectVerdict& one) { return one.verdict == WatchVerdict::ok; });
  return all_hold && !subjects.empty() ? WatchVerdict::ok : WatchVerdict::undecided;
}

} // namespace

VersionVerdict verdict_of_version(const std::vector<SubjectVerdict>& subjects) {
  VersionVerdict version{.verdict = joined(subjects)};
  if (subjects.empty()) {
    version.why = "there is nothing to ask";
    return version;
  }
  std::size_t alike = 0;
  for (const SubjectVerdict& one : subjects) {
    if (one.verdict != version.verdict) {
      continue;
    }
    if (alike == 0) {
      version.reason = one.reason;
    }
    if (alike < k_most_named) {
      version.why += (alike == 0 ? "" : "; ") + one.subject + ": " + one.why;
    }
    ++alike;
  }
  if (alike > k_most_named) {
    version.why += "; and " + std::to_string(alike - k_most_named) + " more";
  }
  return version;
}

} // namespace upskill::regression
