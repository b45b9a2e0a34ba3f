#pragma once
#include "daemon/runtime/condition.h"
#include "daemon/runtime/pool.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/timers.h"
#include "daemon/watch/poll.h"
#include "daemon/watch/queue_end.h"
#include "daemon/watch/watch_state.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace upskill::watch {

enum class WatchMode : std::uint8_t {
  automatic, // inotify, or polling where that cannot be had
  polling    // for file systems that tell no events, such as those of a network
};

struct WatcherOptions {
  IgnoreRules ignored;
  WatchMode mode = WatchMode::automatic;
  runtime::Clock::duration poll_interval = std::chrono::seconds(5);
  runtime::Clock::duration synchronise_limit = std::chrono::seconds(2);
};

// Watches roots and says which skills may have changed. Without polling it wakes for events only.
// Owner: Daemon. Thread: that of the executor; walks over many folders run on the pool. Lifetime:
// stop() must have returned before the destructor runs.
class Watcher {
public:
  // Called on the executor's thread, once for each wake-up that brought something. It must not call
  // the watcher's coroutines itself, but may start a task that does.
  using OnReport = std::function<void(Report)>;

  // Where the system has no inotify to give, it polls, with a warning.
  static std::unique_ptr<Watcher> open(asio::any_io_executor executor,
                                       runtime::Pool& pool,
                                       WatcherOptions options,
                                       OnReport on_report);
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // Replaces the roots; Change::root is a place in this list, from the moment at which `taken_on`
  // is called: what was reported before counts in the list before. Not called on failure. Links on
  // the way to a root are resolved now; where one is put in place later, a Rescan `replaced` asks
  // for another watch(). When it returns, every change from before the call is somebody's own to
  // find, and every later one will be reported.
  asio::awaitable<Result<void>> watch(std::vector<WatchRoot> roots,
                                      std::function<void()> taken_on = nullptr);

  // Returns when all that happened in the roots before the call has been reported; timed_out after
  // options.synchronise_limit.
  asio::awaitable<Result<void>> synchronise();

  // While one lives, events stay with the kernel for up to half a second, unless somebody
  // synchronises or they fill half its queue: who puts many folders in place has the processors to
  // itself. Owner: a call, which has an end. Lifetime: within that of the watcher; of no watcher,
  // it does nothing.
  class Rest {
  public:
    explicit Rest(Watcher* watcher);
    Rest(const Rest&) = delete;
    Rest& operator=(const Rest&) = delete;
    ~Rest();

  private:
    Watcher* m_watcher;
  };

  // Ends watching. Nothing is reported after it has begun.
  asio::awaitable<void> stop();

  bool polling() const { return !m_inotify; }

  std::vector<Warning> warnings() const;

  struct Counters {
    std::size_t folders = 0; // watched now
    std::size_t bytes = 0;   // that knowing them costs
    std::uint64_t wake_ups = 0;
    std::uint64_t events = 0;
    std::uint64_t overflows = 0;
  };

  Counters counters() const;

private:
  Watcher(asio::any_io_executor executor,
          runtime::Pool& pool,
          WatcherOptions options,
          OnReport on_report);

  // One coroutine at a time works with the state, others wait for their turn.
  class Turn {
  public:
    explicit Turn(Watcher* watcher);
    Turn(Turn&& other) noexcept;
    Turn& operator=(Turn&&) = delete;
    ~Turn();

  private:
    Watcher* m_watcher;
  };

  asio::awaitable<Turn> take_turn();

  void start_inotify();
  Result<void> try_inotify();
  void close_inotify();
  asio::awaitable<void> read_loop();
  asio::awaitable<void> rest();
  asio::awaitable<void> drain();
  asio::awaitable<void> carry_out();
  asio::awaitable<Walk> walk(std::string path, int depth);
  asio::awaitable<void> start_over();
  asio::awaitable<Result<void>> await_mark();
  void deliver();

  std::vector<WatchRoot> polled_roots() const;
  void set_poll_alarm();
  asio::awaitable<void> poll();
  asio::awaitable<void> poll_and_deliver();
  void note_difference(const std::string& path, const PollDifference& difference);

  asio::any_io_executor m_executor;
  runtime::Pool& m_pool;
  WatcherOptions m_options;
  OnReport m_on_report;
  WatchState m_state;
  std::vector<WatchRoot> m_roots; // resolved
  Report m_polled_report;
  UniqueFd m_inotify; // none while polling
  // Tells when there is something to read. A descriptor of its own, so that it can be closed while
  // nobody wants to know: each event would wake the reactor.
  asio::posix::stream_descriptor m_readable;
  Warning m_no_inotify; // empty while there is inotify
  Counters m_counters;

  std::optional<QueueEnd> m_queue_end; // none while polling
  std::uint64_t m_marked = 0;
  std::uint64_t m_marks_seen = 0;
  runtime::Condition m_mark_came;

  std::map<std::string, PolledRoot> m_polled; // by path
  runtime::Alarm m_poll_alarm;

  int m_resting = 0; // how many want it
  runtime::Condition m_rest_over;

  bool m_stopping = false;
  bool m_taken = false;
  runtime::Condition m_turn_free;
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::watch
