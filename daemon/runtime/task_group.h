#pragma once
#include "daemon/runtime/asio.h"
#include "daemon/runtime/condition.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <unordered_map>

namespace upskill::runtime {

// Names one task of one group; never used twice, so a stale one is harmless.
enum class TaskId : std::uint64_t {};

// Owns the coroutines it starts: nothing outlives join().
// Owner: a part of the daemon, by value. Thread: that of its executor only. Lifetime: join() must
// have returned before the destructor runs, or the process ends, because a task that goes on would
// use freed memory.
class TaskGroup {
public:
  // Told of each exception that leaves a task, except the operation_aborted of a cancelled one.
  using OnFailure = std::function<void(std::exception_ptr)>;

  TaskGroup(asio::any_io_executor executor, OnFailure on_failure);
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // On the group's own thread the task runs up to its first wait before start() returns.
  TaskId start(asio::awaitable<void> task);

  // Asks one task, or all that run now, to end: what they wait for is aborted. False when it had
  // ended already. Returns at once; join() is what waits.
  bool cancel(TaskId task);
  void cancel_all();

  // Returns when no task is left, those included that are started meanwhile. It cannot be cut
  // short; a coroutine that may itself have been cancelled first says
  // `co_await asio::this_coro::throw_if_cancelled(false)`, or Asio throws before join() begins.
  asio::awaitable<void> join();
  // The same for that long at most: whether no task is left. For the end of the process, where what
  // is on the pool need not be waited for.
  asio::awaitable<bool> join_within(Clock::duration limit);

  // The same for a coroutine whose own work the tasks are: cut short, it ends them all, and throws
  // on when none is left.
  asio::awaitable<void> see_through();

  std::size_t size() const { return m_tasks.size(); }

private:
  struct Task {
    asio::cancellation_signal signal;
    bool cancelled = false;
  };

  void finish(std::uint64_t id, std::exception_ptr failure);

  asio::any_io_executor m_executor;
  Condition m_idle;
  OnFailure m_on_failure;
  std::unordered_map<std::uint64_t, Task> m_tasks;
  std::uint64_t m_last_id = 0;
};

// True for the exception by which Asio ends a cancelled coroutine.
bool is_cancellation(const std::exception_ptr& failure);

} // namespace upskill::runtime
