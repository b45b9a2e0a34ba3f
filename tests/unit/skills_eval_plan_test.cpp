#include "skills/eval/plan.h"

#include <doctest/doctest.h>

#include <map>
#include <tuple>

using namespace upskill;
using namespace upskill::eval;

namespace {

std::map<std::tuple<std::size_t, EvalArm, std::uint32_t>, int>
counted(const std::vector<PlannedSample>& plan) {
  std::map<std::tuple<std::size_t, EvalArm, std::uint32_t>, int> counts;
  for (const PlannedSample& sample : plan) {
    ++counts[{sample.case_number, sample.arm, sample.run}];
  }
  return counts;
}

} // namespace

TEST_SUITE("plan_samples") {
  TEST_CASE("every case, arm and run comes exactly once") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(seed);
      const auto plan = plan_samples(7, 3, true, seed);
      CHECK(plan.size() == 42);
      const auto counts = counted(plan);
      for (std::size_t one = 0; one < 7; ++one) {
        for (std::uint32_t run = 1; run <= 3; ++run) {
          CHECK(counts.count({one, EvalArm::with_skill, run}) == 1);
          CHECK(counts.count({one, EvalArm::baseline, run}) == 1);
        }
      }
      CHECK(counts.size() == 42); // nothing twice, and nothing else
    }
  }

  TEST_CASE("run by run, and the arms of a case side by side") {
    const auto plan = plan_samples(9, 4, true, 5);
    REQUIRE(plan.size() == 72);
    for (std::size_t i = 0; i < plan.size(); i += 2) {
      CHECK(plan[i].case_number == plan[i + 1].case_number);
      CHECK(plan[i].run == plan[i + 1].run);
      CHECK(plan[i].arm != plan[i + 1].arm);
      CHECK(plan[i].run == i / 18 + 1);
    }
  }

  TEST_CASE("each run has an order of its own") {
    const auto plan = plan_samples(50, 2, false, 1);
    std::vector<std::size_t> first;
    std::vector<std::size_t> second;
    for (std::size_t i = 0; i < 50; ++i) {
      first.push_back(plan[i].case_number);
      second.push_back(plan[50 + i].case_number);
    }
    CHECK(first != second);
  }

  TEST_CASE("the seed decides, and nothing else") {
    CHECK(plan_samples(30, 2, true, 8) == plan_samples(30, 2, true, 8));
    CHECK(plan_samples(30, 2, true, 8) != plan_samples(30, 2, true, 9));
  }

  TEST_CASE("without a baseline only the skill is asked") {
    const auto plan = plan_samples(5, 2, false, 3);
    CHECK(plan.size() == 10);
    CHECK(counted(plan).size() == 10);
    for (const PlannedSample& sample : plan) {
      CHECK(sample.arm == EvalArm::with_skill);
    }
  }

  TEST_CASE("nothing to ask") {
    CHECK(plan_samples(0, 3, true, 1).empty());
    CHECK(plan_samples(3, 0, true, 1).empty());
    CHECK(plan_samples(0, 0, false, 1).empty());
  }

  TEST_CASE("either arm comes first about equally often") {
    const auto plan = plan_samples(1000, 2, true, 4);
    int skill_first = 0;
    for (std::size_t i = 0; i < plan.size(); i += 2) {
      skill_first += plan[i].arm == EvalArm::with_skill ? 1 : 0;
    }
    CHECK(skill_first > 890); // 1000 +- 4.9 standard deviations
    CHECK(skill_first < 1110);
  }
}
