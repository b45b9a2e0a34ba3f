#pragma once
#include "daemon/runtime/deadlines.h"

#include <chrono>
#include <cstddef>

namespace upskill::models {

struct ConcurrencyLimits {
  double start = 20;
  double least = 10;
  double most = 100;
  runtime::Clock::duration pause = std::chrono::seconds(15); // after a 429 that says nothing
};

// How many exchanges one provider is given at a time: one more for each limit's worth of answers,
// four fifths after an episode of 429, however many say so within its pause; troubles of the
// server's own stop growth for as long and shrink nothing (models facts, 5).
// Owner: whoever asks. Thread: that one's. Lifetime: the provider's use.
class Concurrency {
public:
  using Time = runtime::Clock::time_point;

  explicit Concurrency(ConcurrencyLimits limits = {})
      : m_limits(limits)
      , m_limit(limits.start) {}

  bool may_begin() const { return m_running < limit(); }

  std::size_t limit() const { return static_cast<std::size_t>(m_limit); }

  std::size_t running() const { return m_running; }

  void begin() { ++m_running; }

  void end() { --m_running; }

  // How an exchange went. `wait` is what the server asked for; zero when it said nothing.
  void answered(Time now);
  void limited(Time now, runtime::Clock::duration wait);
  void troubled(Time now);

private:
  ConcurrencyLimits m_limits;
  double m_limit;
  std::size_t m_running = 0;
  Time m_calm_from = {}; // no growth before it
  Time m_episode_until = {};
};

} // namespace upskill::models
