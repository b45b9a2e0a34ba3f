#include "daemon/capture/seen_files.h"

#include <doctest/doctest.h>

using namespace upskill::capture;

TEST_CASE("a file that stayed as it was when it was read is known again") {
  SeenFiles seen;
  SessionFile file{"codex", "/a", 10, 1000};
  CHECK_FALSE(seen.is_same(file));
  seen.saw(file, 10'000);
  CHECK(seen.is_same(file));
  CHECK_FALSE(seen.is_same({"codex", "/b", 10, 1000}));
  CHECK_FALSE(seen.is_same({"codex", "/a", 11, 1000}));
  CHECK_FALSE(seen.is_same({"codex", "/a", 10, 1001}));
  seen.forget();
  CHECK_FALSE(seen.is_same(file));
}

TEST_CASE("what changed just now may change again without another time") {
  SeenFiles seen;
  SessionFile file{"codex", "/a", 10, 9000};
  seen.saw(file, 10'000);
  CHECK_FALSE(seen.is_same(file));
  seen.saw(file, 11'000);
  CHECK(seen.is_same(file));
}
