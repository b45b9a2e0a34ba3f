#pragma once
#include "protocol/types/evals.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upskill::eval {

// One sample to draw: a case (its number in the suite), an arm, a run from 1.
struct PlannedSample {
  std::size_t case_number = 0;
  EvalArm arm = EvalArm::with_skill;
  std::uint32_t run = 1;

  friend bool operator==(const PlannedSample&, const PlannedSample&) = default;
};

// All samples of one model, in the order in which they are drawn: run by run, the cases of each in
// an order of its own, the two arms of a case side by side and either of them first. So whatever
// drifts meanwhile drifts in both arms, and what is cut short is short in both.
std::vector<PlannedSample>
plan_samples(std::size_t cases, std::uint32_t runs, bool baseline, std::uint64_t seed);

} // namespace upskill::eval
