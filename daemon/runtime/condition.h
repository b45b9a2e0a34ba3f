#pragma once
#include "daemon/runtime/timers.h"

#include <boost/asio/experimental/channel.hpp>

namespace upskill::runtime {

// A condition variable for coroutines: whoever waits looks at its own state again after each wake.
// Owner: whatever holds the state. Thread: that of its executor only. Lifetime: longer than every
// wait, so a TaskGroup that waits on it is declared after it.
class Condition {
public:
  explicit Condition(asio::any_io_executor executor);

  // Wakes the longest waiting, or all. Nobody waiting: nothing is remembered.
  void notify_one();
  void notify_all();

  // Returns after a notify, and also without one (the caller loops over its state). A cancelled
  // wait returns too; the next `co_await` then throws operation_aborted, as everywhere in Asio.
  asio::awaitable<void> wait();
  // Waits until it is so, which is looked at after each notify_all(), or that long: whether it is
  // so.
  asio::awaitable<bool> wait_until(std::function<bool()> is_so, Clock::duration limit);

private:
  // Holds nothing, so that only those who wait are reached. No timer: those wake an idle process.
  asio::experimental::channel<void(boost::system::error_code)> m_waiting;
};

} // namespace upskill::runtime
