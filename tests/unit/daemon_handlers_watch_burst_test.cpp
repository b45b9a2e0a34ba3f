#include "daemon/handlers/watch_burst.h"

#include <doctest/doctest.h>

using upskill::daemon::SkillKey;
using upskill::daemon::WatchBurst;

TEST_SUITE("WatchBurst") {
  TEST_CASE("a skill that is saved again and again is one") {
    WatchBurst burst;
    for (std::int64_t now = 0; now < 3'000; now += 100) {
      burst.note({"", "pdf"}, now);
    }
    CHECK(burst.count(3'000) == 1);
    CHECK(burst.has({"", "pdf"}));
    CHECK_FALSE(burst.has({"/project", "pdf"}));
  }

  TEST_CASE("three hundred of a checkout count together, also where it takes some seconds") {
    WatchBurst burst;
    for (int i = 0; i < 300; ++i) {
      burst.note({"/project", "skill-" + std::to_string(i)}, i * 20);
    }
    CHECK(burst.count(6'000) == 300);
  }

  TEST_CASE("what was changed long ago does not count") {
    WatchBurst burst;
    burst.note({"", "a"}, 0);
    burst.note({"", "b"}, WatchBurst::k_together);
    CHECK(burst.count(WatchBurst::k_together) == 2);
    CHECK(burst.count(WatchBurst::k_together + 1) == 1);
    CHECK(burst.count(2 * WatchBurst::k_together + 1) == 0);
    CHECK_FALSE(burst.has({"", "b"}));
  }
}
