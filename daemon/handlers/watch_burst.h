#pragma once
#include "daemon/sync/listed.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace upskill::daemon {

// How many skills were changed at once, as a checkout does: one after the other, each within
// k_together of the one before. Owner: the watch desk. Thread: the daemon's.
class WatchBurst {
public:
  static constexpr std::int64_t k_together = 30'000; // ms

  // `now_ms`: of a clock that only goes forward.
  void note(const SkillKey& skill, std::int64_t now_ms) { m_skills[skill] = now_ms; }

  std::size_t count(std::int64_t now_ms) {
    std::erase_if(m_skills, [&](const auto& one) { return now_ms - one.second > k_together; });
    return m_skills.size();
  }

  bool has(const SkillKey& skill) const { return m_skills.contains(skill); }

private:
  std::map<SkillKey, std::int64_t> m_skills = {};
};

} // namespace upskill::daemon
