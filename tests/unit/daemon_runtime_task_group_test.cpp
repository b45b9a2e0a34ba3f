#include "daemon/runtime/task_group.h"
#include "daemon/runtime/timers.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

using namespace upskill;
using namespace upskill::runtime;

namespace {

struct Fixture {
  asio::io_context io;
  std::vector<std::exception_ptr> failures;
  TaskGroup group{io.get_executor(), [this](std::exception_ptr e) { failures.push_back(e); }};
};

asio::awaitable<void> forever() {
  co_await wait_for(std::chrono::hours(1));
}

asio::awaitable<void> count(int* counter) {
  ++*counter;
  co_return;
}

asio::awaitable<void> broken() {
  throw std::runtime_error("broken");
  co_return;
}

asio::awaitable<void> join_and_note(TaskGroup* group, bool* joined) {
  co_await group->join();
  *joined = true;
}

asio::awaitable<void> stay_until_cancelled(bool* ended) {
  try {
    co_await wait_for(std::chrono::hours(1));
  } catch (...) {
    *ended = true;
    throw;
  }
}

asio::awaitable<void> see_through(TaskGroup* group, bool* ended, bool* ended_first) {
  try {
    auto all = group->see_through();
    co_await std::move(all);
  } catch (...) {
    *ended_first = *ended && group->size() == 0;
    throw;
  }
}

asio::awaitable<void> start_another(TaskGroup* group, int* counter) {
  co_await asio::post(asio::use_awaitable);
  group->start(count(counter));
}

} // namespace

TEST_SUITE("TaskGroup") {
  TEST_CASE_FIXTURE(Fixture, "join waits for tasks that tasks start") {
    int counter = 0;
    bool joined = false;
    group.start(start_another(&group, &counter));
    tests::run_coroutine(io, join_and_note(&group, &joined));
    CHECK(joined);
    CHECK(counter == 1);
    CHECK(group.size() == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "who sees tasks through ends them when it is cut short itself") {
    bool ended = false;
    bool ended_first = false;
    TaskGroup outer(io.get_executor(), [](std::exception_ptr) {});
    group.start(stay_until_cancelled(&ended));
    outer.start(see_through(&group, &ended, &ended_first));
    io.poll();
    CHECK_FALSE(ended);
    outer.cancel_all();
    io.poll();
    CHECK(ended);
    CHECK(ended_first);
    CHECK(outer.size() == 0);
    CHECK(failures.empty());
  }

  TEST_CASE_FIXTURE(Fixture, "who sees tasks through waits for all of them") {
    int counter = 0;
    bool ended = false;
    bool ended_first = false;
    group.start(start_another(&group, &counter));
    tests::run_coroutine(io, see_through(&group, &ended, &ended_first));
    CHECK(counter == 1);
    CHECK(group.size() == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "cancelling one leaves the others") {
    TaskId first = group.start(forever());
    group.start(forever());
    CHECK(group.cancel(first));
    io.poll();
    CHECK(group.size() == 1);
    CHECK_FALSE(group.cancel(first));
    group.cancel_all();
    bool joined = false;
    tests::run_coroutine(io, join_and_note(&group, &joined));
    CHECK(joined);
    CHECK(failures.empty());
  }

  TEST_CASE_FIXTURE(Fixture, "an exception is reported and the group goes on") {
    int counter = 0;
    group.start(broken());
    group.start(count(&counter));
    bool joined = false;
    tests::run_coroutine(io, join_and_note(&group, &joined));
    REQUIRE(failures.size() == 1);
    CHECK_THROWS_WITH(std::rethrow_exception(failures[0]), "broken");
    CHECK_FALSE(is_cancellation(failures[0]));
    CHECK(counter == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "a join that is cancelled itself still waits for the end") {
    group.start(forever());
    TaskGroup outer(io.get_executor(), [](std::exception_ptr) {});
    bool joined = false;
    outer.start(join_and_note(&group, &joined));
    io.poll();
    outer.cancel_all();
    io.poll();
    CHECK_FALSE(joined);
    group.cancel_all();
    io.run();
    CHECK(joined);
    CHECK(outer.size() == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "a thousand tasks end together") {
    for (int i = 0; i < 1000; ++i) {
      group.start(forever());
    }
    io.poll();
    CHECK(group.size() == 1000);
    group.cancel_all();
    bool joined = false;
    tests::run_coroutine(io, join_and_note(&group, &joined));
    CHECK(joined);
  }
}
