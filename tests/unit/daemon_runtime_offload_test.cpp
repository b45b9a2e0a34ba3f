#include "daemon/runtime/offload.h"
#include "daemon/runtime/task_group.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

using namespace upskill;
using namespace upskill::runtime;

namespace {

asio::awaitable<void> check_threads(Pool* pool) {
  std::thread::id home = std::this_thread::get_id();
  auto work = [] { return std::this_thread::get_id(); };
  std::thread::id away = co_await offload(*pool, work);
  CHECK(away != home);
  CHECK(std::this_thread::get_id() == home);
}

asio::awaitable<void> check_values(Pool* pool) {
  auto unique = std::make_unique<int>(7);
  auto work = [moved = std::move(unique)]() mutable { return std::move(moved); };
  std::unique_ptr<int> back = co_await offload(*pool, std::move(work));
  CHECK(*back == 7);
  bool ran = false;
  auto nothing = [&ran] { ran = true; };
  co_await offload(*pool, nothing);
  CHECK(ran);
}

asio::awaitable<void> offload_failure(Pool* pool) {
  auto work = []() -> int { throw std::runtime_error("from the pool"); };
  co_await offload(*pool, work);
}

asio::awaitable<void> use_own_data(Pool* pool, std::shared_future<void> gate, int* result) {
  int mine = 0;
  auto work = [&mine, gate] {
    gate.wait();
    mine = 42;
  };
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await offload(*pool, work);
  *result = mine;
}

asio::awaitable<void> add(Pool* pool, int value, long* sum) {
  auto work = [value] { return value; };
  *sum += co_await offload(*pool, work);
}

} // namespace

TEST_SUITE("offload") {
  TEST_CASE("the callable runs on the pool and the caller never changes thread") {
    asio::io_context io;
    Pool pool(2);
    tests::run_coroutine(io, check_threads(&pool));
  }

  TEST_CASE("values that only move, and no value at all, come back") {
    asio::io_context io;
    Pool pool(1);
    tests::run_coroutine(io, check_values(&pool));
  }

  TEST_CASE("an exception comes back to the caller") {
    asio::io_context io;
    Pool pool(1);
    CHECK_THROWS_WITH(tests::run_coroutine(io, offload_failure(&pool)), "from the pool");
    CHECK(pool.pending() == 0);
  }

  TEST_CASE("a cancelled caller stays until its callable has returned") {
    asio::io_context io;
    Pool pool(1);
    TaskGroup group(io.get_executor(), [](std::exception_ptr) { FAIL("no exception expected"); });
    std::promise<void> gate;
    int result = 0;
    group.start(use_own_data(&pool, gate.get_future().share(), &result));
    group.cancel_all();
    io.poll();
    CHECK(group.size() == 1);
    CHECK(pool.pending() == 1);
    gate.set_value();
    io.restart();
    io.run();
    CHECK(group.size() == 0);
    CHECK(result == 42);
  }

  TEST_CASE("many at once all come back") {
    asio::io_context io;
    Pool pool(4);
    TaskGroup group(io.get_executor(), [](std::exception_ptr) { FAIL("no exception expected"); });
    long sum = 0;
    for (int i = 1; i <= 2000; ++i) {
      group.start(add(&pool, i, &sum));
    }
    io.run();
    CHECK(group.size() == 0);
    CHECK(sum == 2000L * 2001 / 2);
  }
}
