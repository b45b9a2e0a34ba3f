#include "daemon/capture/follow_state.h"

#include <doctest/doctest.h>

using namespace upskill::capture;
using namespace std::chrono_literals;

namespace {

using Paths = std::vector<std::string>;

constexpr FollowLimits k_limits{.batch = 40ms, .gap = 200ms, .files = 3};
constexpr Clock::time_point k_start{1h};

} // namespace

TEST_CASE("a file is read a moment after its first change, however many follow") {
  FollowState state(k_limits);
  CHECK(state.is_idle());
  CHECK(!state.next());
  state.changed("/a", k_start);
  state.changed("/a", k_start + 30ms);
  CHECK(state.next() == k_start + 40ms);
  CHECK(state.take_due(k_start + 39ms).empty());
  CHECK(state.take_due(k_start + 40ms) == Paths{"/a"});
  CHECK(!state.next());
  CHECK(state.is_idle());
}

TEST_CASE("a file that is written to all the time is read with gaps between") {
  FollowState state(k_limits);
  state.changed("/a", k_start);
  REQUIRE(state.take_due(k_start + 40ms) == Paths{"/a"});
  state.changed("/a", k_start + 41ms);
  CHECK(state.next() == k_start + 240ms);
  CHECK(state.take_due(k_start + 239ms).empty());
  CHECK(state.take_due(k_start + 240ms) == Paths{"/a"});
  // Long after, it is read as soon as ever.
  state.changed("/a", k_start + 10s);
  CHECK(state.next() == k_start + 10s + 40ms);
}

TEST_CASE("one file does not hold up another") {
  FollowState state(k_limits);
  state.changed("/a", k_start);
  REQUIRE(state.take_due(k_start + 40ms) == Paths{"/a"});
  state.changed("/a", k_start + 50ms);
  state.changed("/b", k_start + 60ms);
  CHECK(state.next() == k_start + 100ms);
  CHECK(state.take_due(k_start + 100ms) == Paths{"/b"});
  CHECK(state.take_due(k_start + 240ms) == Paths{"/a"});
}

TEST_CASE("more files than are kept apart become one look at everything") {
  FollowState state(k_limits);
  for (const char* path : {"/a", "/b", "/c", "/d"}) {
    state.changed(path, k_start);
  }
  CHECK(state.take_scan());
  CHECK(!state.take_scan());
  CHECK(state.take_due(k_start + 1s) == Paths{"/a", "/b", "/c"});
  // Those that were read long ago make room.
  state.changed("/d", k_start + 2s);
  CHECK(!state.take_scan());
  CHECK(state.take_due(k_start + 3s) == Paths{"/d"});
}

TEST_CASE("what is read whole rests twenty times as long as that took") {
  FollowState state(k_limits);
  state.changed("/db", k_start);
  REQUIRE(state.take_due(k_start + 40ms) == Paths{"/db"});
  state.changed("/db", k_start + 1s); // while it was read
  Clock::time_point end = k_start + 3s;
  state.read_whole("/db", 3s, end);
  CHECK(!state.may_read("/db", end + 59s));
  CHECK(state.may_read("/db", end + 60s));
  CHECK(state.may_read("/other", end));
  CHECK(state.next() == end + 60s);
  CHECK(state.take_due(end + 59s).empty());
  CHECK(state.take_due(end + 60s) == Paths{"/db"});
  // Not for ever, and what takes no time does not rest.
  state.read_whole("/db", 100h, end);
  CHECK(state.may_read("/db", end + 1h));
  state.read_whole("/small", 1ms, end);
  CHECK(state.may_read("/small", end));
}

TEST_CASE("one that rests is not forgotten") {
  FollowState state(k_limits);
  state.read_whole("/db", 1s, k_start);
  for (const char* path : {"/a", "/b", "/c"}) {
    state.changed(path, k_start);
  }
  CHECK(state.take_due(k_start + 1s).size() == 2);
  CHECK(!state.may_read("/db", k_start + 19s));
}

TEST_CASE("what was lost is looked for soon, and not all the time") {
  FollowState state(k_limits);
  state.lost(k_start);
  state.lost(k_start + 10ms);
  CHECK(!state.is_idle());
  CHECK(state.next() == k_start + 40ms);
  CHECK(!state.take_look(k_start + 39ms));
  CHECK(state.take_look(k_start + 40ms));
  CHECK(!state.take_look(k_start + 40ms));
  CHECK(state.is_idle());
  // More is lost while it is looked for.
  state.lost(k_start + 1s);
  state.looked(2s, k_start + 3s);
  CHECK(state.next() == k_start + 43s);
  state.lost(k_start + 4s);
  CHECK(state.next() == k_start + 43s);
  // A look at everything finds it too.
  state.changed_all();
  CHECK(state.is_scan_due());
  CHECK(state.take_scan());
  CHECK(state.is_idle());
}

TEST_CASE("what is not watched is looked through every five minutes") {
  FollowState state(k_limits);
  state.looked(1ms, k_start);
  state.look_later(k_start);
  CHECK(state.next() == k_start + 5min);
  state.lost(k_start + 1min);
  CHECK(state.next() == k_start + 1min + 40ms);
  CHECK(state.take_look(k_start + 2min));
}
