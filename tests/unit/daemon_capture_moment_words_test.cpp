#include "daemon/capture/moment_words.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::capture;

TEST_CASE("dates, times and how long ago") {
  constexpr std::int64_t k_now = 1'782'900'000'000; // 2026-07-01T10:00:00Z
  auto moment = [&](std::string_view words) {
    return moment_of(words, "since", k_now).value_or(-1);
  };
  CHECK(moment("2026-07-01") == k_now - 10 * 3'600'000LL);
  CHECK(moment("2026-07-01T10:00:00Z") == k_now);
  CHECK(moment("2026-07-01 10:00") == k_now);
  CHECK(moment("1970-01-01") == 0);
  CHECK(moment("30m") == k_now - 1'800'000);
  CHECK(moment("12h") == k_now - 12 * 3'600'000LL);
  CHECK(moment("7d") == k_now - 7 * 86'400'000LL);
  CHECK(moment("2w") == k_now - 14 * 86'400'000LL);
}

TEST_CASE("what is no moment says how to say one") {
  for (std::string_view words : {"",
                                 "yesterday",
                                 "7",
                                 "d",
                                 "-7d",
                                 "7days",
                                 "2026-13-01",
                                 "2026-02-30",
                                 "2026-7-1",
                                 "2026/07/01",
                                 "2026-07-01T25:00:00Z",
                                 "2026-07-01T1",
                                 "2026-07-01x10:00",
                                 "999999999999999999999d"}) {
    CAPTURE(words);
    Result<std::int64_t> moment = moment_of(words, "since", 0);
    REQUIRE(!moment);
    CHECK(moment.error().code == ErrorCode::invalid_argument);
    CHECK(moment.error().message.starts_with("params.since: "));
    CHECK(!moment.error().hint.empty());
  }
}
