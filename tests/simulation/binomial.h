#pragma once
#include <cstddef>

namespace upskill::simulation {

struct Interval {
  double low = 0;
  double high = 1;
};

// 95 %, Wilson's. Of its own: what is judged must not judge itself.
Interval wilson(std::size_t count, std::size_t of);

// The most that may be seen of `of` trials at this rate; more has a chance of less than `chance`.
std::size_t most_likely(std::size_t of, double rate, double chance);

} // namespace upskill::simulation
