#include "daemon/capture/follow_state.h"

#include <algorithm>

namespace upskill::capture {

void FollowState::changed(const std::string& path, Clock::time_point now) {
  auto found = m_files.find(path);
  if (found == m_files.end()) {
    if (m_files.size() >= m_limits.files) {
      forget(now);
    }
    if (m_files.size() >= m_limits.files) {
      m_scan = true;
      return;
    }
    found = m_files.emplace(path, File{}).first;
  }
  File& file = found->second;
  if (file.due) {
    return;
  }
  Clock::time_point after_gap = file.read ? *file.read + m_limits.gap : now;
  file.due = std::max(now + m_limits.batch, after_gap);
  ++m_waiting;
}

// Files that were read long enough ago have nothing left to remember.
void FollowState::forget(Clock::time_point now) {
  std::erase_if(m_files, [&](const auto& entry) {
    const File& file = entry.second;
    return !file.due && (!file.read || *file.read + m_limits.gap <= now);
  });
}

std::vector<std::string> FollowState::take_due(Clock::time_point now) {
  std::vector<std::string> due;
  for (auto& [path, file] : m_files) {
    if (file.due && *file.due <= now) {
      due.push_back(path);
      file.due.reset();
      file.read = now;
      --m_waiting;
    }
  }
  if (due.empty() && m_waiting == 0) {
    forget(now);
  }
  return due;
}

std::optional<Clock::time_point> FollowState::next() const {
  std::optional<Clock::time_point> first;
  for (const auto& [path, file] : m_files) {
    if (file.due && (!first || *file.due < *first)) {
      first = file.due;
    }
  }
  return first;
}

} // namespace upskill::capture
