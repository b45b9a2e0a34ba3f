#include "daemon/models/concurrency.h"

#include <algorithm>

namespace upskill::models {
namespace {

constexpr double k_shrink = 0.8;

} // namespace

void Concurrency::answered(Time now) {
  bool is_used = static_cast<double>(m_running) >= m_limit / 2; // what was not tried is not known
  if (now >= m_calm_from && is_used) {
    m_limit = std::min(m_limits.most, m_limit + 1 / m_limit);
  }
}

void Concurrency::limited(Time now, runtime::Clock::duration wait) {
  Time until = now + (wait.count() > 0 ? wait : m_limits.pause);
  if (now >= m_episode_until) {
    m_limit = std::max(m_limits.least, m_limit * k_shrink);
    m_episode_until = until;
  }
  m_calm_from = std::max(m_calm_from, until);
}

void Concurrency::troubled(Time now) {
  m_calm_from = std::max(m_calm_from, now + m_limits.pause);
}

} // namespace upskill::models
