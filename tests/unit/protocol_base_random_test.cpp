#include "protocol/base/random.h"

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <set>
#include <vector>

using namespace upskill;

TEST_SUITE("random") {
  TEST_CASE("hexadecimal digits, two for each byte, each time others") {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
      std::string hex = random_hex(16);
      CHECK(hex.size() == 32);
      CHECK(hex.find_first_not_of("0123456789abcdef") == std::string::npos);
      CHECK(seen.insert(hex).second);
    }
    CHECK(random_hex(0).empty());
  }

  TEST_CASE("every digit comes at every place") {
    std::vector<std::set<char>> seen(16);
    for (int i = 0; i < 1000; ++i) {
      std::string hex = random_hex(8);
      for (std::size_t place = 0; place < seen.size(); ++place) {
        seen[place].insert(hex[place]);
      }
    }
    // Missing one by chance: 256 * (15/16)^1000, below 1e-25.
    CHECK(std::ranges::all_of(seen,
                              [](const std::set<char>& digits) { return digits.size() == 16; }));
  }

  TEST_CASE("signals do not leave the rest empty") {
    // Each ends a getrandom() early that is not done yet (no SA_RESTART).
    struct sigaction ignore {};

    struct sigaction before {};

    ignore.sa_handler = [](int) {};
    REQUIRE(::sigaction(SIGALRM, &ignore, &before) == 0);
    itimerval often{{0, 500}, {0, 500}};
    REQUIRE(::setitimer(ITIMER_REAL, &often, nullptr) == 0);
    std::vector<unsigned char> bytes(16u << 20);
    fill_random(bytes);
    itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before, nullptr);
    CHECK(std::any_of(bytes.end() - 16, bytes.end(), [](unsigned char byte) { return byte != 0; }));
  }
}
