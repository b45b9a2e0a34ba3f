#pragma once
#include "protocol/base/result.h"
#include "skills/regression/test.h"

#include <cstddef>

namespace upskill::regression {

// What a test does at a known true rate, exactly.
struct Course {
  double worse = 0; // the chance of that decision; what is left to 1 is undecided
  double equal = 0;
  double samples = 0; // mean
};

// With `most` samples at most. Time and memory grow with its square.
Course follow(const RateTest& test, double rate, std::size_t most);

// How many times somebody is asked in a test that has not begun, so that its cost can be told.
struct Estimate {
  double likely = 0;    // on average, when the version is as good as the accepted one
  double if_worse = 0;  // likewise, when it is worse by the drop that is looked for
  std::size_t most = 0; // whatever happens
  // Before anybody is asked: how likely each verdict is.
  double finds_drop = 0;  // REGRESSED, when it is worse by the drop
  double says_ok = 0;     // OK, when it is as good
  double false_alarm = 0; // REGRESSED, when it is as good
};

// By the exact course of the test at the accepted rate, as if that were known; with a share of
// `errors` (0 to 1) of all answers, each of which is asked again. Nothing where the test would be
// over at once. invalid_argument as of Test::open(), and for another share.
Result<Estimate> estimate_test(const TestOptions& options, double errors = 0);

} // namespace upskill::regression
