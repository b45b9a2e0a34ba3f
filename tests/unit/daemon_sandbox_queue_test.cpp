#include "daemon/await.h"
#include "daemon/runtime/task_group.h"
#include "daemon/sandbox/private_folder.h"
#include "daemon/sandbox/sandbox.h"
#include "protocol/base/atomic_file.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>

using namespace upskill;
using namespace upskill::sandbox;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;
using runtime::ChildEnd;

// So many run at a time (sandbox.cpp).
const std::size_t k_places = std::max<std::size_t>(2, std::thread::hardware_concurrency());

// Programs of ours that run. One is there as soon as it was started, whatever it does.
std::size_t children() {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    // Not a stream: what ends while it is read would make that throw.
    std::string stat = read_file(entry.path().string() + "/stat", 4096).value_or("");
    std::size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos || stat.compare(name_end, 3, ") Z") == 0) {
      continue;
    }
    int parent = 0; // what follows the state
    std::from_chars(
        stat.data() + std::min(name_end + 4, stat.size()), stat.data() + stat.size(), parent);
    count += parent == ::getpid() ? 1 : 0;
  }
  return count;
}

// A sandbox, and programs in it that say that they have begun and then wait for a line of the gate.
class World {
public:
  World()
      : m_group(m_io.get_executor(), [](std::exception_ptr) { FAIL("a task threw"); }) {
    REQUIRE(::mkfifo((m_shared / "gate").c_str(), 0600) == 0);
    // For reading too, so that the gate is open before anybody comes, and stays so.
    m_gate.reset(::open((m_shared / "gate").c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(m_gate);
  }

  Enclosed shell(std::string script) const {
    Enclosed enclosed;
    enclosed.program.argv = {"sh", "-c", std::move(script)};
    enclosed.workspace = m_workspace.path();
    enclosed.writable = {{m_shared.path(), "/shared"}};
    return enclosed;
  }

  Enclosed waiting(const std::string& name) const {
    return shell("echo > /shared/" + name + "; read line < /shared/gate; echo through");
  }

  runtime::TaskId start(const std::string& name, std::function<void()> afterwards = {}) {
    return start(name, waiting(name), std::move(afterwards));
  }

  // `afterwards` is called when its place is free, before anybody else takes notice.
  runtime::TaskId
  start(const std::string& name, Enclosed enclosed, std::function<void()> afterwards = {}) {
    return m_group.start(run(this, name, std::move(enclosed), std::move(afterwards)));
  }

  // As many as may run, with names from `prefix`0 on.
  void fill(const std::string& prefix) {
    for (std::size_t i = 0; i < k_places; ++i) {
      start(prefix + std::to_string(i));
    }
  }

  // Lets that many of those through that wait inside, whichever they are.
  void let_through(std::size_t count) {
    const std::string lines(count, '\n');
    CHECK(::write(m_gate.get(), lines.data(), lines.size()) == static_cast<ssize_t>(lines.size()));
  }

  bool has_begun(const std::string& name) const { return fs::exists(m_shared / name); }

  bool have_begun(const std::string& prefix) const {
    for (std::size_t i = 0; i < k_places; ++i) {
      if (!has_begun(prefix + std::to_string(i))) {
        return false;
      }
    }
    return true;
  }

  bool has_ended(const std::string& name) const { return m_ends.contains(name); }

  const Result<ChildEnd>& end_of(const std::string& name) const { return m_ends.at(name); }

  std::size_t ended() const { return m_ends.size(); }

  runtime::TaskGroup& group() { return m_group; }

  // Runs the test's story once the sandbox has shown that it works: its own trial takes no place.
  void tell(asio::awaitable<void> (*story)(World&)) {
    tests::run_coroutine(m_io, told(this, story));
  }

private:
  static asio::awaitable<void>
  run(World* world, std::string name, Enclosed enclosed, std::function<void()> afterwards) {
    AWAIT(Result<ChildEnd> end, world->m_sandbox.run(std::move(enclosed)));
    world->m_ends.emplace(std::move(name), std::move(end));
    if (afterwards) {
      afterwards();
    }
  }

  static asio::awaitable<void> told(World* world, asio::awaitable<void> (*story)(World&)) {
    AWAIT(Result<void> works, world->m_sandbox.check());
    if (!works) {
      MESSAGE("skipped: ", works.error().message);
      co_return;
    }
    std::exception_ptr failure;
    try {
      AWAIT_DONE(story(*world));
    } catch (...) {
      failure = std::current_exception();
    }
    world->m_group.cancel_all(); // what a failed check has left waiting
    AWAIT_DONE(world->m_group.join());
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  asio::io_context m_io;
  tests::TemporaryFolder m_shared;
  PrivateFolder m_workspace = std::move(*PrivateFolder::make());
  UniqueFd m_gate{};
  Sandbox m_sandbox;
  std::map<std::string, Result<ChildEnd>> m_ends;
  runtime::TaskGroup m_group;
};

// Whether it becomes so; bounded, so that what never does fails a check instead of hanging.
asio::awaitable<bool> becomes(std::function<bool()> is_so) {
  auto until = runtime::Clock::now() + 30s;
  while (!is_so() && runtime::Clock::now() < until) {
    AWAIT_DONE(runtime::wait_for(1ms));
  }
  co_return is_so();
}

// That `k_places` programs run at a time, no fewer and no more: after whatever was before.
asio::awaitable<void> all_places_are_there(World& world) {
  AWAIT(bool is_idle, becomes([] { return children() == 0; }));
  CHECK(is_idle);
  std::size_t before = world.ended();
  world.fill("last");
  world.start("one-more");
  AWAIT(bool all_begun, becomes([&] { return world.have_begun("last"); }));
  CHECK(all_begun);
  CHECK(children() == k_places);
  CHECK_FALSE(world.has_begun("one-more"));
  world.let_through(k_places + 1);
  AWAIT(bool all_ended, becomes([&] { return world.ended() == before + k_places + 1; }));
  CHECK(all_ended);
}

asio::awaitable<void> more_than_there_are_places(World& world) {
  std::size_t all = 2 * k_places + 1;
  for (std::size_t i = 0; i < all; ++i) {
    world.start("p" + std::to_string(i));
  }
  // start() goes on to the first wait, so whoever does not wait for a turn was started already.
  CHECK(children() == k_places);
  for (std::size_t ended = 1; ended <= all; ++ended) {
    world.let_through(1);
    AWAIT(bool next_one, becomes([&] { return world.ended() == ended; }));
    CHECK(next_one);
    std::size_t wanted = std::min(k_places, all - ended);
    AWAIT(bool full_again, becomes([&] { return children() >= wanted; }));
    CHECK(full_again);
    CHECK(children() == wanted);
  }
  for (std::size_t i = 0; i < all; ++i) {
    const Result<ChildEnd>& end = world.end_of("p" + std::to_string(i));
    REQUIRE(end);
    CHECK(end->output == "through\n");
    CHECK_FALSE(end->timed_out);
  }
}

asio::awaitable<void> a_waiter_with_little_time(World& world) {
  for (std::size_t i = 0; i < k_places; ++i) {
    Enclosed stuck = world.waiting("stuck" + std::to_string(i));
    stuck.program.limit = 2500ms;
    world.start("stuck" + std::to_string(i), std::move(stuck));
  }
  Enclosed quick = world.shell("echo done");
  quick.program.limit = 2000ms; // over before there is a place, if it began now
  world.start("quick", std::move(quick));
  AWAIT(bool all_ended, becomes([&] { return world.ended() == k_places + 1; }));
  REQUIRE(all_ended);
  for (std::size_t i = 0; i < k_places; ++i) {
    REQUIRE(world.end_of("stuck" + std::to_string(i)));
    CHECK(world.end_of("stuck" + std::to_string(i))->timed_out);
  }
  REQUIRE(world.end_of("quick"));
  CHECK_FALSE(world.end_of("quick")->timed_out);
  CHECK(world.end_of("quick")->output == "done\n");
  CHECK(world.end_of("quick")->took < 2000ms);
  AWAIT_DONE(all_places_are_there(world));
}

asio::awaitable<void> a_waiter_that_is_cancelled(World& world) {
  world.fill("first");
  runtime::TaskId given_up = world.start("given-up");
  world.start("next");
  world.group().cancel(given_up);
  AWAIT(bool is_gone, becomes([&] { return world.group().size() == k_places + 1; }));
  CHECK(is_gone);
  CHECK(children() == k_places);
  AWAIT(bool all_begun, becomes([&] { return world.have_begun("first"); }));
  CHECK(all_begun);
  world.let_through(1);
  AWAIT(bool next_begun, becomes([&] { return world.has_begun("next"); }));
  CHECK(next_begun);
  CHECK_FALSE(world.has_begun("given-up"));
  world.let_through(k_places);
  AWAIT(bool all_ended, becomes([&] { return world.ended() == k_places + 1; }));
  CHECK(all_ended);
  CHECK_FALSE(world.has_ended("given-up"));
  AWAIT_DONE(all_places_are_there(world));
}

// The worst moment: its turn has come, it was told so, and it has not yet looked.
asio::awaitable<void> a_waiter_that_is_cancelled_as_its_turn_comes(World& world) {
  std::optional<runtime::TaskId> given_up;
  bool was_waiting = false;
  for (std::size_t i = 0; i < k_places; ++i) {
    world.start("first" + std::to_string(i), [&] {
      if (given_up) {
        was_waiting = world.group().cancel(*given_up);
        given_up.reset();
      }
    });
  }
  given_up = world.start("given-up");
  world.start("next");
  world.let_through(1);
  AWAIT(bool next_begun, becomes([&] { return world.has_begun("next"); }));
  CHECK(next_begun);
  CHECK(was_waiting);
  CHECK_FALSE(world.has_begun("given-up"));
  world.let_through(k_places);
  AWAIT(bool all_ended, becomes([&] { return world.ended() == k_places + 1; }));
  CHECK(all_ended);
  CHECK_FALSE(world.has_ended("given-up"));
  AWAIT_DONE(all_places_are_there(world));
}

asio::awaitable<void> one_that_runs_is_cancelled(World& world) {
  world.fill("first");
  runtime::TaskId running = world.start("cut-short"); // waits, and then runs
  AWAIT(bool all_begun, becomes([&] { return world.have_begun("first"); }));
  CHECK(all_begun);
  world.let_through(1);
  AWAIT(bool has_begun, becomes([&] { return world.has_begun("cut-short"); }));
  CHECK(has_begun);
  world.start("next");
  CHECK(children() == k_places);
  world.group().cancel(running);
  AWAIT(bool next_begun, becomes([&] { return world.has_begun("next"); }));
  CHECK(next_begun);
  CHECK_FALSE(world.has_ended("cut-short"));
  world.let_through(k_places);
  AWAIT(bool all_ended, becomes([&] { return world.ended() == k_places + 1; }));
  CHECK(all_ended);
  AWAIT_DONE(all_places_are_there(world));
}

asio::awaitable<void> ones_that_cannot_start(World& world) {
  world.fill("first");
  std::map<std::string, Enclosed> wrong;
  wrong["nothing"] = world.shell("true");
  wrong["nothing"].program.argv.clear();
  wrong["zero-byte"] = world.shell(std::string("true\0", 5));
  wrong["system"] = world.shell("true");
  wrong["system"].read_only = {{"/usr/share", "/etc"}};
  wrong["nowhere"] = world.shell("true"); // bubblewrap itself does not get it to run
  wrong["nowhere"].read_only = {{"/nowhere/at/all", "/x"}};
  // More than there are places, were each to keep its own.
  std::size_t count = 0;
  for (std::size_t round = 0; round < k_places; ++round) {
    for (const auto& [name, enclosed] : wrong) {
      world.start(name + std::to_string(round), enclosed);
      ++count;
    }
  }
  world.start("behind-them");
  CHECK(children() == k_places);
  CHECK(world.ended() == 0);
  world.let_through(1);
  AWAIT(bool next_begun, becomes([&] { return world.has_begun("behind-them"); }));
  CHECK(next_begun);
  world.let_through(k_places);
  AWAIT(bool all_ended, becomes([&] { return world.ended() == k_places + 1 + count; }));
  REQUIRE(all_ended);
  for (std::size_t round = 0; round < k_places; ++round) {
    for (const auto& [name, enclosed] : wrong) {
      CAPTURE(name);
      const Result<ChildEnd>& end = world.end_of(name + std::to_string(round));
      REQUIRE_FALSE(end);
      CHECK(end.error().code
            == (name == "nowhere" ? ErrorCode::unavailable : ErrorCode::invalid_argument));
    }
  }
  AWAIT_DONE(all_places_are_there(world));
}

} // namespace

TEST_SUITE("Sandbox's queue") {
  TEST_CASE("no more programs than places run at a time, and all run in the end") {
    World().tell(more_than_there_are_places);
  }

  TEST_CASE("a program's time begins when it runs, not when it waits for its turn") {
    World().tell(a_waiter_with_little_time);
  }

  TEST_CASE("who no longer waits gives the turn on") {
    World().tell(a_waiter_that_is_cancelled);
  }

  TEST_CASE("who is cancelled as the turn comes gives it on") {
    World().tell(a_waiter_that_is_cancelled_as_its_turn_comes);
  }

  TEST_CASE("a program that is cut short leaves its place") {
    World().tell(one_that_runs_is_cancelled);
  }

  TEST_CASE("a program that cannot start leaves its place") {
    World().tell(ones_that_cannot_start);
  }
}
