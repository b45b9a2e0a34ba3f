#include "clients/cli/bars.h"

#include <algorithm>
#include <cmath>

namespace upskill::cli {
namespace {

constexpr std::size_t k_cells = 20;

} // namespace

std::string percent(double share) {
  return std::to_string(std::lround(share * 100)) + "%";
}

std::string points(double share) {
  long rounded = std::lround(share * 100); // what is no loss to see is none
  return (rounded < 0 ? "-" : "+") + std::to_string(std::abs(rounded)) + "%";
}

std::string bar(const Page& page, double share) {
  auto full = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * k_cells));
  std::string cells;
  for (std::size_t i = 0; i < k_cells; ++i) {
    cells += i < full ? page.sign("█", "#") : page.sign("░", ".");
  }
  return cells;
}

} // namespace upskill::cli
