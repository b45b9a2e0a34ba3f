#pragma once
#include "protocol/base/result.h"
#include "protocol/types/eval_reports.h"
#include "skills/eval/verdict.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upskill::generate {

// Harm is not what the looks share alpha for: it is looked for at this one each time, two-sided.
inline constexpr double k_harm_alpha = 0.05;

// Each student's cases, with a draft and without.
using StudentCases = std::vector<std::vector<eval::PairedCase>>;

// What a look at the held-out cases says of a draft.
struct Look {
  std::size_t draft = 0;
  std::size_t number = 1;                   // among all looks, from 1
  std::vector<std::size_t> cases = {};      // numbers in the suite
  std::size_t least_cases = 1;              // that are whole in both arms, for each student
  std::size_t runs = 1;                     // scores of a case that is whole, in each arm
  double alpha = 0;                         // two-sided, what it spent
  std::vector<eval::Verdict> verdicts = {}; // of each student; worse: at k_harm_alpha
  std::vector<double> lifts = {};           // likewise; 0 where nothing could be compared
  double lift = 0;                          // mean over students
  std::optional<std::size_t> harmed = {};   // the first student who gets worse
  bool is_better = false; // for a student at least, with enough known of all and none worse
};

// Judges all students as one family (Holm) with an alpha of `look`.
// invalid_argument as of compare_arms().
Result<void>
judge_look(Look& look, const StudentCases& students, const eval::BootstrapOptions& bootstrap);

// The first student who gets worse at k_harm_alpha, on any cases.
Result<std::optional<std::size_t>> find_harm(const StudentCases& students,
                                             const eval::BootstrapOptions& bootstrap);

// Puts the verdict of a look in place of the one that a report has from its samples alone.
void tell_look(EvalModelReport& report, const Look& look, std::size_t student);

// "`haiku` +35%, `kimi` -5%": what a look saw.
std::string lifts_in_words(const Look& look, const std::vector<std::string>& students);

} // namespace upskill::generate
