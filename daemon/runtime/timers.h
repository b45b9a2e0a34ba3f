#pragma once
#include "daemon/runtime/deadlines.h"

#include <functional>
#include <optional>

namespace upskill::runtime {

// Waits that long; a cancelled wait throws operation_aborted.
asio::awaitable<void> wait_for(Clock::duration duration);

// One moment at which a function is to be called, or none: the driver of a state machine that says
// "next deadline". Unset, it costs no wake-up.
// Owner: the driver, by value. Thread: that of its executor only. Lifetime: not longer than the
// loop; a destroyed alarm never calls.
class Alarm {
public:
  Alarm(const asio::any_io_executor& executor, std::function<void()> ring);
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // Replaces the moment; a past one rings at the next turn of the loop. Setting the moment that is
  // set already costs nothing.
  void set(Clock::time_point when);
  void clear();

  bool is_set() const { return m_place.has_value(); }

private:
  friend class Deadlines;
  void ring(); // its moment has come, and Deadlines has let go of it

  Deadlines& m_deadlines;
  std::function<void()> m_ring;
  std::optional<Deadlines::Place> m_place;
};

} // namespace upskill::runtime
