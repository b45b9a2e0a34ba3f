#pragma once
#include "skills/distill/distiller.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace upskill::distill {

// Several sessions in one text.
struct DistilledSeveral {
  std::string text = {};                  // one after the other, in the order they were given in
  std::vector<Distilled> parts = {};      // of those that are there
  std::vector<std::size_t> there = {};    // their places among those given
  std::vector<std::size_t> left_out = {}; // for which there was no room: the last ones given
};

// Less is raised to it: one session, and what is said about the others.
inline constexpr std::size_t k_least_several_tokens = k_least_tokens + 150;

// Splits `tokens`: who needs less than an equal share gets what it needs, and the others share what
// is left over. Where not even k_least_tokens are there for each, the last ones given are left out,
// and the text says which. Never over the budget.
DistilledSeveral distill_several(std::span<const Distiller* const> sessions,
                                 std::size_t tokens = k_default_tokens);

} // namespace upskill::distill
