#include "daemon/options.h"

#include <doctest/doctest.h>

#include <array>

using namespace upskill;
using namespace upskill::daemon;

TEST_SUITE("Options") {
  TEST_CASE("values come after the name or after an equals sign") {
    std::array arguments{"--ready-fd", "7", "--log=verbose", "--mirror", "a=b", "--private=9"};
    auto options = parse_options(arguments);
    REQUIRE(options);
    CHECK(options->ready_fd == 7);
    CHECK(options->private_fd == 9);
    CHECK(options->log.level == telemetry::LogLevel::verbose);
    CHECK(options->mirror == "a=b");
  }

  TEST_CASE("what is wrong is named") {
    auto message = [](auto... arguments) {
      std::array<const char*, sizeof...(arguments)> list{arguments...};
      return parse_options(list).error().message;
    };
    CHECK(message("--surprise") == "`--surprise` is not an option of upskilld");
    CHECK(message("--log") == "`--log` takes a value");
    CHECK(message("--log=loud") == "`--log` does not know the level `loud`");
    CHECK(message("--ready-fd", "x1")
          == "`--ready-fd` takes the number of an open descriptor, not `x1`");
    CHECK(message("--ready-fd=-1")
          == "`--ready-fd` takes the number of an open descriptor, not `-1`");
    CHECK(message("--ready-fd=99999999999")
          == "`--ready-fd` takes the number of an open descriptor, not `99999999999`");
    CHECK(message("--trace=") == "`--trace` takes a path");
  }
}
