#include "protocol/rpc/peer.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <type_traits>

using Peer = upskill::rpc::Peer<int>;
using Reply = upskill::rpc::Reply<int>;

// Who holds a reply is the only one who can answer.
static_assert(!std::is_copy_constructible_v<Reply>);
static_assert(!std::is_default_constructible_v<Reply>);
static_assert(std::is_nothrow_move_constructible_v<Reply>);

TEST_SUITE("Peer") {
  TEST_CASE("a call is answered once") {
    Peer peer;
    auto call = peer.begin("1", "", 42);
    REQUIRE(call);
    auto reply = peer.finish(*call);
    REQUIRE(reply);
    CHECK(reply->id() == "1");
    CHECK(reply->note() == 42);
    CHECK_FALSE(peer.finish(*call));
    CHECK(peer.in_flight() == 0);
  }

  TEST_CASE("an id in flight is taken, its type included, and free afterwards") {
    Peer peer;
    auto first = peer.begin("1", "", 0);
    CHECK(peer.begin("1", "", 0).error() == Peer::Refusal::duplicate);
    CHECK(peer.begin("\"1\"", "", 0));
    peer.finish(*first);
    CHECK(peer.begin("1", "", 0));
  }

  TEST_CASE("a call id is never used again") {
    Peer peer;
    std::set<Peer::CallId> seen;
    for (int i = 0; i < 1000; ++i) {
      auto call = peer.begin("7", "", 0);
      REQUIRE(call);
      CHECK(seen.insert(*call).second);
      peer.finish(*call);
      CHECK_FALSE(peer.finish(*call));
    }
  }

  TEST_CASE("the 257th call is refused until one ends") {
    Peer peer;
    Peer::CallId some = 0;
    for (int i = 0; i < 256; ++i) {
      auto call = peer.begin(std::to_string(i), "", i);
      REQUIRE(call);
      some = *call;
    }
    CHECK(peer.begin("x", "", 0).error() == Peer::Refusal::busy);
    peer.finish(some);
    CHECK(peer.begin("x", "", 0));
  }

  TEST_CASE("a cancelled call cannot be answered") {
    Peer peer;
    auto call = peer.begin("\"a\"", "", 0);
    CHECK_FALSE(peer.cancel("a"));
    auto cancelled = peer.cancel("\"a\"");
    REQUIRE(cancelled);
    CHECK(cancelled->first == *call);
    CHECK_FALSE(peer.finish(*call));
    CHECK_FALSE(peer.cancel("\"a\""));
  }

  TEST_CASE("progress only grows, and only for those who asked") {
    Peer peer;
    auto asked = peer.begin("1", "\"token\"", 0);
    auto silent = peer.begin("2", "", 0);
    CHECK(peer.advance(*asked, 0) == "\"token\"");
    CHECK(peer.advance(*asked, 2) == "\"token\"");
    CHECK_FALSE(peer.advance(*asked, 2));
    CHECK_FALSE(peer.advance(*asked, 1));
    CHECK_FALSE(peer.advance(*asked, std::numeric_limits<double>::quiet_NaN()));
    CHECK_FALSE(peer.advance(*silent, 1));
    peer.finish(*asked);
    CHECK_FALSE(peer.advance(*asked, 3));
  }
}
