#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace upskill::eval {

// Numbers that a seed decides, the same on every platform and with every compiler: what the
// standard library draws from its distributions is its own business. xoshiro256++ 1.0, its state
// filled by SplitMix64 (Blackman and Vigna 2021, "Scrambled Linear Pseudorandom Number
// Generators"). For samples and resamples; what nobody shall guess is protocol/base/random.h.
//
// Owned by whoever samples; one thread; as long as one draw of samples or resamples.
class Random {
public:
  explicit Random(std::uint64_t seed);
  // The state itself, for the published test vectors; it must not be all zero.
  explicit Random(const std::array<std::uint64_t, 4>& state);

  // 64 uniform bits.
  std::uint64_t next();
  // Uniform in [0, bound); 0 when the bound is. Without bias (Lemire 2019, "Fast Random Integer
  // Generation in an Interval").
  std::uint32_t below(std::uint32_t bound);
  // Uniform in [0, 1), a multiple of 2^-53.
  double fraction();

  // All orders alike (Fisher and Yates), for fewer than 2^32 values.
  template <class T> void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      using std::swap;
      swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
    }
  }

private:
  std::array<std::uint64_t, 4> m_state;
};

} // namespace upskill::eval
