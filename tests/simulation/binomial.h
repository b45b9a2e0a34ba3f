#pragma once
#include <cstddef>
#include <string>

namespace upskill::simulation {

struct Interval {
  double low = 0;
  double high = 1;
};

// 95 %, Wilson's. Of its own: what is judged must not judge itself.
Interval wilson(std::size_t count, std::size_t of);

// The most that may be seen of `of` trials at this rate; more has a chance of less than `chance`.
std::size_t most_likely(std::size_t of, double rate, double chance);

// Six standard errors: whether so many passed of draws at this rate.
bool is_drawn_at(double passed, double of, double rate);

// `12  30.0 % (18.1 to  45.4)`, with Wilson's interval.
std::string shown(std::size_t count, std::size_t of);

} // namespace upskill::simulation
