#include "daemon/sync/pause.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace std::chrono_literals;

TEST_SUITE("GrowingPause") {
  TEST_CASE("doubles up to its most, and begins anew once it worked") {
    daemon::GrowingPause pause(1s, 5s);
    CHECK(pause.take() == 1s);
    CHECK(pause.take() == 2s);
    CHECK(pause.take() == 4s);
    CHECK(pause.take() == 5s);
    CHECK(pause.take() == 5s);
    pause.reset();
    CHECK(pause.take() == 1s);
  }
}
