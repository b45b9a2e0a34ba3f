#include "clients/cli/suggest.h"

#include <doctest/doctest.h>

#include <vector>

using namespace upskill::cli;

TEST_SUITE("suggestion") {
  TEST_CASE("counts slips of the finger") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("list", "list") == 0);
    CHECK(edit_distance("lst", "list") == 1);
    CHECK(edit_distance("lisst", "list") == 1);
    CHECK(edit_distance("lost", "list") == 1);
    CHECK(edit_distance("lsit", "list") == 1);
    CHECK(edit_distance("", "list") == 4);
    CHECK(edit_distance("kitten", "sitting") == 3);
  }

  TEST_CASE("names the nearest, a lone continuation, or nothing") {
    const std::vector<std::string> words{"status", "sync", "show", "validate"};
    CHECK(suggestion("statsu", words) == "status");
    CHECK(suggestion("valid", words) == "validate");
    CHECK(suggestion("s", words).empty());
    CHECK(suggestion("install", words).empty());
    CHECK(suggestion(std::string(100'000, 's'), words).empty());
  }
}
