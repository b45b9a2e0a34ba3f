#include "daemon/request_states.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::daemon;

TEST_SUITE("RequestStates") {
  const RequestStates::Time k_now{std::chrono::hours(1000)};

  TEST_CASE("what was sealed is opened for the same call") {
    RequestStates states;
    for (const std::string& state : {std::string(),
                                     std::string("a"),
                                     std::string("with.dots.1"),
                                     std::string("\0\xFF{}", 4)}) {
      std::string sealed = states.seal(state, "call", k_now);
      Result<std::string> opened = states.open(sealed, "call", k_now + std::chrono::minutes(59));
      REQUIRE(opened);
      CHECK(*opened == state);
    }
  }

  TEST_CASE("every changed byte, and another call, is refused") {
    RequestStates states;
    std::string sealed = states.seal("step 2 of 3", "call", k_now);
    for (std::size_t i = 0; i < sealed.size(); ++i) {
      std::string forged = sealed;
      forged[i] = static_cast<char>(forged[i] ^ 1);
      CHECK(states.open(forged, "call", k_now).error().code == ErrorCode::refused);
      CHECK(states.open(sealed.substr(0, i), "call", k_now).error().code == ErrorCode::refused);
    }
    CHECK(states.open(sealed + "-TAMPERED", "call", k_now).error().code == ErrorCode::refused);
    CHECK(states.open(sealed, "another", k_now).error().code == ErrorCode::refused);
    CHECK(RequestStates().open(sealed, "call", k_now).error().code == ErrorCode::refused);
  }

  TEST_CASE("it ends after an hour, and the end cannot be moved") {
    RequestStates states;
    std::string sealed = states.seal("x", "call", k_now);
    CHECK(states.open(sealed, "call", k_now + std::chrono::minutes(61)).error().code
          == ErrorCode::timed_out);
    std::size_t dot = sealed.find('.');
    std::string later = sealed;
    later.insert(dot + 1, "9");
    CHECK(states.open(later, "call", k_now).error().code == ErrorCode::refused);
  }
}
