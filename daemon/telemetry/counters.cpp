#include "daemon/telemetry/counters.h"

namespace upskill::telemetry {

Counter& Counters::at(std::string_view name) {
  std::lock_guard lock(m_mutex);
  auto found = m_counters.find(name);
  return found != m_counters.end() ? found->second
                                   : m_counters.try_emplace(std::string(name), 0).first->second;
}

std::map<std::string, std::int64_t> Counters::snapshot() const {
  std::lock_guard lock(m_mutex);
  std::map<std::string, std::int64_t> counts;
  for (const auto& [name, counter] : m_counters) {
    counts.emplace(name, counter.load(std::memory_order_relaxed));
  }
  return counts;
}

} // namespace upskill::telemetry
