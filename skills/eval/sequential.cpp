#include "skills/eval/sequential.h"

#include "skills/eval/interval.h"

#include <algorithm>
#include <cmath>

namespace upskill::eval {
namespace {

bool is_inside(double share) {
  return share > 0 && share < 1;
}

} // namespace

Result<Sprt> Sprt::open(const SprtOptions& options) {
  if (!is_inside(options.null_rate) || !is_inside(options.alternative_rate)
      || std::abs(options.null_rate - options.alternative_rate) < k_rounding) {
    return fail(ErrorCode::invalid_argument,
                "a sequential test needs two different rates between 0 and 1",
                "for an accepted rate of 0 or 1 take the end of its interval");
  }
  if (!is_inside(options.alpha) || !is_inside(options.beta) || options.alpha + options.beta >= 1) {
    return fail(ErrorCode::invalid_argument,
                "`alpha` and `beta` must lie between 0 and 1, as must their sum");
  }
  return Sprt(options);
}

Result<Sprt> Sprt::open_paired(double loses, double alpha, double beta) {
  if (!(loses > 0.5)) {
    return fail(ErrorCode::invalid_argument, "a paired test needs a chance to lose over 0.5");
  }
  return open({.null_rate = 0.5, .alternative_rate = 1 - loses, .alpha = alpha, .beta = beta});
}

Sprt::Sprt(const SprtOptions& options)
    : m_on_pass(std::log(options.alternative_rate / options.null_rate))
    , m_on_failure(std::log((1 - options.alternative_rate) / (1 - options.null_rate)))
    , m_upper(std::log((1 - options.beta) / options.alpha))
    , m_lower(std::log(options.beta / (1 - options.alpha))) {}

void Sprt::add(bool passed) {
  if (m_decision) {
    return;
  }
  ++(passed ? m_passes : m_failures);
  if (log_ratio() >= m_upper) {
    m_decision = Hypothesis::alternative;
  } else if (log_ratio() <= m_lower) {
    m_decision = Hypothesis::null;
  }
}

double Sprt::log_ratio() const {
  return static_cast<double>(m_passes) * m_on_pass + static_cast<double>(m_failures) * m_on_failure;
}

void EvidenceProcess::add(double difference) {
  if (std::isnan(difference)) {
    return;
  }
  for (std::size_t i = 0; i < k_stakes.size(); ++i) {
    m_log_wealth[i] += std::log1p(k_stakes[i] * std::clamp(difference, -1.0, 1.0));
  }
  m_most = std::max(m_most, evidence());
}

double EvidenceProcess::evidence() const {
  double sum = 0;
  for (double wealth : m_log_wealth) {
    sum += std::exp(wealth);
  }
  return sum / static_cast<double>(k_stakes.size());
}

double EvidenceProcess::p_value() const {
  return 1 / m_most;
}

} // namespace upskill::eval
