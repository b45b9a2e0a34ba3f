#include "skills/sync/guard.h"

namespace upskill::sync {

bool DeletionGuard::allows(std::size_t pending, std::size_t agreed, std::int64_t now_ms) {
  std::size_t before = recent(now_ms);
  std::size_t count = before + pending;
  if (count > m_limits.many) {
    return false;
  }
  // `agreed` no longer counts what was let through before.
  return count <= m_limits.few || count * 100 <= (agreed + before) * m_limits.percent;
}

void DeletionGuard::let_through(std::size_t count, std::int64_t now_ms) {
  m_times.insert(m_times.end(), count, now_ms);
}

std::size_t DeletionGuard::recent(std::int64_t now_ms) {
  while (!m_times.empty() && m_times.front() <= now_ms - m_limits.window_ms) {
    m_times.pop_front();
  }
  return m_times.size();
}

} // namespace upskill::sync
