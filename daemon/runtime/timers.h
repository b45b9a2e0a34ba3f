#pragma once
#include "daemon/runtime/asio.h"

#include <chrono>
#include <functional>
#include <memory>

namespace upskill::runtime {

using Clock = std::chrono::steady_clock;

// Waits that long; a cancelled wait throws operation_aborted.
asio::awaitable<void> wait_for(Clock::duration duration);

// One moment at which a function is to be called, or none: the driver of a state machine that says
// "next deadline". Unset, it costs no wake-up.
// Owner: the driver, by value. Thread: that of its executor only. Lifetime: any; a destroyed alarm
// never calls.
class Alarm {
public:
  Alarm(asio::any_io_executor executor, std::function<void()> ring);
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // Replaces the moment; a past one rings at the next turn of the loop. Setting the moment that is
  // set already costs nothing.
  void set(Clock::time_point when);
  void clear();

  bool is_set() const { return m_state->when != k_never; }

private:
  static constexpr Clock::time_point k_never = Clock::time_point::max();

  // Shared with the one handler in flight, which may run after the alarm is gone.
  struct State {
    std::function<void()> ring;
    Clock::time_point when = k_never;
  };

  asio::steady_timer m_timer;
  std::shared_ptr<State> m_state;
};

} // namespace upskill::runtime
