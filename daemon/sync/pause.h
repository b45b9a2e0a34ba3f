#pragma once
#include "daemon/runtime/timers.h"

#include <algorithm>

namespace upskill::daemon {

// How long to wait before what failed is tried again: each time twice as long, up to a most.
class GrowingPause {
public:
  using Duration = runtime::Clock::duration;

  constexpr GrowingPause(Duration first, Duration most)
      : m_first(first)
      , m_most(most)
      , m_next(first) {}

  constexpr Duration take() {
    Duration pause = m_next;
    m_next = std::min(pause * 2, m_most);
    return pause;
  }

  // It worked: the next failure is a first one again.
  constexpr void reset() { m_next = m_first; }

private:
  Duration m_first;
  Duration m_most;
  Duration m_next;
};

} // namespace upskill::daemon
