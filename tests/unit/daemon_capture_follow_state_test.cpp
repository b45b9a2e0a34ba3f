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
