#pragma once
#include "daemon/runtime/asio.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <map>

namespace upskill::runtime {

using Clock = std::chrono::steady_clock;

class Alarm;

// The moments that a loop's alarms wait for, and the one timerfd behind them, armed for the
// earliest and for nothing when there is none. Asio's own timers are no choice for a process that
// is idle for days: once one of them has run out, its timerfd is armed anew every five minutes for
// good. Owner: the io_context, as a service. Thread: that of the loop only.
class Deadlines : public asio::execution_context::service {
public:
  static asio::execution_context::id id; // the name that Asio asks for
  using Place = std::multimap<Clock::time_point, Alarm*>::iterator;

  // Throws system_error when the process may open no more descriptors.
  explicit Deadlines(asio::execution_context& context);

  static Deadlines& of(const asio::any_io_executor& executor);

  Place add(Clock::time_point when, Alarm& alarm);
  void remove(Place place);

private:
  void shutdown() noexcept override;
  void update(); // arms, disarms, waits or stops to, as the earliest moment asks
  void ring_due();

  asio::posix::stream_descriptor m_timer;
  std::multimap<Clock::time_point, Alarm*> m_alarms;
  Clock::time_point m_armed = Clock::time_point::max();
  bool m_is_waiting = false; // for the timerfd; then the loop has work
};

} // namespace upskill::runtime
