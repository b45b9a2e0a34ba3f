#include "protocol/base/utf8.h"

#include <doctest/doctest.h>

using namespace upskill;

TEST_SUITE("in_backticks") {
  TEST_CASE("a name of any bytes may enter a message") {
    CHECK(in_backticks("") == "``");
    CHECK(in_backticks("навык/a b") == "`навык/a b`");
    CHECK(in_backticks("a\xFF"
                       "b")
          == "`a\uFFFDb`");
  }
}
