#include "skills/eval/random.h"

#include <bit>

namespace upskill::eval {
namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

} // namespace

Random::Random(std::uint64_t seed)
    : m_state{} {
  for (std::uint64_t& word : m_state) {
    word = split_mix(seed);
  }
}

Random::Random(const std::array<std::uint64_t, 4>& state)
    : m_state(state) {}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(m_state[0] + m_state[3], 23) + m_state[0];
  const std::uint64_t shifted = m_state[1] << 17;
  m_state[2] ^= m_state[0];
  m_state[3] ^= m_state[1];
  m_state[1] ^= m_state[2];
  m_state[0] ^= m_state[3];
  m_state[2] ^= shifted;
  m_state[3] = std::rotl(m_state[3], 45);
  return result;
}

std::uint32_t Random::below(std::uint32_t bound) {
  if (bound == 0) {
    return 0;
  }
  std::uint64_t product = (next() >> 32) * bound;
  auto low = static_cast<std::uint32_t>(product);
  if (low < bound) {
    const std::uint32_t threshold = (0U - bound) % bound;
    while (low < threshold) {
      product = (next() >> 32) * bound;
      low = static_cast<std::uint32_t>(product);
    }
  }
  return static_cast<std::uint32_t>(product >> 32);
}

double Random::fraction() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

} // namespace upskill::eval
