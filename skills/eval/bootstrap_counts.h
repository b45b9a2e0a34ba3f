#pragma once
#include "skills/eval/random.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upskill::eval {

// How many of `trials` independent trials succeed, each with a chance of part/whole. Exact: uniform
// numbers and part/whole are compared digit by digit in the binary system, 64 numbers at a time, so
// it takes about trials/32 random words. Needs part <= whole < 2^63 and whole > 0.
std::uint64_t
binomial(Random& random, std::uint64_t trials, std::uint64_t part, std::uint64_t whole);

// As many values drawn again as there are, with replacement, where many are the same: what is drawn
// is how often each kind occurs, not every single value. The distribution is the same (multinomial:
// one binomial after the other).
class CountsDrawer {
public:
  // How often each kind is there; at least one kind, each at least once.
  explicit CountsDrawer(std::span<const std::uint64_t> counts);

  // About how many random words a draw takes.
  std::size_t words() const;
  // How often each is drawn.
  void draw(Random& random, std::vector<std::uint64_t>& drawn) const;

private:
  void split(Random& random,
             std::uint64_t trials,
             std::size_t first,
             std::size_t end,
             std::vector<std::uint64_t>& drawn) const;

  std::vector<std::uint64_t> m_before; // how many values lie before each kind, and all
};

} // namespace upskill::eval
