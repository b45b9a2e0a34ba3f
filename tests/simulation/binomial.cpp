#include "tests/simulation/binomial.h"

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

} // namespace upskill::simulation
