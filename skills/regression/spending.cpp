#include "skills/regression/spending.h"

#include <numbers>

namespace upskill::regression {

Result<double> alpha_of_look(double alpha, std::size_t look, std::size_t subjects) {
  if (!(alpha > 0 && alpha < 1)) {
    return fail(ErrorCode::invalid_argument, "`alpha` must lie between 0 and 1");
  }
  if (look == 0 || subjects == 0) {
    return fail(ErrorCode::invalid_argument, "looks and subjects are counted from 1");
  }
  const auto number = static_cast<double>(look);
  const double share = 6 / (std::numbers::pi * std::numbers::pi * number * number);
  return alpha * share / static_cast<double>(subjects);
}

} // namespace upskill::regression
