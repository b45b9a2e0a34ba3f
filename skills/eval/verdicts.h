#pragma once
#include "skills/eval/grade.h"

#include <optional>
#include <span>

namespace upskill::eval {

// How much of the weight passed, failed, or has no verdict.
struct Shares {
  double passed = 0;
  double failed = 0;
  double unknown = 0;

  double total() const { return passed + failed + unknown; }
};

Shares shares_of(std::span<const CheckResult> checks);

// With a threshold: at least that share of the weight passed. Without: all of it, or any. Unknown
// where the missing verdicts decide. Nothing that counts is all of nothing, and not any of it.
CheckVerdict decide_all(const Shares& shares, std::optional<double> threshold);
CheckVerdict decide_any(const Shares& shares, std::optional<double> threshold);

} // namespace upskill::eval
