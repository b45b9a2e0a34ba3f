#include "daemon/runtime/offload.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/time_slice.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

using namespace upskill;
using namespace upskill::runtime;

namespace {

// What ran on the pool, in the order in which it began: whose it was, and its number.
class Journal {
public:
  using Entry = std::pair<Pool::Client, int>;

  void add(Pool::Client client, int number) {
    std::lock_guard lock(m_mutex);
    m_entries.emplace_back(client, number);
  }

  std::vector<Entry> entries() {
    std::lock_guard lock(m_mutex);
    return m_entries;
  }

private:
  std::mutex m_mutex;
  std::vector<Entry> m_entries;
};

// Work that tells that it has begun, and waits until it may end.
struct Gate {
  std::promise<void> begun = {};
  std::promise<void> opened = {};

  void pass() {
    begun.set_value();
    opened.get_future().wait();
  }
};

asio::awaitable<void> note(Pool::Share share, Journal* journal, int number) {
  auto work = [journal, client = share.client, number] { journal->add(client, number); };
  auto done = offload(share, std::move(work));
  co_await std::move(done);
}

asio::awaitable<void> pass(Pool::Share share, Gate* gate) {
  auto work = [gate] { gate->pass(); };
  auto done = offload(share, std::move(work));
  co_await std::move(done);
}

struct World {
  explicit World(std::size_t threads)
      : pool(threads) {}

  // Hands the work over now; it comes back in run().
  void start(asio::awaitable<void> task) {
    group.start(std::move(task));
    io.restart();
    io.poll();
  }

  void run() {
    io.restart();
    io.run();
    REQUIRE(group.size() == 0);
  }

  asio::io_context io;
  Pool pool;
  Journal journal;
  TaskGroup group{io.get_executor(), [](std::exception_ptr) { FAIL("no exception expected"); }};
};

} // namespace

TEST_SUITE("pool") {
  TEST_CASE("what is done at rest is done once after work, and not again without") {
    std::mutex mutex;
    int rests = 0;
    std::condition_variable rested;
    auto rest = [&] {
      std::lock_guard lock(mutex);
      ++rests;
      rested.notify_all();
    };
    auto rested_times = [&](int count) {
      std::unique_lock lock(mutex);
      return rested.wait_for(lock, std::chrono::seconds(30), [&] { return rests == count; });
    };
    asio::io_context io;
    Pool pool(3, Pool::AtRest{std::chrono::milliseconds(1), rest});
    Journal journal;
    TaskGroup group{io.get_executor(), [](std::exception_ptr) { FAIL("no exception expected"); }};
    for (int round = 1; round <= 20; ++round) {
      group.start(note(pool.of(round % 3), &journal, round));
      io.restart();
      io.run();
      REQUIRE(rested_times(round));
    }
    pool.join();
    CHECK(journal.entries().size() == 20);
    CHECK(rests == 20);
  }

  TEST_CASE("what is done at rest keeps nobody from the pool") {
    Gate rest;
    auto pass_once = [&rest, once = true]() mutable {
      if (std::exchange(once, false)) {
        rest.pass();
      }
    };
    asio::io_context io;
    Pool pool(2, Pool::AtRest{std::chrono::milliseconds(0), pass_once});
    Journal journal;
    TaskGroup group{io.get_executor(), [](std::exception_ptr) { FAIL("no exception expected"); }};
    group.start(note(pool.of(1), &journal, 1));
    io.run();
    rest.begun.get_future().wait();
    group.start(note(pool.of(1), &journal, 2));
    io.restart();
    io.run_for(std::chrono::seconds(30)); // for ever, were it to wait for the end of the rest
    CHECK(journal.entries().size() == 2);
    rest.opened.set_value();
  }

  TEST_CASE("a pool that ends does not wait for its rest") {
    int rests = 0;
    {
      asio::io_context io;
      Pool pool(2, Pool::AtRest{std::chrono::hours(1), [&] { ++rests; }});
      Journal journal;
      TaskGroup group{io.get_executor(), [](std::exception_ptr) { FAIL("no exception expected"); }};
      group.start(note(pool.of(1), &journal, 0));
      io.run();
    }
    CHECK(rests == 0);
  }

  TEST_CASE("who comes late to a long queue of another waits for one of its pieces at most") {
    World world(1);
    Gate gate;
    world.start(pass(world.pool.of(1), &gate));
    gate.begun.get_future().wait();
    for (int i = 0; i < 64; ++i) {
      world.start(note(world.pool.of(1), &world.journal, i));
    }
    world.start(note(world.pool.of(2), &world.journal, 0));
    world.start(note(world.pool.of(0), &world.journal, 0)); // the daemon's own, as any other
    gate.opened.set_value();
    world.run();
    std::vector<Journal::Entry> ran = world.journal.entries();
    REQUIRE(ran.size() == 66);
    CHECK(ran[0] == Journal::Entry(1, 0));
    CHECK(ran[1] == Journal::Entry(2, 0));
    CHECK(ran[2] == Journal::Entry(0, 0));
  }

  TEST_CASE("clients take turns, and the work of each keeps its order") {
    World world(1);
    Gate gate;
    world.start(pass(world.pool.of(9), &gate));
    gate.begun.get_future().wait();
    std::vector<Journal::Entry> expected;
    for (Pool::Client client : {3, 1, 2}) {
      for (int i = 0; i < 20; ++i) {
        world.start(note(world.pool.of(client), &world.journal, i));
      }
    }
    for (int i = 0; i < 20; ++i) {
      for (Pool::Client client : {3, 1, 2}) {
        expected.emplace_back(client, i);
      }
    }
    gate.opened.set_value();
    world.run();
    CHECK(world.journal.entries() == expected);
  }

  TEST_CASE("one client does not get the last thread, and has what it is owed later") {
    World world(3);
    Gate first;
    Gate second;
    world.start(pass(world.pool.of(1), &first));
    world.start(pass(world.pool.of(1), &second));
    world.start(note(world.pool.of(1), &world.journal, 0));
    first.begun.get_future().wait();
    second.begun.get_future().wait();
    Gate other;
    world.start(pass(world.pool.of(2), &other));
    other.begun.get_future().wait(); // for ever, did the note have that thread
    world.start(note(world.pool.of(2), &world.journal, 0));
    CHECK(world.journal.entries().empty());
    first.opened.set_value();
    second.opened.set_value();
    other.opened.set_value();
    world.run();
    CHECK(world.journal.entries().size() == 2);
  }

  TEST_CASE("many of many clients all run, and come back") {
    World world(4);
    constexpr int k_clients = 40;
    constexpr int k_each = 50;
    for (int i = 0; i < k_each; ++i) {
      for (int client = 0; client < k_clients; ++client) {
        world.start(note(world.pool.of(static_cast<Pool::Client>(client)), &world.journal, i));
      }
    }
    world.run();
    CHECK(world.pool.pending() == 0);
    std::map<Pool::Client, std::vector<int>> ran;
    for (auto [client, number] : world.journal.entries()) {
      ran[client].push_back(number);
    }
    CHECK(ran.size() == k_clients);
    for (auto& [client, numbers] : ran) {
      std::ranges::sort(numbers); // begun in order, but noted by several threads
      CHECK(numbers.size() == k_each);
      CHECK(std::ranges::adjacent_find(numbers) == numbers.end());
    }
  }

  TEST_CASE("join lets all that was handed over finish, and may be called twice") {
    for (std::size_t threads : {1, 3}) {
      World world(threads);
      for (int i = 0; i < 200; ++i) {
        world.start(note(world.pool.of(static_cast<Pool::Client>(i % 3)), &world.journal, i));
      }
      world.pool.join();
      CHECK(world.journal.entries().size() == 200);
      CHECK(world.pool.pending() == 0);
      world.pool.join();
      world.run();
    }
  }
}

TEST_SUITE("time slice") {
  using Time = std::chrono::steady_clock::time_point;

  TEST_CASE("steps go on until the time is over, and say whether something is left") {
    Time time;
    int left = 10;
    auto step = [&] {
      time += std::chrono::microseconds(k_time_slice) / 4;
      return --left > 0;
    };
    auto now = [&] { return time; };
    CHECK(run_slice(step, now));
    CHECK(left == 6);
    CHECK(run_slice(step, now));
    CHECK(left == 2);
    CHECK_FALSE(run_slice(step, now));
    CHECK(left == 0);
  }

  TEST_CASE("a step that takes longer is one slice, not none") {
    Time time;
    int steps = 0;
    auto step = [&] {
      ++steps;
      time += 5 * k_time_slice;
      return true;
    };
    auto now = [&] { return time; };
    CHECK(run_slice(step, now));
    CHECK(steps == 1);
  }
}
