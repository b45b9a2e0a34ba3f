#pragma once
#include "skills/eval/exact.h"
#include "skills/eval/paired.h"
#include "skills/eval/power.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace upskill::eval {

enum class Outcome { better, worse, undecided };

enum class Reason {
  significant,     // decided: test and interval agree
  no_cases,        // nothing was compared
  no_pairs,        // no case has a score in both arms
  too_few_units,   // whatever they say, the test cannot
  nothing_differs, // every case is as good with the skill as without
  chance,          // the test says that chance may have done it
  wide_interval    // the test does not, but the interval holds 0
};

std::string_view to_string(Outcome outcome);
// A clause for people, as in "undecided: <reason>".
std::string_view to_string(Reason reason);

// Whether a skill helps, and what it would take to know.
struct Verdict {
  Outcome outcome = Outcome::undecided;
  Reason reason = Reason::no_cases;
  SignFlip test = {};
  double adjusted_p_value = 1; // Holm's over the comparisons judged together, else that of the test
  // The lift that so many cases find with a power of 80 %; over 1: none. None without a case.
  std::optional<double> detectable_lift = {};
  // When undecided: about so many more cases find the lift that was seen, or the least that matters
  // where less was seen, with a power of 80 %.
  std::optional<std::size_t> more_cases = {};
  bool is_beneficial = false; // as upskill has it, see is_beneficial()
};

// The least lift that matters: upskill's own bound.
inline constexpr double k_least_lift = 0.05;

// Better or worse where the sign-flip test has p <= alpha = 1 - confidence of the comparison, and
// its interval lies on the same side of 0; else undecided. So where cases have the same rates in
// both arms, better comes up with a chance of alpha/2 at most, and it takes six units to decide
// anything at alpha 0.05. The seed is that of the comparison's bootstrap.
Verdict judge(const PairedComparison& comparison);

// The same of a family, as one skill with several models: p-values are Holm's, so that more models
// are not more chances. In the order given. Comparisons without a pair are no members of the
// family.
std::vector<Verdict> judge_family(const std::vector<PairedComparison>& comparisons);

// upskill's rule, lift > 0.05 or (lift >= 0 and token savings > 0.2), without its bug (evals facts,
// 2, bug 11): a lift of exactly one case in 20 is not over 0.05, however it was rounded. No sign of
// significance; unknown savings are none.
bool is_beneficial(double lift, std::optional<double> token_savings);

} // namespace upskill::eval
