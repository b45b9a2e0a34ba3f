#include "daemon/await.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/turns.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using namespace upskill::runtime;

namespace {

struct Fixture {
  explicit Fixture(std::size_t at_once = 1)
      : turns(io.get_executor(), at_once) {}

  asio::io_context io;
  Turns turns;
  Condition go{io.get_executor()};
  bool may_go = false;
  std::string order;
  TaskGroup group{io.get_executor(),
                  [](const std::exception_ptr& e) { std::rethrow_exception(e); }};
};

// Notes its name when it has its turn, and keeps that until it may go.
asio::awaitable<void> take(Fixture* fixture, char name) {
  Turns::Ticket ticket(fixture->turns);
  AWAIT_DONE(ticket.called());
  fixture->order += name;
  while (!fixture->may_go) {
    co_await fixture->go.wait();
  }
}

// Comes at the very moment at which the first one leaves.
asio::awaitable<void> let_go_and_take(Fixture* fixture, TaskId leaving, char name) {
  fixture->may_go = true;
  fixture->group.cancel(leaving);
  AWAIT_DONE(take(fixture, name));
}

asio::awaitable<void> join(Fixture* fixture) {
  fixture->may_go = true;
  fixture->go.notify_all();
  AWAIT_DONE(fixture->group.join());
}

struct Pairs : Fixture {
  Pairs()
      : Fixture(2) {}
};

} // namespace

TEST_SUITE("Turns") {
  TEST_CASE_FIXTURE(Fixture, "they come in the order in which they asked") {
    for (char name : {'a', 'b', 'c', 'd'}) {
      group.start(take(this, name));
    }
    io.poll();
    CHECK(order == "a");
    CHECK(turns.busy());
    tests::run_coroutine(io, join(this));
    CHECK(order == "abcd");
    CHECK_FALSE(turns.busy());
  }

  TEST_CASE_FIXTURE(Fixture, "a newcomer does not overtake those that wait") {
    TaskId first = group.start(take(this, 'a'));
    group.start(take(this, 'b'));
    group.start(let_go_and_take(this, first, 'c'));
    tests::run_coroutine(io, join(this));
    CHECK(order == "abc");
  }

  TEST_CASE_FIXTURE(Fixture,
                    "who is cancelled while it waits gives up its place, and nothing else") {
    group.start(take(this, 'a'));
    TaskId second = group.start(take(this, 'b'));
    group.start(take(this, 'c'));
    io.poll();
    group.cancel(second);
    io.poll();
    CHECK(order == "a");
    tests::run_coroutine(io, join(this));
    CHECK(order == "ac");
  }

  TEST_CASE_FIXTURE(Pairs, "two at a time: whoever leaves lets one in") {
    group.start(take(this, 'a'));
    TaskId second = group.start(take(this, 'b'));
    group.start(take(this, 'c'));
    group.start(take(this, 'd'));
    io.poll();
    CHECK(order == "ab");
    group.cancel(second);
    go.notify_all(); // it looks, and is gone
    io.poll();
    CHECK(order == "abc");
    tests::run_coroutine(io, join(this));
    CHECK(order == "abcd");
  }

  TEST_CASE_FIXTURE(Pairs, "two at a time: a place that is given up in the line lets nobody in") {
    group.start(take(this, 'a'));
    group.start(take(this, 'b'));
    TaskId third = group.start(take(this, 'c'));
    group.start(take(this, 'd'));
    io.poll();
    group.cancel(third);
    io.poll();
    CHECK(order == "ab");
    tests::run_coroutine(io, join(this));
    CHECK(order == "abd");
  }
}
