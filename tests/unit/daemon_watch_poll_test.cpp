#include "daemon/watch/poll.h"

#include <doctest/doctest.h>

using namespace upskill::watch;

TEST_SUITE("compare") {
  TEST_CASE("changed, new and gone skills are named, the others not") {
    PolledRoot before = std::vector<PolledSkill>{{"a", 1}, {"b", 2}, {"d", 4}};
    PolledRoot now = std::vector<PolledSkill>{{"b", 3}, {"c", 5}, {"d", 4}};
    PollDifference difference = compare(before, now);
    CHECK(difference.skills == std::vector<std::string>{"a", "b", "c"});
    CHECK_FALSE(difference.root);
  }

  TEST_CASE("two equal looks say nothing") {
    PolledRoot look = std::vector<PolledSkill>{{"a", 1}};
    CHECK(compare(look, look).skills.empty());
    CHECK(compare(std::nullopt, std::nullopt).skills.empty());
    CHECK_FALSE(compare(std::nullopt, std::nullopt).root);
  }

  TEST_CASE("a root that comes or goes is more than the sum of its skills") {
    PolledRoot look = std::vector<PolledSkill>{{"a", 1}};
    CHECK(compare(std::nullopt, look).root == RescanReason::appeared);
    CHECK(compare(look, std::nullopt).root == RescanReason::vanished);
    CHECK(compare(look, std::nullopt).skills.empty());
  }
}
