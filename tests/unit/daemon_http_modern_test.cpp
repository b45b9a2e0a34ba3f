#include "daemon_http_world.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <set>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

TEST_SUITE("http, modern") {
  TEST_CASE("a call is answered as one document, on one connection after the other") {
    HttpWorld world;
    HttpClient client(world.place);
    for (int id = 0; id < 3; ++id) {
      HttpAnswer answer = client.call(world.modern("hello", id));
      CHECK(answer.status == 200);
      CHECK_FALSE(answer.is_stream());
      CHECK(answer.field("Mcp-Session-Id").empty());
      CHECK(answer.message()["id"] == id);
      CHECK(answer.message()["result"]["resultType"] == "complete");
    }
  }

  TEST_CASE("a connection is a client, and so is a session, on whatever connections") {
    HttpWorld world;
    HttpClient first(world.place);
    HttpClient second(world.place);
    first.call(world.modern("hello"));
    second.call(world.modern("hello"));
    first.call(world.modern("hello"));
    std::string session = open_legacy_session(first, world.place);
    first.call(world.legacy(session, "hello", 2));
    second.call(world.legacy(session, "hello", 3));
    std::vector<std::uint64_t> clients = world.clients();
    REQUIRE(clients.size() == 5);
    CHECK(clients[0] == clients[2]);
    CHECK(clients[3] == clients[4]);
    CHECK(std::set<std::uint64_t>(clients.begin(), clients.end()).size() == 3);
    CHECK_FALSE(std::ranges::count(clients, 0)); // the daemon's own
  }

  TEST_CASE("the status follows from the error") {
    HttpWorld world;
    HttpClient client(world.place);
    auto call = [&](const HttpRequest& request) {
      HttpAnswer answer = client.call(request);
      return std::pair(answer.status, answer.message()["error"].value("code", 0));
    };
    CHECK(call(http_modern(world.place, modern_message(1, "ping"))) == std::pair(404, -32601));
    CHECK(call(world.modern("nothing")) == std::pair(200, -32602));
    CHECK(call(world.modern("hello").set("Mcp-Name", "other")) == std::pair(400, -32020));
    CHECK(call(world.modern("ask")) == std::pair(400, -32021));
    HttpRequest newer = world.modern("hello").set("MCP-Protocol-Version", "v9");
    newer.body.replace(newer.body.find("2026-07-28"), 10, "v9");
    CHECK(call(newer) == std::pair(400, -32022));
    CHECK(call(http_post(world.place, "{")) == std::pair(400, -32700));
    json told = {{"jsonrpc", "2.0"}, {"method", "notifications/x"}};
    HttpRequest note =
        http_post(world.place, told.dump()).set("MCP-Protocol-Version", "2026-07-28");
    HttpAnswer accepted = client.call(note);
    CHECK(accepted.status == 202);
    CHECK(accepted.body.empty());
  }

  TEST_CASE("a body of unknown length is not taken") {
    HttpWorld world;
    std::string request = world.modern("hello").text();
    std::size_t length = request.find("Content-Length");
    REQUIRE(length != std::string::npos);
    request.erase(length, request.find("\r\n", length) + 2 - length);
    HttpClient client(world.place);
    client.send(request);
    CHECK(client.receive().status == 411);
    CHECK(client.ends());
  }

  TEST_CASE("GET and DELETE are of the other era") {
    HttpWorld world;
    HttpClient client(world.place);
    for (const char* method : {"GET", "DELETE"}) {
      HttpRequest request = http_get(world.place, "x").set("MCP-Protocol-Version", "2026-07-28");
      request.method = method;
      HttpAnswer answer = client.call(request);
      CHECK(answer.status == 405);
      CHECK(answer.field("Allow") == "POST");
    }
  }

  TEST_CASE("a message over several lines is one") {
    HttpWorld world;
    HttpClient client(world.place);
    HttpRequest request = world.modern("hello");
    request.body = json::parse(request.body).dump(2) + "\r\n";
    CHECK(client.call(request).message()["id"] == 1);
  }

  TEST_CASE("progress makes a stream, which the answer ends") {
    HttpWorld world;
    HttpClient client(world.place);
    client.send(world.modern("steps").text());
    HttpAnswer head = client.receive_head();
    CHECK(head.status == 200);
    CHECK(head.is_stream());
    CHECK(head.field("X-Accel-Buffering") == "no");
    CHECK(head.field("Cache-Control").find("no-cache") != std::string::npos);
    CHECK(client.event()["method"] == "notifications/progress");
    CHECK(client.last_event_id().empty()); // nothing to resume
    world.release();
    CHECK(client.event()["id"] == 1);
    CHECK_FALSE(client.next_event());
    CHECK(client.call(world.modern("hello", 2)).message()["id"] == 2);
  }

  TEST_CASE("the end of the connection cancels") {
    HttpWorld world;
    HttpClient other(world.place);
    {
      HttpClient one(world.place);
      HttpClient two(world.place);
      one.send(world.modern("hold").text());
      two.send(world.modern("steps").text());
      CHECK(world.holds(2));
    }
    CHECK(world.holds(0));
    CHECK(other.call(world.modern("hello")).status == 200);
    world.stop();
    CHECK(world.left() == 0);
  }

  TEST_CASE("a subscription is acknowledged at once, told, and ended by the server") {
    HttpWorld world;
    HttpClient client(world.place);
    json filter = {{"notifications", {{"toolsListChanged", true}}}};
    client.send(http_modern(world.place, modern_message(5, "subscriptions/listen", filter)).text());
    REQUIRE(client.receive_head().is_stream());
    CHECK(client.event()["method"] == "notifications/subscriptions/acknowledged");
    world.on_thread([](http::HttpServer& server) { server.tell({mcp::Change::prompt_list}); });
    world.on_thread([](http::HttpServer& server) { server.tell({mcp::Change::tool_list}); });
    json event = client.event();
    CHECK(event["method"] == "notifications/tools/list_changed");
    CHECK(event["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 5);
    HttpClient other(world.place);
    json message = modern_message(0, "subscriptions/listen", filter);
    message["id"] = "\",\"result\":";
    other.send(http_modern(world.place, message).text());
    REQUIRE(other.receive_head().is_stream());
    REQUIRE(other.next_event());
    world.stop();
    CHECK(client.event()["id"] == 5);
    CHECK_FALSE(client.next_event()); // the answer ends the stream: no notifications/cancelled
    CHECK(other.event()["id"] == message["id"]);
    CHECK_FALSE(other.next_event());
    CHECK(world.left() == 0);
  }

  TEST_CASE("32 clients that all use the same ids get their own answers") {
    HttpWorld world;
    std::vector<HttpClient> clients;
    for (int i = 0; i < 32; ++i) {
      clients.emplace_back(world.place);
      clients.back().send(world.modern(i % 2 == 0 ? "steps" : "hold", 0).text());
    }
    CHECK(world.holds(32));
    world.release();
    for (std::size_t i = 0; i < clients.size(); ++i) {
      HttpAnswer answer = clients[i].receive();
      CHECK(answer.message()["id"] == 0);
      CHECK(answer.messages().size() == (i % 2 == 0 ? 2 : 1));
      CHECK(answer.message()["result"]["structuredContent"]["text"]
            == (i % 2 == 0 ? "steps" : "hold"));
    }
  }

  TEST_CASE("a stop answers what is in flight with an error") {
    HttpWorld world;
    HttpClient holding(world.place);
    HttpClient streaming(world.place);
    HttpClient idle(world.place);
    holding.send(world.modern("hold").text());
    streaming.send(world.modern("steps").text());
    CHECK(world.holds(2));
    world.stop();
    CHECK(holding.receive().message()["error"]["code"] == -32603);
    CHECK(streaming.receive().message()["error"]["code"] == -32603);
    CHECK_FALSE(idle.receive_or_end());
    CHECK(world.left() == 0);
    CHECK(::access((world.places.run() + "/http.json").c_str(), F_OK) != 0);
  }

  TEST_CASE("without a token, where that was asked for") {
    HttpWorld world(false);
    CHECK(world.place.token.empty());
    HttpClient client(world.place);
    CHECK(client.call(world.modern("hello").without("Authorization")).status == 200);
    HttpClient elsewhere(world.place);
    CHECK(elsewhere.call(world.modern("hello").set("Host", "evil.com")).status == 403);
  }
}
