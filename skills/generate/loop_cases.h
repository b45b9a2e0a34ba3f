#pragma once
#include "skills/eval/case.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace upskill::generate {

// What a case is for. No case is for two things.
enum class CasePart {
  written,  // not told apart yet
  train,    // drafts are refined by what fails here
  held_out, // nobody who writes a draft sees anything of these
  own       // of the skill that is improved
};

// The cases of a loop, and what each of them is for. Inputs that differ in nothing but letter case
// and white space around them are one: the second is dropped, or it could be train and held out at
// once. Owner: Loop. Thread: one. Lifetime: the loop's.
class LoopCases {
public:
  // Kept as they are, also where they repeat each other.
  void add_own(const eval::CaseSuite& own);
  // At most `most` of them, each with an id that no other case has. Their numbers in suite().
  std::vector<std::size_t> add(const eval::CaseSuite& suite, CasePart part, std::size_t most);
  // Half of what was written is held out, or `least_held_out` where that is more; the seed says
  // which. What was written once is train or held out from then on.
  void split(std::size_t least_held_out, std::uint64_t seed);

  std::vector<std::size_t> of(CasePart part) const; // increasing

  const eval::CaseSuite& suite() const { return m_suite; }

  // Those cases alone, in their order.
  eval::CaseSuite some(const std::vector<std::size_t>& numbers) const;
  std::vector<std::string> inputs() const;

private:
  std::string free_id();

  eval::CaseSuite m_suite = {};
  std::vector<CasePart> m_parts = {};  // of each case
  std::set<std::string> m_inputs = {}; // folded
  std::set<std::string> m_ids = {};
  std::size_t m_last_id = 0;
};

} // namespace upskill::generate
