#include "daemon_http_world.h"
#include "tests/support/daemon_process.h"

#include <doctest/doctest.h>

#include <poll.h>

using namespace upskill;
using namespace upskill::tests;

namespace {

constexpr auto k_short = std::chrono::milliseconds(100); // for what nobody keeps
constexpr auto k_fair = std::chrono::seconds(2);         // for what a good client must keep

// Limits that nobody reaches, so that a test shortens only the one that it is about.
http::ConnectionLimits patient() {
  constexpr auto k_hour = std::chrono::hours(1);
  return {k_hour, k_hour, k_hour, k_hour};
}

// Sends a byte now and then until the server says something: that must be the end.
bool dribbles_until_closed(HttpClient& client) {
  bool has_something = becomes_true([&] {
    client.offer_now("a");
    pollfd pause{client.fd(), POLLIN, 0};
    return ::poll(&pause, 1, 10) > 0;
  });
  return has_something && client.ends();
}

} // namespace

TEST_SUITE("http, limits of time") {
  TEST_CASE("a head must be whole in time, whatever trickles in") {
    http::ConnectionLimits limits = patient();
    limits.head = k_short;
    HttpWorld world(true, limits);
    HttpClient silent(world.place);
    HttpClient slow(world.place);
    slow.send("POST /mcp HTTP/1.1\r\nX-Slow: ");
    CHECK(dribbles_until_closed(slow));
    CHECK(silent.ends());
  }

  TEST_CASE("a body must be whole in time, whatever trickles in") {
    http::ConnectionLimits limits = patient();
    limits.body = k_short;
    HttpWorld world(true, limits);
    HttpClient announced(world.place);
    HttpRequest request = http_post(world.place, "").set("Content-Length", "1000000");
    announced.send(request.text());
    HttpClient chunked(world.place);
    request = http_post(world.place, "").set("Transfer-Encoding", "chunked");
    chunked.send(request.text() + "fffff\r\n");
    CHECK(dribbles_until_closed(announced));
    CHECK(dribbles_until_closed(chunked));
  }

  TEST_CASE("the second request on a connection has a limit of its own") {
    http::ConnectionLimits limits = patient();
    limits.head = k_fair; // it counts from the beginning, and the first request must get through
    HttpWorld world(true, limits);
    HttpClient client(world.place);
    CHECK(client.call(world.modern("hello")).status == 200);
    client.send("POST /mcp HTTP/1.1\r\nX-Slow: ");
    CHECK(dribbles_until_closed(client));
  }

  TEST_CASE("a connection without a request ends, one with a call that takes long does not") {
    http::ConnectionLimits limits = patient();
    limits.idle = k_short;
    HttpWorld world(true, limits);
    HttpClient busy(world.place);
    busy.send(world.modern("hold").text());
    CHECK(world.holds(1));
    HttpClient idle(world.place);
    CHECK(idle.call(world.modern("hello")).status == 200);
    CHECK(idle.ends());
    world.release();
    CHECK(busy.receive().message()["result"]["resultType"] == "complete");
  }

  TEST_CASE("who reads nothing is dropped") {
    http::ConnectionLimits limits = patient();
    limits.write = k_short;
    HttpWorld world(true, limits);
    HttpClient client(world.place, 4096);
    REQUIRE(becomes_true([&] { return world.size() == 1; }));
    std::string request = world.modern("hello").text();
    std::size_t sent = 0; // of an endless row of requests
    CHECK(becomes_true([&] {
      sent += client.offer_now(std::string_view(request).substr(sent % request.size()));
      return world.counter("clients_dropped") == 1;
    }));
    CHECK(becomes_true([&] { return world.size() == 0; }));
  }
}
