#pragma once
#include "protocol/base/result.h"
#include "protocol/types/eval_reports.h"
#include "skills/eval/case.h"
#include "skills/eval/paired.h"

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace upskill::generate {

// What a student had: the draft of that number, or what all drafts are compared with.
using LoopArm = std::optional<std::size_t>;

// What students did, with each draft and without. A sample that ended in an error is no score.
// Owner: Loop. Thread: one. Lifetime: the loop's.
class LoopSamples {
public:
  // Samples of `cases`, in any order; those of other cases are left out.
  void add(LoopArm arm,
           std::size_t student,
           const eval::CaseSuite& suite,
           const std::vector<std::size_t>& cases,
           Result<std::vector<EvalSample>> samples);

  // Of one case, run by run.
  std::span<const EvalSample> of(LoopArm arm, std::size_t student, std::size_t case_number) const;
  // The share of those that passed; none without a score.
  std::optional<double> rate(LoopArm arm, std::size_t student, std::size_t case_number) const;

  struct Means {
    double one = 0;
    double other = 0;
  };

  // Of both arms over the cases that have a score in both, each student counting once. None where
  // no student has such a case.
  std::optional<Means> means(LoopArm one,
                             LoopArm other,
                             std::size_t students,
                             const std::vector<std::size_t>& cases) const;

  // Why nothing is known of a student who has no score at any of the cases; none where all have.
  std::optional<Error> problem(LoopArm arm,
                               const std::vector<std::string>& students,
                               const std::vector<std::size_t>& cases) const;

  // For eval::compare_arms(): what decides, and not what it took.
  std::vector<eval::PairedCase> pairs(std::size_t draft,
                                      std::size_t student,
                                      const eval::CaseSuite& suite,
                                      const std::vector<std::size_t>& cases) const;

private:
  struct Key {
    LoopArm arm = {};
    std::size_t student = 0;
    std::size_t case_number = 0;

    auto operator<=>(const Key&) const = default;
  };

  std::map<Key, std::vector<EvalSample>> m_samples = {};
  std::map<std::pair<LoopArm, std::size_t>, Error> m_errors = {}; // the last, by arm and student
};

} // namespace upskill::generate
