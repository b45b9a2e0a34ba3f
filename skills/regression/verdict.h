#pragma once
#include "protocol/types/watch.h"

#include <string>
#include <vector>

namespace upskill::regression {

// What a test, or a kept verdict, says of one model, student and measure.
struct SubjectVerdict {
  std::string subject = {}; // as people know it: "`haiku`", "`haiku`, triggers"
  WatchVerdict verdict = WatchVerdict::undecided;
  WatchReason reason = WatchReason::unfinished;
  std::string why = {}; // TestReport::why
};

struct VersionVerdict {
  WatchVerdict verdict = WatchVerdict::undecided;
  WatchReason reason = WatchReason::no_cases; // that of the subject which decided
  std::string why = {};                       // a sentence without a full stop
};

// REGRESSED where one subject is, OK where all are, else undecided; undecided without any. The
// first subjects with that verdict say why, three at most.
VersionVerdict verdict_of_version(const std::vector<SubjectVerdict>& subjects);

} // namespace upskill::regression
