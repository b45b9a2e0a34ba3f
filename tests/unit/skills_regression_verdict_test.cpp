#include "skills/regression/verdict.h"

#include <doctest/doctest.h>

#include <vector>

using namespace upskill;
using namespace upskill::regression;

TEST_SUITE("verdict of a version") {
  TEST_CASE("one that is worse decides, all that hold do, else nothing") {
    const SubjectVerdict worse{"`haiku`", WatchVerdict::regressed, WatchReason::dropped, "fell"};
    const SubjectVerdict fine{"`kimi`", WatchVerdict::ok, WatchReason::held, "holds"};
    const SubjectVerdict open{
        "`glm`", WatchVerdict::undecided, WatchReason::out_of_budget, "no money"};
    CHECK(verdict_of_version({fine, open, worse}).verdict == WatchVerdict::regressed);
    CHECK(verdict_of_version({fine, open, worse}).why == "`haiku`: fell");
    CHECK(verdict_of_version({fine, open, worse}).reason == WatchReason::dropped);
    CHECK(verdict_of_version({fine, fine}).verdict == WatchVerdict::ok);
    CHECK(verdict_of_version({fine, fine}).why == "`kimi`: holds; `kimi`: holds");
    CHECK(verdict_of_version({fine, open}).verdict == WatchVerdict::undecided);
    CHECK(verdict_of_version({fine, open}).reason == WatchReason::out_of_budget);
    CHECK(verdict_of_version({}).verdict == WatchVerdict::undecided);
    CHECK(verdict_of_version({}).reason == WatchReason::no_cases);
    const std::vector<SubjectVerdict> many(100, fine);
    CHECK(verdict_of_version(many).why
          == "`kimi`: holds; `kimi`: holds; `kimi`: holds; and 97 more");
  }
}
