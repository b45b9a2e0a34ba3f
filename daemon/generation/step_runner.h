#pragma once
#include "daemon/runtime/asio.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/task_group.h"

#include <cstddef>
#include <exception>
#include <functional>

namespace upskill::generation {

// What carries out the steps of a sans-IO machine, and knows nothing of what they are.
struct StepHooks {
  std::function<void()> begin = {}; // start()s every step that may begin now
  std::function<bool()> is_over = {};
  // Whether all that is under way waits for somebody outside; nothing: it never does.
  std::function<bool()> is_held_up = {};
};

// Runs what a machine of skills/generate wants, all that may run at the same time, until the
// machine has its end. Owner: a call. Thread: that of its executor. Lifetime: until run() has
// returned.
class StepRunner {
public:
  explicit StepRunner(asio::any_io_executor executor);

  // Once: whether the machine is over; false: it is held up, and what was under way is ended.
  // Cancelled, it ends what is under way first; so it does after an exception of a task, which is
  // thrown on.
  asio::awaitable<bool> run(StepHooks hooks);

  // A step, or a part of one; when it ends the machine is looked at again. Runs up to its first
  // wait at once.
  void start(asio::awaitable<void> task);

  // Something happened that is no step's end: the machine is looked at again.
  void wake();

private:
  asio::awaitable<void> carry_out(asio::awaitable<void> task);
  asio::awaitable<bool> go_on(StepHooks hooks);

  std::size_t m_under_way = 0;
  bool m_has_news = false;
  std::exception_ptr m_failure = {}; // a bug of ours
  runtime::Condition m_changed;
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::generation
