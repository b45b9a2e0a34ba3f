#include "skills/eval/plan.h"

#include "skills/eval/random.h"

#include <numeric>

namespace upskill::eval {

std::vector<PlannedSample>
plan_samples(std::size_t cases, std::uint32_t runs, bool baseline, std::uint64_t seed) {
  Random random(seed);
  std::vector<PlannedSample> plan;
  plan.reserve(cases * runs * (baseline ? 2 : 1));
  std::vector<std::size_t> order(cases);
  for (std::uint32_t run = 1; run <= runs; ++run) {
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(order);
    for (std::size_t one : order) {
      if (!baseline) {
        plan.push_back({one, EvalArm::with_skill, run});
        continue;
      }
      bool skill_first = random.below(2) == 0;
      plan.push_back({one, skill_first ? EvalArm::with_skill : EvalArm::baseline, run});
      plan.push_back({one, skill_first ? EvalArm::baseline : EvalArm::with_skill, run});
    }
  }
  return plan;
}

} // namespace upskill::eval
