#pragma once
#include "daemon/runtime/asio.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace upskill::runtime {

// The few threads that may block: disk, hashing, databases. They take turns between the clients
// that have work for them, in the order in which those came; the work of one client is begun in the
// order in which it was handed over. One client never has all of them, unless there is only one: a
// short piece of work of another need not even wait for the end of a long one.
// Owner: Daemon. Thread: join() from the one that made it; offload() from any. Lifetime: longer
// than every coroutine that offloads and, after join(), shorter than their io_context.
class Pool {
public:
  using Client = std::uint64_t; // whose work it is; 0: the daemon's own

  // The pool, as one client has it.
  struct Share {
    Pool& pool;
    Client client;
  };

  // What is done, on one of the threads, once after work when there has been none for `after`.
  // What it does must not throw.
  struct AtRest {
    std::chrono::steady_clock::duration after;
    std::function<void()> work;
  };

  // The first thread starts here, each other when it is first needed.
  explicit Pool(std::size_t threads, std::optional<AtRest> at_rest = std::nullopt);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  Share of(Client client) { return {*this, client}; }

  // Lets the work that was handed over finish, then ends the threads. A second call does nothing.
  void join();

  // Callables handed over that have not returned yet. Each belongs to one waiting coroutine, so
  // what bounds the coroutines bounds this.
  std::size_t pending() const { return m_pending.load(std::memory_order_relaxed); }

  // Work of the daemon's own that nobody waits for, such as clearing up. It must not throw; join()
  // waits for it. Its caller sees to it that there is no more of it than of what it clears up.
  template <class F> void leave(F work) { post(0, std::move(work)); }

private:
  template <class F> friend auto offload(Share share, F work);

  struct Job {
    virtual ~Job() = default;
    virtual void run() = 0;
  };

  template <class F> struct JobOf final : Job {
    explicit JobOf(F function)
        : work(std::move(function)) {}

    void run() override { work(); }

    F work;
  };

  // What one client has here; kept while it has anything.
  struct Line {
    std::list<std::unique_ptr<Job>> waiting = {};
    std::size_t running = 0;
  };

  template <class F> void post(Client client, F work) {
    put(client, std::make_unique<JobOf<F>>(std::move(work)));
  }

  void put(Client client, std::unique_ptr<Job> job);
  void work();
  // All of these with m_mutex held.
  std::deque<Client>::iterator next();
  std::unique_ptr<Job> take(std::deque<Client>::iterator at);
  void ended(Client client);
  void wake_another();
  void wait_for_work(std::unique_lock<std::mutex>& lock);

  const std::size_t m_most; // threads
  const std::optional<AtRest> m_at_rest;
  std::atomic<std::size_t> m_pending = 0;

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::unordered_map<Client, Line> m_lines;
  std::deque<Client> m_turns; // the clients with work that waits, the next one first
  std::size_t m_running = 0;  // callables
  std::size_t m_idle = 0;     // threads that wait for m_changed
  // When m_at_rest is due; none while there is work, and where there was none since the last time.
  std::optional<std::chrono::steady_clock::time_point> m_rest_at;
  bool m_awaits_rest = false; // one of the idle threads does
  bool m_is_ending = false;
  std::vector<std::thread> m_threads;
};

} // namespace upskill::runtime
