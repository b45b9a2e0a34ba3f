#include "daemon/sync/together.h"

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

namespace upskill::daemon {
namespace {

// What both threads have. The caller's task is there for as long as it waits; a thread of the pool
// that comes later finds nothing to do.
class Share {
public:
  Share(std::size_t count, const std::function<void(std::size_t)>& task)
      : m_count(count)
      , m_task(task) {}

  void help() {
    std::unique_lock lock(m_mutex);
    ++m_helpers;
    work(lock);
    --m_helpers;
    m_changed.notify_all();
  }

  void see_through() {
    std::unique_lock lock(m_mutex);
    work(lock);
    m_changed.wait(lock, [this] { return m_helpers == 0; });
    if (m_failure) {
      // Not kept here: what was thrown must not go on a thread that comes too late.
      std::rethrow_exception(std::exchange(m_failure, {}));
    }
  }

private:
  void work(std::unique_lock<std::mutex>& lock) {
    while (m_next < m_count) {
      const std::size_t task = m_next++;
      lock.unlock();
      std::exception_ptr failure;
      try {
        m_task(task);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) {
        m_failure = std::move(failure);
        m_next = m_count;
      }
    }
  }

  std::mutex m_mutex;
  std::condition_variable m_changed;
  const std::size_t m_count;
  const std::function<void(std::size_t)>& m_task;
  std::size_t m_next = 0;
  std::size_t m_helpers = 0; // that are at work
  std::exception_ptr m_failure = {};
};

} // namespace

sync::Together together_on(std::function<runtime::Pool&()> pool) {
  return [pool = std::move(pool)](std::size_t count, const std::function<void(std::size_t)>& task) {
    auto share = std::make_shared<Share>(count, task);
    if (count > 1) {
      pool().leave([share] { share->help(); });
    }
    share->see_through();
  };
}

} // namespace upskill::daemon
