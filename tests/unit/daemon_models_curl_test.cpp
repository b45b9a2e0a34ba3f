#include "daemon/runtime/timers.h"
#include "tests/unit/daemon_models_server.h"

using namespace models_test;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void>
perform(World* world, HttpRequest request, Result<HttpResponse>* into, std::string* body) {
  request.on_body = [body](std::string_view bytes) -> Result<void> {
    *body += bytes;
    return {};
  };
  AWAIT(*into, world->http.perform(std::move(request)));
}

struct Heard {
  Result<HttpResponse> response;
  std::string body;
};

Heard hear(World& world, HttpRequest request) {
  Heard heard;
  world.run([&](World& here) {
    return perform(&here, std::move(request), &heard.response, &heard.body);
  });
  return heard;
}

asio::awaitable<void> cut_short(World* world) {
  runtime::TaskGroup group(world->io.get_executor(), [](std::exception_ptr) { FAIL("threw"); });
  Result<HttpResponse> response;
  std::string body;
  HttpRequest request{.url = world->server.url()};
  group.start(perform(world, std::move(request), &response, &body));
  auto has_begun = [&body] { return !body.empty(); };
  while (!has_begun()) {
    AWAIT_DONE(runtime::wait_for(1ms));
  }
  CHECK(world->http.running() == 1);
  CHECK_FALSE(world->http.rest());
  group.cancel_all();
  AWAIT_DONE(group.join());
  auto has_hung_up = [world] { return world->server.hung_up == 1; };
  AWAIT_DONE(world->server.until(has_hung_up));
}

asio::awaitable<void> several(World* world) {
  runtime::TaskGroup group(world->io.get_executor(), [](std::exception_ptr) { FAIL("threw"); });
  std::vector<Heard> heard(8);
  for (Heard& one : heard) {
    HttpRequest request{.url = world->server.url()};
    group.start(perform(world, std::move(request), &one.response, &one.body));
  }
  AWAIT_DONE(group.join());
  for (Heard& one : heard) {
    REQUIRE(one.response);
    CHECK(one.body == "same");
  }
}

} // namespace

TEST_SUITE("Http") {
  TEST_CASE("a request, its headers and body, and the answer") {
    World world;
    world.server.replies = {reply("201 Made", "hello", "X-Thing:  a b \r\n")};
    Heard heard = hear(world,
                       {.url = world.server.url("/x?y"),
                        .headers = {{"x-api-key", "k"}},
                        .body = std::string("a\0b", 3)});
    REQUIRE_MESSAGE(heard.response.has_value(),
                    (heard.response ? "" : heard.response.error().message));
    CHECK(heard.response->status == 201);
    CHECK(header(heard.response->headers, "x-thing") == "a b");
    CHECK(heard.body == "hello");
    const std::string& request = world.server.requests.at(0);
    CHECK(request.starts_with("POST /x?y HTTP/1.1\r\n"));
    CHECK(request.find("x-api-key: k\r\n") != std::string::npos);
    CHECK(request.ends_with(std::string("\r\n\r\na\0b", 7)));
  }

  TEST_CASE("it unloads, and loads again") {
    for (int i = 0; i < 3; ++i) {
      World world;
      CHECK_FALSE(world.http.is_loaded());
      world.server.replies = {reply("200 OK", "x")};
      CHECK(hear(world, {.method = "GET", .url = world.server.url()}).body == "x");
      CHECK_FALSE(world.http.is_loaded());
      CHECK(world.server.requests.at(0).starts_with("GET /v1 "));
    }
  }

  TEST_CASE("several at the same time") {
    World world;
    world.server.replies = std::deque<Reply>(8, reply("200 OK", "same"));
    world.run([](World& here) { return several(&here); });
  }

  TEST_CASE("a redirect is not followed, and a key goes nowhere else") {
    World world;
    world.server.replies = {
        reply("302 Found", "", "location: " + world.server.url("/other") + "\r\n")};
    CHECK(hear(world, {.url = world.server.url(), .headers = {{"x-api-key", "k"}}}).response->status
          == 302);
    CHECK(world.server.requests.size() == 1);
  }

  TEST_CASE("nobody there") {
    World world;
    int port = 0;
    {
      Server gone(world.io);
      port = gone.port();
      world.run([&](World&) { return gone.stop(); });
    }
    Heard heard = hear(world, {.url = "http://u:secret@127.0.0.1:" + std::to_string(port)});
    REQUIRE_FALSE(heard.response);
    CHECK(heard.response.error().code == ErrorCode::unavailable);
    CHECK(heard.response.error().message
          == "`127.0.0.1:" + std::to_string(port) + "` takes no connections");
  }

  TEST_CASE("cut off before and within the answer") {
    World before;
    before.server.replies = {{""}};
    CHECK(hear(before, {.url = before.server.url()}).response.error().code
          == ErrorCode::unavailable);
    World within;
    within.server.replies = {{"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"}};
    Heard heard = hear(within, {.url = within.server.url()});
    CHECK(heard.body == "half");
    CHECK(heard.response.error().message == "`" + within.server.where() + "` cut the connection");
  }

  TEST_CASE("deadlines of the first byte, of silence, and of all") {
    World first;
    first.server.replies = {{"HTTP/1.1 200 OK\r\n\r\n", true}};
    Heard heard = hear(first, {.url = first.server.url(), .deadlines = {.first_byte = 20ms}});
    CHECK(heard.response.error().code == ErrorCode::timed_out);
    CHECK(heard.response.error().message
          == "`" + first.server.where() + "` did not begin to answer within 0.02 s");
    World idle;
    idle.server.replies = {{"HTTP/1.1 200 OK\r\n\r\nx", true}};
    heard = hear(idle, {.url = idle.server.url(), .deadlines = {.idle = 20ms}});
    CHECK(heard.response.error().message
          == "`" + idle.server.where() + "` was silent for 0.02 s within its answer");
    World total;
    total.server.replies = {{"HTTP/1.1 200 OK\r\n\r\nx", true}};
    heard = hear(total, {.url = total.server.url(), .deadlines = {.total = 30ms}});
    CHECK(heard.response.error().message
          == "`" + total.server.where() + "` took longer than 0.03 s");
  }

  TEST_CASE("a body is bounded, unpacked too") {
    World plain;
    plain.server.replies = {reply("200 OK", std::string(100, 'x'))};
    Heard heard = hear(plain, {.url = plain.server.url(), .longest_body = 99});
    CHECK(heard.response.error().code == ErrorCode::too_large);
    // 4096 zero bytes by gzip -9n.
    const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                    0xed, 0xc1, 0x01, 0x0d, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xf7,
                                    0x4f, 0x6d, 0x0f, 0x07, 0x14, 0x00, 0x00, 0x00, 0xf0, 0x6e,
                                    0x11, 0x00, 0x1c, 0xc7, 0x00, 0x10, 0x00, 0x00};
    std::string bytes(reinterpret_cast<const char*>(packed), sizeof packed);
    World small;
    small.server.replies = {reply("200 OK", bytes, "content-encoding: gzip\r\n")};
    heard = hear(small, {.url = small.server.url(), .longest_body = 1000});
    REQUIRE_FALSE(heard.response);
    CHECK(heard.response.error().code == ErrorCode::too_large);
  }

  TEST_CASE("a cancellation ends the exchange") {
    World world;
    world.server.replies = {{"HTTP/1.1 200 OK\r\n\r\nx", true}};
    world.run([](World& here) { return cut_short(&here); });
  }

  TEST_CASE("proxies are the call's, and never for this machine") {
    World world;
    world.server.replies = {reply("200 OK", "by proxy")};
    Environment proxied = with({{"http_proxy", world.server.url("")}});
    Heard heard = hear(world, {.url = "http://models.invalid/v1", .environment = proxied});
    CHECK(heard.body == "by proxy");
    CHECK(world.server.requests.at(0).starts_with("POST http://models.invalid/v1 "));
    World here;
    here.server.replies = {reply("200 OK", "direct")};
    heard = hear(
        here,
        {.url = here.server.url(), .environment = with({{"all_proxy", "http://127.0.0.1:1"}})});
    CHECK(heard.body == "direct");
  }

  TEST_CASE("only http and https") {
    World world;
    CHECK_FALSE(hear(world, {.url = "file:///etc/passwd"}).response);
  }
}
