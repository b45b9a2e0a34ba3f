#include "daemon/proxy/proxy.h"
#include "protocol/base/unique_fd.h"
#include "tests/unit/daemon_models_server.h"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>

#include <cstdlib>
#include <filesystem>
#include <optional>

using namespace models_test;
using namespace upskill::proxy;

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string asking(const std::string& token,
                   const std::string& target = "/v1/messages",
                   const std::string& body = R"({"messages":[]})",
                   const std::string& more = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: " + token + "\r\n" + more
         + "content-type: application/json\r\ncontent-length: " + std::to_string(body.size())
         + "\r\n\r\n" + body;
}

// What the other side says until it ends.
template <class Socket> asio::awaitable<std::string> all_of(Socket& socket, std::string request) {
  auto token = asio::as_tuple(asio::use_awaitable);
  co_await asio::async_write(socket, asio::buffer(request), token);
  std::string said;
  co_await asio::async_read(socket, asio::dynamic_buffer(said), token);
  co_return said;
}

asio::awaitable<std::string> say(std::uint16_t port, std::string request) {
  tcp::socket socket(co_await asio::this_coro::executor);
  tcp::endpoint there(asio::ip::address_v4::loopback(), port);
  co_await socket.async_connect(there, asio::use_awaitable);
  AWAIT(std::string said, all_of(socket, std::move(request)));
  co_return said;
}

const std::string k_stream =
    R"(data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":10,"output_tokens":1}}})"
    "\n\n"
    R"(data: {"type":"message_delta","delta":{},"usage":{"output_tokens":42}})"
    "\n\ndata: {\"type\":\"message_stop\"}\n\n";

ProxyOptions options_for(World& world, const std::string& path = "") {
  ProxyOptions options;
  options.upstream = {"http://" + world.server.where() + path, "sk-real"};
  options.environment = with({});
  return options;
}

// Runs what is asked of one proxy.
using Body = std::function<asio::awaitable<void>(World&, Proxy&)>;

asio::awaitable<void> proxied(World* world, ProxyOptions options, Body body) {
  Result<std::unique_ptr<Proxy>> proxy =
      Proxy::listen(world->io.get_executor(), world->http, std::move(options));
  REQUIRE(proxy);
  AWAIT_DONE(body(*world, **proxy));
  AWAIT_DONE((*proxy)->stop());
}

void run(World& world, ProxyOptions options, Body body) {
  world.run([&](World& here) { return proxied(&here, std::move(options), std::move(body)); });
}

} // namespace

TEST_SUITE("Proxy") {
  TEST_CASE("a stream goes through, with the real key in place of the token") {
    World world;
    world.server.replies.push_back(
        reply("200 OK", k_stream, "content-type: text/event-stream\r\nset-cookie: a=b\r\n"));
    ProxyOptions options = options_for(world);
    options.skills = {{"s", "A description that is long enough.", ""}};
    run(world, std::move(options), [](World& here, Proxy& proxy) -> asio::awaitable<void> {
      std::string body = R"({"system":"A description that is long enough.","stream":true})";
      std::string request =
          asking(proxy.token(), "/v1/messages?beta=true", body, "anthropic-beta: x\r\n");
      AWAIT(std::string said, say(proxy.port(), std::move(request)));
      CHECK(said.starts_with("HTTP/1.1 200 OK\r\n"));
      CHECK(has(said, "content-type: text/event-stream\r\n"));
      CHECK_FALSE(has(said, "set-cookie"));
      CHECK(has(said, "message_stop"));
      CHECK(said.ends_with("0\r\n\r\n"));
      CHECK_FALSE(has(said, "sk-real"));
      const std::string& seen = here.server.requests.at(0);
      CHECK(seen.starts_with("POST /v1/messages?beta=true HTTP/1.1\r\n"));
      CHECK(has(seen, "x-api-key: sk-real\r\n"));
      CHECK(has(seen, "anthropic-beta: x\r\n"));
      CHECK(seen.ends_with(body));
      CHECK_FALSE(has(seen, proxy.token()));
      const Measured& measured = proxy.measured();
      CHECK(measured.requests == 1);
      CHECK(measured.failed == 0);
      CHECK(measured.usage.input == 10);
      CHECK(measured.usage.output == 42);
      CHECK(measured.cost == 0.0); // this machine's
      CHECK(measured.models == std::vector<std::string>{"m"});
      CHECK(measured.described == std::set<std::string>{"s"});
    });
  }

  TEST_CASE("who has no token, and what is no model, reaches nobody") {
    World world;
    run(world, options_for(world, "/v1"), [](World& here, Proxy& proxy) -> asio::awaitable<void> {
      const std::string none = "wrong";
      std::vector<std::pair<std::string, std::string>> refused{
          {asking(none), "HTTP/1.1 401"},
          {"POST /v1/messages HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 401"},
          {asking(proxy.token(), "/v1/files"), "HTTP/1.1 404"},
          {asking(proxy.token(), "/v2/messages"), "HTTP/1.1 404"}, // not below the base URL
          {asking(proxy.token(), "http://127.0.0.1:1/v1/messages"), "HTTP/1.1 404"},
          {asking(proxy.token(), "/v1/../messages"), "HTTP/1.1 404"},
          {asking(proxy.token(), "/v1/messages", "", "content-length: 5\r\n"), "HTTP/1.1 400"},
          {"CONNECT evil.example:443 HTTP/1.1\r\nhost: e\r\nx-api-key: " + proxy.token()
               + "\r\n\r\n",
           "HTTP/1.1 404"},
          {"garbage\r\n\r\n", "HTTP/1.1 400"}};
      for (auto& [request, status] : refused) {
        AWAIT(std::string said, say(proxy.port(), request));
        CAPTURE(request);
        CHECK(said.substr(0, status.size()) == status);
        CHECK_FALSE(has(said, "sk-real"));
      }
      CHECK(here.server.requests.empty());
      CHECK(proxy.measured().requests == 0);
      CHECK(proxy.measured().refused == refused.size());
    });
  }

  TEST_CASE("redirects are not followed, errors go through, and cut ends are seen") {
    World world;
    world.server.replies.push_back(reply("307 Elsewhere", "", "location: http://127.0.0.1:1/\r\n"));
    world.server.replies.push_back(
        reply("529 Overloaded", R"({"type":"error"})", "retry-after: 3\r\n"));
    world.server.replies.push_back(
        {"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n" + k_stream.substr(0, 100)});
    world.server.replies.push_back({""}); // it hangs up
    run(world, options_for(world), [](World&, Proxy& proxy) -> asio::awaitable<void> {
      const std::string request = asking(proxy.token());
      AWAIT(std::string redirected, say(proxy.port(), request));
      CHECK(redirected.starts_with("HTTP/1.1 307"));
      AWAIT(std::string overloaded, say(proxy.port(), request));
      CHECK(overloaded.starts_with("HTTP/1.1 529"));
      CHECK(has(overloaded, "retry-after: 3\r\n"));
      AWAIT(std::string cut, say(proxy.port(), request));
      CHECK(cut.starts_with("HTTP/1.1 200"));
      CHECK_FALSE(cut.ends_with("0\r\n\r\n"));
      AWAIT(std::string gone, say(proxy.port(), request));
      CHECK(gone.starts_with("HTTP/1.1 502"));
      CHECK(proxy.measured().requests == 4);
      CHECK(proxy.measured().failed == 4);
      CHECK_FALSE(proxy.measured().usage.input);
    });
  }

  TEST_CASE("requests, answers and their number have bounds") {
    World world;
    world.server.replies.push_back(reply("200 OK", std::string(5000, 'x')));
    world.server.replies.push_back(reply("200 OK", k_stream));
    ProxyOptions options = options_for(world);
    options.limits.request = 1000;
    options.limits.answer = 4000;
    options.limits.requests = 2;
    run(world, std::move(options), [](World& here, Proxy& proxy) -> asio::awaitable<void> {
      std::string large = asking(proxy.token(), "/v1/messages", std::string(1001, 'x'));
      AWAIT(std::string refused, say(proxy.port(), std::move(large)));
      CHECK(refused.starts_with("HTTP/1.1 413"));
      std::string endless = "POST /v1/messages HTTP/1.1\r\nhost: h\r\nx-api-key: " + proxy.token()
                            + "\r\ntransfer-encoding: chunked\r\n\r\n800\r\n"
                            + std::string(2048, 'x');
      AWAIT(std::string chunked, say(proxy.port(), std::move(endless)));
      CHECK(chunked.starts_with("HTTP/1.1 413"));
      CHECK(here.server.requests.empty());
      const std::string request = asking(proxy.token());
      AWAIT(std::string cut, say(proxy.port(), request));
      CHECK_FALSE(cut.ends_with("0\r\n\r\n"));
      AWAIT(std::string whole, say(proxy.port(), request));
      CHECK(whole.ends_with("0\r\n\r\n"));
      AWAIT(std::string third, say(proxy.port(), request));
      CHECK(third.starts_with("HTTP/1.1 403"));
      CHECK(here.server.requests.size() == 2);
    });
  }

  TEST_CASE("an agent that is silent keeps nobody") {
    World world;
    ProxyOptions options = options_for(world);
    options.limits.read = std::chrono::milliseconds(50);
    run(world, std::move(options), [](World&, Proxy& proxy) -> asio::awaitable<void> {
      AWAIT(std::string silent, say(proxy.port(), "POST /v1/mess"));
      CHECK(silent.empty());
      CHECK(proxy.measured() == Measured{});
    });
  }

  // Before or behind the first byte of the answer.
  TEST_CASE("who hangs up is not answered any more, and nobody knows what it took") {
    for (const char* begun : {"", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbegin"}) {
      CAPTURE(begun);
      World world;
      Reply whole = reply("200 OK", k_stream);
      Reply hanging = reply("200 OK", "");
      hanging.bytes = begun;
      hanging.is_hanging = true;
      world.server.replies = {whole, hanging, hanging};
      run(world, options_for(world), [](World& here, Proxy& proxy) -> asio::awaitable<void> {
        const std::string request = asking(proxy.token());
        AWAIT(std::string said, say(proxy.port(), request));
        CHECK(said.ends_with("0\r\n\r\n"));
        CHECK(proxy.measured().usage.input);
        for (std::size_t count : {2U, 3U}) {
          tcp::socket socket(here.io);
          tcp::endpoint there(asio::ip::address_v4::loopback(), proxy.port());
          co_await socket.async_connect(there, asio::use_awaitable);
          co_await asio::async_write(socket, asio::buffer(request), asio::use_awaitable);
          AWAIT_DONE(here.server.until([&] { return here.server.requests.size() == count; }));
          if (count == 2) {
            socket.close();
            AWAIT_DONE(here.server.until([&] { return here.server.hung_up == 1; }));
          } else { // stop() ends what is under way
            AWAIT_DONE(proxy.stop());
            AWAIT_DONE(here.server.until([&] { return here.server.hung_up == 2; }));
          }
          CHECK(proxy.measured().requests == count);
          CHECK(proxy.measured().failed == count - 1);
          CHECK_FALSE(proxy.measured().usage.input);
        }
      });
    }
  }

  TEST_CASE("at a Unix socket") {
    char folder[] = "/tmp/proxy-test-XXXXXX";
    REQUIRE(::mkdtemp(folder) != nullptr);
    World world;
    world.server.replies.push_back(reply("200 OK", k_stream));
    ProxyOptions options = options_for(world);
    options.socket = std::string(folder) + "/socket";
    std::string path = options.socket;
    run(world, std::move(options), [path](World& here, Proxy& proxy) -> asio::awaitable<void> {
      CHECK(proxy.port() == 0);
      asio::local::stream_protocol::socket socket(here.io);
      asio::local::stream_protocol::endpoint there(path);
      co_await socket.async_connect(there, asio::use_awaitable);
      AWAIT(std::string said, all_of(socket, asking(proxy.token())));
      CHECK(said.starts_with("HTTP/1.1 200"));
    });
    std::filesystem::remove_all(folder);
    Result<std::unique_ptr<Proxy>> none =
        Proxy::listen(world.io.get_executor(), world.http, {.upstream = {"nonsense", ""}});
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::invalid_argument);
  }
}
