#include "skills/eval/bootstrap_counts.h"

#include <bit>

namespace upskill::eval {
namespace {

// A binomial goes on until each trial is told apart, which takes some digits more than
// log2(trials).
constexpr std::size_t k_last_digits = 20;

std::uint64_t heads(Random& random, std::uint64_t coins) {
  std::uint64_t count = 0;
  for (; coins >= 64; coins -= 64) {
    count += static_cast<std::uint64_t>(std::popcount(random.next()));
  }
  if (coins > 0) {
    count += static_cast<std::uint64_t>(std::popcount(random.next() >> (64 - coins)));
  }
  return count;
}

} // namespace

std::uint64_t
binomial(Random& random, std::uint64_t trials, std::uint64_t part, std::uint64_t whole) {
  if (part >= whole) {
    return trials;
  }
  std::uint64_t successes = 0;
  // What is left of `trials` has had the digits of part/whole so far; nothing is below a rest of 0.
  while (trials > 0 && part > 0) {
    part *= 2;
    const std::uint64_t ones = heads(random, trials);
    if (part >= whole) { // the next digit is 1: a 0 is below it
      part -= whole;
      successes += trials - ones;
      trials = ones;
    } else { // it is 0: a 1 is above
      trials -= ones;
    }
  }
  return successes;
}

CountsDrawer::CountsDrawer(std::span<const std::uint64_t> counts) {
  m_before.reserve(counts.size() + 1);
  m_before.push_back(0);
  for (std::uint64_t count : counts) {
    m_before.push_back(m_before.back() + count);
  }
}

std::size_t CountsDrawer::words() const {
  const std::size_t kinds = m_before.size() - 1;
  const auto levels = static_cast<std::size_t>(std::bit_width(kinds - 1));
  return levels * (static_cast<std::size_t>(m_before.back()) / 32) + kinds * k_last_digits;
}

void CountsDrawer::draw(Random& random, std::vector<std::uint64_t>& drawn) const {
  drawn.assign(m_before.size() - 1, 0);
  split(random, m_before.back(), 0, drawn.size(), drawn);
}

// Halves, so that each value is looked at log2(kinds) times; that deep it goes, too.
void CountsDrawer::split(Random& random,
                         std::uint64_t trials,
                         std::size_t first,
                         std::size_t end,
                         std::vector<std::uint64_t>& drawn) const {
  if (trials == 0) {
    return;
  }
  if (end - first == 1) {
    drawn[first] = trials;
    return;
  }
  const std::size_t middle = first + (end - first) / 2;
  const std::uint64_t lower =
      binomial(random, trials, m_before[middle] - m_before[first], m_before[end] - m_before[first]);
  split(random, lower, first, middle, drawn);
  split(random, trials - lower, middle, end, drawn);
}

} // namespace upskill::eval
