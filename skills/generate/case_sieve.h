#pragma once
#include "protocol/base/result.h"
#include "skills/eval/case.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::generate {

// What cases in a reply are held to, whoever wrote them.
struct SieveRules {
  std::size_t most = 0;                   // cases; the others are left out
  std::string skill = {};                 // whose own words are counted; empty: nobody counts
  std::vector<std::string> known = {};    // inputs that are not to be repeated
  std::vector<std::string> examples = {}; // that cases are told apart from
  bool are_probed =
      false; // left out what an answer passes that is empty, idle, its input, or an example
};

// The cases in a model's reply that are left, numbered from 1; warnings say which are not, and why.
// invalid_argument or too_large where none is, in words that a model can mend its reply by.
Result<eval::CaseSuite> read_sifted_cases(std::string_view reply, const SieveRules& rules);

} // namespace upskill::generate
