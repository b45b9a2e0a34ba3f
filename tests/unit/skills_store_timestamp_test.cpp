#include "skills/store/item_folder.h"
#include "skills/store/timestamp.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using namespace upskill::store;

TEST_SUITE("Timestamp") {
  TEST_CASE("a time is written in UTC and read back to the second") {
    CHECK(name_of_time(0) == "19700101T000000Z");
    // `date -u -d @1795240570` says 2026-11-21 05:56:10.
    CHECK(name_of_time(1'795'240'570'999) == "20261121T055610Z");
    CHECK(time_of_name("20261121T055610Z-skill-1") == 1'795'240'570'000);
    CHECK(time_of_name("20000229T235959Z") == 951'868'799'000);
  }

  TEST_CASE("a stored time that cannot be still gives a name") {
    CHECK(name_of_time(std::numeric_limits<std::int64_t>::max()) == "99991231T235959Z");
    CHECK(name_of_time(std::numeric_limits<std::int64_t>::min()) == "00000101T000000Z");
  }

  TEST_CASE("what is no time is not read as one") {
    for (const char* name : {"",
                             "20261121",
                             "20261121T055610",
                             "20261321T055610Z",
                             "20260229T055610Z",
                             "20261121T245610Z",
                             "2026112xT055610Z",
                             "20261121 055610Z"}) {
      CAPTURE(name);
      CHECK_FALSE(time_of_name(name));
    }
  }

  TEST_CASE("only names of items are taken for items") {
    CHECK(is_item_name("20261121T055610Z-pdf-1"));
    CHECK(is_item_name("20261121T055610Z-a-b-c-12"));
    CHECK(is_item_name("20261121T055610Z--1"));
    for (const char* name : {"20261121T055610Z-pdf",
                             "20261121T055610Z-pdf-",
                             "notes",
                             "20261121T055610Z-../../x-1",
                             "20261121T055610Z1",
                             ".new-abc"}) {
      CAPTURE(name);
      CHECK_FALSE(is_item_name(name));
    }
  }
}
