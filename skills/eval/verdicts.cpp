#include "skills/eval/verdicts.h"

namespace upskill::eval {
namespace {

using enum CheckVerdict;

// Three tenths of a weight of ten are three, whatever binary fractions make of it.
constexpr double k_tolerance = 1e-9;

CheckVerdict decide_share(const Shares& shares, double threshold) {
  double wanted = (threshold - k_tolerance) * shares.total();
  if (shares.passed >= wanted) {
    return passed;
  }
  return shares.passed + shares.unknown >= wanted ? unknown : failed;
}

} // namespace

std::string_view to_string(CheckVerdict verdict) {
  switch (verdict) {
  case passed:
    return "passed";
  case failed:
    return "failed";
  case unknown:
    break;
  }
  return "unknown";
}

CheckVerdict negate(CheckVerdict verdict) {
  if (verdict == unknown) {
    return unknown;
  }
  return verdict == passed ? failed : passed;
}

Shares shares_of(std::span<const CheckResult> checks) {
  Shares shares;
  for (const CheckResult& check : checks) {
    double& share = check.verdict == passed   ? shares.passed
                    : check.verdict == failed ? shares.failed
                                              : shares.unknown;
    share += check.weight;
  }
  return shares;
}

CheckVerdict decide_all(const Shares& shares, std::optional<double> threshold) {
  if (threshold && shares.total() > 0) {
    return decide_share(shares, *threshold);
  }
  if (shares.failed > 0) {
    return failed;
  }
  return shares.unknown > 0 ? unknown : passed;
}

CheckVerdict decide_any(const Shares& shares, std::optional<double> threshold) {
  if (threshold && shares.total() > 0) {
    return decide_share(shares, *threshold);
  }
  if (shares.passed > 0) {
    return passed;
  }
  return shares.unknown > 0 ? unknown : failed;
}

} // namespace upskill::eval
