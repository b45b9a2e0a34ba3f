#include "daemon/capture/follow_state.h"

#include <algorithm>
#include <utility>

namespace upskill::capture {

void FollowState::changed(const std::string& path, Clock::time_point now) {
  File* file = entry(path, now);
  if (file == nullptr) {
    m_scan = true;
    return;
  }
  if (file->due) {
    return;
  }
  Clock::time_point after_gap = file->read ? *file->read + m_limits.gap : now;
  file->due = std::max({now + m_limits.batch, after_gap, file->rest.value_or(now)});
  ++m_waiting;
}

void FollowState::read_whole(const std::string& path, Clock::duration took, Clock::time_point now) {
  Clock::duration rest = rest_after(took);
  File* file = rest > m_limits.gap ? entry(path, now) : nullptr;
  if (file != nullptr) {
    file->rest = now + rest;
    file->due = file->due ? std::max(*file->due, *file->rest) : file->due;
  }
}

bool FollowState::may_read(const std::string& path, Clock::time_point now) const {
  auto found = m_files.find(path);
  return found == m_files.end() || !found->second.rest || *found->second.rest <= now;
}

// Nothing where there is no room.
FollowState::File* FollowState::entry(const std::string& path, Clock::time_point now) {
  auto found = m_files.find(path);
  if (found == m_files.end()) {
    if (m_files.size() >= m_limits.files) {
      forget(now);
    }
    if (m_files.size() >= m_limits.files) {
      return nullptr;
    }
    found = m_files.emplace(path, File{}).first;
  }
  return &found->second;
}

// Files that were read long enough ago have nothing left to remember.
void FollowState::forget(Clock::time_point now) {
  std::erase_if(m_files, [&](const auto& entry) {
    const File& file = entry.second;
    return !file.due && (!file.read || *file.read + m_limits.gap <= now)
           && (!file.rest || *file.rest <= now);
  });
}

// Compared before it is multiplied, so that nothing overflows.
Clock::duration FollowState::rest_after(Clock::duration took) const {
  bool is_longest = took > m_limits.longest_rest / std::max(m_limits.rest, 1);
  return is_longest ? m_limits.longest_rest : took * m_limits.rest;
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

bool FollowState::take_scan() {
  if (m_scan) {
    m_look.reset();
  }
  return std::exchange(m_scan, false);
}

void FollowState::lost(Clock::time_point now) {
  Clock::time_point soon = std::max(now + m_limits.batch, m_look_rest.value_or(now));
  m_look = m_look ? std::min(*m_look, soon) : soon;
}

void FollowState::look_later(Clock::time_point now) {
  Clock::time_point later = std::max(now + m_limits.poll, m_look_rest.value_or(now));
  m_look = m_look ? std::min(*m_look, later) : later;
}

bool FollowState::take_look(Clock::time_point now) {
  bool is_due = m_look && *m_look <= now;
  if (is_due) {
    m_look.reset();
  }
  return is_due;
}

void FollowState::looked(Clock::duration took, Clock::time_point now) {
  m_look_rest = now + std::max(m_limits.gap, rest_after(took));
  if (m_look) {
    m_look = std::max(*m_look, *m_look_rest);
  }
}

std::optional<Clock::time_point> FollowState::next() const {
  std::optional<Clock::time_point> first = m_look;
  for (const auto& [path, file] : m_files) {
    if (file.due && (!first || *file.due < *first)) {
      first = file.due;
    }
  }
  return first;
}

} // namespace upskill::capture
