#include "clients/cli/bars.h"

#include <algorithm>
#include <cmath>

namespace upskill::cli {

std::string percent(double share) {
  return std::to_string(std::lround(share * 100)) + "%";
}

std::string points(double share) {
  long rounded = std::lround(share * 100); // what is no loss to see is none
  return (rounded < 0 ? "-" : "+") + std::to_string(std::abs(rounded)) + "%";
}

std::string bar(const Page& page, double share, std::size_t cells) {
  auto full = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(cells)));
  std::string text;
  for (std::size_t i = 0; i < cells; ++i) {
    text += i < full ? page.sign("█", "#") : page.sign("░", ".");
  }
  return text;
}

} // namespace upskill::cli
