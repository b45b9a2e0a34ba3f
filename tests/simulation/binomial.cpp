#include "tests/simulation/binomial.h"

#include <fmt/format.h>

#include <cmath>

namespace upskill::simulation {

Interval wilson(std::size_t count, std::size_t of) {
  constexpr double k_z = 1.959963984540054;
  double n = static_cast<double>(of);
  double share = static_cast<double>(count) / n;
  double scale = 1 + k_z * k_z / n;
  double middle = (share + k_z * k_z / (2 * n)) / scale;
  double half = k_z / scale * std::sqrt(share * (1 - share) / n + k_z * k_z / (4 * n * n));
  return {middle - half, middle + half};
}

std::size_t most_likely(std::size_t of, double rate, double chance) {
  double n = static_cast<double>(of);
  double above = 0; // the chance of more than `most`
  std::size_t most = of;
  while (most > 0) {
    double k = static_cast<double>(most);
    double log = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)
                 + k * std::log(rate) + (n - k) * std::log1p(-rate);
    if (above + std::exp(log) >= chance) {
      return most;
    }
    above += std::exp(log);
    --most;
  }
  return most;
}

bool is_drawn_at(double passed, double of, double rate) {
  return std::abs(passed / of - rate) < 6 * std::sqrt(rate * (1 - rate) / of);
}

std::string shown(std::size_t count, std::size_t of) {
  Interval interval = wilson(count, of);
  return fmt::format("{:5} {:5.1f} % ({:4.1f} to {:5.1f})",
                     count,
                     100.0 * static_cast<double>(count) / static_cast<double>(of),
                     100 * interval.low,
                     100 * interval.high);
}

} // namespace upskill::simulation
