#include "daemon/await.h"
#include "daemon/generation/step_runner.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <utility>

using namespace upskill;
using namespace upskill::generation;

namespace {

// A machine of some steps that wait for a gate, each of which may begin when the one before has.
struct World {
  asio::io_context io;
  runtime::Condition gate{io.get_executor()};
  StepRunner runner{io.get_executor()};
  int wanted = 0; // steps that may begin
  int begun = 0;
  int ended = 0;
  int under_way = 0;
  bool is_open = false;
  bool is_over = false;
  bool is_held_up = false;
  std::optional<bool> outcome = {};
  std::optional<int> left_at_the_end = {}; // steps, where it was thrown out
  std::exception_ptr failure = {};
  runtime::TaskGroup group{io.get_executor(),
                           [this](std::exception_ptr thrown) { failure = thrown; }};

  struct UnderWay {
    explicit UnderWay(int& count)
        : m_count(count) {
      ++m_count;
    }

    ~UnderWay() { --m_count; }

    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

    int& m_count;
  };

  asio::awaitable<void> step() {
    UnderWay here(under_way);
    while (!is_open) {
      AWAIT_DONE(gate.wait());
    }
    ++ended;
  }

  asio::awaitable<void> run() {
    StepHooks hooks;
    hooks.begin = [this] {
      while (begun < wanted) {
        ++begun;
        runner.start(step());
      }
    };
    hooks.is_over = [this] { return is_over || (ended > 0 && ended == wanted); };
    hooks.is_held_up = [this] { return is_held_up; };
    try {
      AWAIT(outcome, runner.run(std::move(hooks)));
    } catch (...) {
      left_at_the_end = under_way;
      throw;
    }
  }

  void start() {
    group.start(run());
    turn();
  }

  // Until all waits for something.
  void turn() {
    io.restart();
    io.poll();
  }

  void open() {
    is_open = true;
    gate.notify_all();
    turn();
  }
};

asio::awaitable<void> breaks() {
  throw std::logic_error("broken");
  co_return;
}

} // namespace

TEST_SUITE("StepRunner") {
  TEST_CASE("steps that may begin together do, and it ends with the last one") {
    World world;
    world.wanted = 3;
    world.start();
    CHECK(world.under_way == 3);
    CHECK_FALSE(world.outcome);
    world.open();
    CHECK(world.ended == 3);
    CHECK(world.outcome == true);
  }

  TEST_CASE("a step that waits for nothing has its machine looked at again") {
    World world;
    world.is_open = true;
    world.wanted = 1;
    world.start();
    CHECK(world.outcome == true);
  }

  TEST_CASE("what is woken begins what may begin now") {
    World world;
    world.wanted = 1;
    world.start();
    CHECK(world.begun == 1);
    world.wanted = 2;
    world.turn();
    CHECK(world.begun == 1); // nobody said so
    world.runner.wake();
    world.turn();
    CHECK(world.begun == 2);
    world.open();
    CHECK(world.outcome == true);
  }

  TEST_CASE("held up, it ends what is under way and says so") {
    World world;
    world.wanted = 2;
    world.start();
    world.is_held_up = true;
    world.runner.wake();
    world.turn();
    CHECK(world.outcome == false);
    CHECK(world.under_way == 0);
    CHECK(world.ended == 0);
  }

  TEST_CASE("the end of the machine comes before what holds it up") {
    World world;
    world.wanted = 1;
    world.start();
    world.is_over = world.is_held_up = true;
    world.is_open = true;
    world.runner.wake();
    world.gate.notify_all();
    world.turn();
    CHECK(world.outcome == true);
  }

  TEST_CASE("cancelled, it ends what is under way first") {
    World world;
    world.wanted = 2;
    world.start();
    world.group.cancel_all();
    world.turn();
    CHECK(world.group.size() == 0);
    CHECK(world.left_at_the_end == 0);
    CHECK_FALSE(world.outcome);
    CHECK_FALSE(world.failure); // a cancelled task is no failure
  }

  TEST_CASE("an exception is thrown on after everything has ended") {
    World world;
    world.wanted = 2;
    world.start();
    world.runner.start(breaks());
    world.turn();
    CHECK(world.left_at_the_end == 0);
    CHECK_FALSE(world.outcome);
    REQUIRE(world.failure);
    CHECK_THROWS_WITH_AS(std::rethrow_exception(world.failure), "broken", std::logic_error);
  }

  TEST_CASE("a machine that is not over and wants nothing is a bug that is told") {
    World world;
    world.start();
    REQUIRE(world.failure);
    CHECK_THROWS_AS(std::rethrow_exception(world.failure), std::logic_error);
  }
}
