#include "daemon/sync/together.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <vector>

using namespace upskill;
using namespace upskill::daemon;

TEST_SUITE("daemon/sync: together") {
  TEST_CASE("each task is done once, and all are done when it returns") {
    runtime::Pool pool(3);
    const sync::Together together = together_on([&pool]() -> runtime::Pool& { return pool; });
    for (std::size_t count : {0U, 1U, 2U, 500U}) {
      std::vector<std::atomic<int>> done(count);
      together(count, [&](std::size_t task) { ++done[task]; });
      for (const std::atomic<int>& one : done) {
        CHECK(one == 1);
      }
    }
    pool.join();
  }

  TEST_CASE("two tasks run at once where the pool has a thread") {
    runtime::Pool pool(2);
    const sync::Together together = together_on([&pool]() -> runtime::Pool& { return pool; });
    std::mutex mutex;
    std::condition_variable changed;
    int there = 0;
    together(2, [&](std::size_t) { // each waits for the other
      std::unique_lock lock(mutex);
      ++there;
      changed.notify_all();
      changed.wait(lock, [&] { return there == 2; });
    });
    CHECK(there == 2);
    pool.join();
  }

  TEST_CASE("a pool without a free thread is not waited for") {
    runtime::Pool pool(1);
    std::mutex mutex;
    std::unique_lock held(mutex);
    pool.leave([&mutex] { std::lock_guard lock(mutex); });
    std::size_t done = 0;
    together_on([&pool]() -> runtime::Pool& { return pool; })(10, [&](std::size_t) { ++done; });
    CHECK(done == 10);
    held.unlock();
    pool.join();
  }

  TEST_CASE("what a task throws reaches the caller, when none runs any more") {
    runtime::Pool pool(2);
    const sync::Together together = together_on([&pool]() -> runtime::Pool& { return pool; });
    for (int round = 0; round < 100; ++round) {
      std::atomic<int> running = 0;
      auto task = [&](std::size_t number) {
        ++running;
        const bool fails = number == 3;
        --running;
        if (fails) {
          throw std::runtime_error("three");
        }
      };
      CHECK_THROWS_WITH(together(50, task), "three");
      CHECK(running == 0);
    }
    pool.join();
  }
}
