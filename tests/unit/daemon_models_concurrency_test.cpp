#include "daemon/models/concurrency.h"

#include <doctest/doctest.h>

using namespace upskill::models;
using namespace std::chrono_literals;

namespace {

constexpr Concurrency::Time k_begin{1h};

void fill(Concurrency& one) {
  while (one.may_begin()) {
    one.begin();
  }
}

} // namespace

TEST_SUITE("Concurrency") {
  TEST_CASE("it grows by one for each limit's worth of answers, to the most") {
    Concurrency one;
    fill(one);
    CHECK(one.running() == 20);
    for (int i = 0; i < 21; ++i) {
      one.answered(k_begin);
    }
    CHECK(one.limit() == 21);
    for (int i = 0; i < 100'000; ++i) {
      fill(one);
      one.answered(k_begin);
    }
    CHECK(one.limit() == 100);
  }

  TEST_CASE("an episode of 429 shrinks it once, and pauses growth") {
    Concurrency one;
    fill(one);
    for (int i = 0; i < 20; ++i) {
      one.limited(k_begin, 0s);
    }
    CHECK(one.limit() == 16);
    CHECK_FALSE(one.may_begin());
    for (int i = 0; i < 100; ++i) {
      one.answered(k_begin + 14s);
    }
    CHECK(one.limit() == 16);
    one.answered(k_begin + 15s);
    for (int i = 0; i < 20; ++i) {
      one.answered(k_begin + 16s);
    }
    CHECK(one.limit() == 17);
    for (int i = 0; i < 10; ++i) {
      one.limited(k_begin + 60s * (i + 1), 30s);
    }
    CHECK(one.limit() == 10);
  }

  TEST_CASE("a server's own troubles stop growth and shrink nothing") {
    Concurrency one;
    fill(one);
    one.troubled(k_begin);
    for (int i = 0; i < 100; ++i) {
      one.answered(k_begin + 1s);
    }
    CHECK(one.limit() == 20);
  }

  TEST_CASE("what is not used does not grow") {
    Concurrency one;
    one.begin();
    for (int i = 0; i < 100; ++i) {
      one.answered(k_begin);
    }
    CHECK(one.limit() == 20);
  }
}
