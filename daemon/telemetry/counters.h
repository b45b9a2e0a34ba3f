#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace upskill::telemetry {

using Counter = std::atomic<std::int64_t>;

// Counts since the start, as `upskill daemon status` shows them: `calls`, `sync.swaps`, ...
// Owner: Daemon. Thread: any. Lifetime: longer than whoever keeps a Counter.
class Counters {
public:
  // The counter of that name, made on first use. Keep the reference where it counts often.
  Counter& at(std::string_view name);
  std::map<std::string, std::int64_t> snapshot() const;

private:
  mutable std::mutex m_mutex;
  std::map<std::string, Counter, std::less<>> m_counters; // a node stays where it is
};

} // namespace upskill::telemetry
