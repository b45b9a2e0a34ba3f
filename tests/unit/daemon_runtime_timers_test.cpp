#include "daemon/runtime/condition.h"
#include "daemon/runtime/timeout.h"
#include "daemon/runtime/timers.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <dirent.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::runtime;
using namespace std::chrono_literals;

namespace {

asio::awaitable<Result<int>> answer(Clock::duration after) {
  co_await wait_for(after);
  co_return 42;
}

asio::awaitable<Result<int>> broken() {
  throw std::runtime_error("broken");
  co_return 0;
}

asio::awaitable<Result<int>> stubborn() {
  co_await asio::this_coro::throw_if_cancelled(false);
  Condition never(co_await asio::this_coro::executor);
  co_await never.wait();
  co_return 43;
}

// Seconds until each timerfd of this process fires (proc(5), fdinfo); 0: not armed.
std::vector<long> timers() {
  std::vector<long> found;
  DIR* folder = ::opendir("/proc/self/fdinfo");
  while (const dirent* entry = ::readdir(folder)) {
    std::ifstream info(std::string("/proc/self/fdinfo/") + entry->d_name);
    constexpr std::string_view k_field = "it_value: (";
    for (std::string line; std::getline(info, line);) {
      if (line.starts_with(k_field)) {
        found.push_back(std::stol(line.substr(k_field.size())));
      }
    }
  }
  ::closedir(folder);
  return found;
}

asio::awaitable<void>
limit(Clock::duration time, asio::awaitable<Result<int>> task, std::optional<Result<int>>* result) {
  std::string what = "the test";
  Result<int> answered = co_await with_timeout(time, std::move(task), std::move(what));
  result->emplace(std::move(answered));
}

} // namespace

TEST_SUITE("with_timeout") {
  TEST_CASE("an answer in time is handed on") {
    asio::io_context io;
    std::optional<Result<int>> result;
    tests::run_coroutine(io, limit(1h, answer(0ms), &result));
    REQUIRE(result->has_value());
    CHECK(**result == 42);
  }

  TEST_CASE("a task that takes longer is ended and named") {
    asio::io_context io;
    std::optional<Result<int>> result;
    tests::run_coroutine(io, limit(1500us, answer(1h), &result));
    REQUIRE_FALSE(result->has_value());
    CHECK(result->error().code == ErrorCode::timed_out);
    CHECK(result->error().message == "`the test` did not answer within 0.0015 s");
  }

  TEST_CASE("a value that comes in spite of the end of time is kept") {
    asio::io_context io;
    std::optional<Result<int>> result;
    tests::run_coroutine(io, limit(1ms, stubborn(), &result));
    REQUIRE(result->has_value());
    CHECK(**result == 43);
  }

  TEST_CASE("an exception is thrown on") {
    asio::io_context io;
    std::optional<Result<int>> result;
    CHECK_THROWS_WITH(tests::run_coroutine(io, limit(1h, broken(), &result)), "broken");
  }

  TEST_CASE("a cancellation from outside reaches the task") {
    asio::io_context io;
    std::optional<Result<int>> result;
    TaskGroup group(io.get_executor(), [](std::exception_ptr) { FAIL("no exception expected"); });
    group.start(limit(1h, answer(1h), &result));
    io.poll();
    group.cancel_all();
    io.run();
    CHECK(group.size() == 0);
    CHECK_FALSE(result.has_value());
  }
}

TEST_SUITE("Alarm") {
  TEST_CASE("it rings once, at the last moment that was set") {
    asio::io_context io;
    int rung = 0;
    Alarm alarm(io.get_executor(), [&] { ++rung; });
    alarm.set(Clock::now() + 1h);
    alarm.set(Clock::now() - 1ms);
    alarm.set(Clock::now());
    CHECK(alarm.is_set());
    io.run();
    CHECK(rung == 1);
    CHECK_FALSE(alarm.is_set());
  }

  TEST_CASE("a cleared or destroyed alarm is silent and keeps no loop alive") {
    asio::io_context io;
    int rung = 0;
    Alarm alarm(io.get_executor(), [&] { ++rung; });
    alarm.set(Clock::now());
    alarm.clear();
    {
      Alarm gone(io.get_executor(), [&] { ++rung; });
      gone.set(Clock::now());
    }
    io.run();
    CHECK(rung == 0);
  }

  TEST_CASE("it can be set again while it rings") {
    asio::io_context io;
    int rung = 0;
    Alarm* self = nullptr;
    Alarm alarm(io.get_executor(), [&] {
      if (++rung < 3) {
        self->set(Clock::now());
      }
    });
    self = &alarm;
    alarm.set(Clock::now());
    io.run();
    CHECK(rung == 3);
  }

  TEST_CASE("one of two waits on when the other is cleared or rings") {
    asio::io_context io;
    std::string rung;
    Alarm first(io.get_executor(), [&] { rung += "1"; });
    Alarm second(io.get_executor(), [&] { rung += "2"; });
    Alarm third(io.get_executor(), [&] {
      rung += "3";
      first.clear();
    });
    Clock::time_point now = Clock::now();
    first.set(now - 1ms);
    second.set(now - 2ms);
    third.set(now - 3ms);
    io.run();
    CHECK(rung == "32");
  }

  // Asio's own reactor would be armed for five minutes at most, again and again.
  TEST_CASE("nothing is armed when nothing waits, and hours are waited for in one go") {
    asio::io_context io;
    Alarm alarm(io.get_executor(), [] {});
    Condition condition(io.get_executor());
    asio::co_spawn(io, condition.wait(), [](std::exception_ptr) {});
    alarm.set(Clock::now());
    io.poll();
    while (alarm.is_set()) {
      io.run_one();
    }
    io.poll();
    for (long seconds : timers()) {
      CHECK(seconds == 0);
    }
    alarm.set(Clock::now() + 2h);
    io.poll();
    std::vector<long> armed = timers();
    CHECK(std::ranges::count_if(armed, [](long seconds) { return seconds > 7000; }) == 1);
    CHECK(std::ranges::count_if(armed, [](long seconds) { return seconds > 0; }) == 1);
  }
}
