#include "daemon_http_world.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

HttpRequest version(HttpRequest request, const std::string& name) {
  request.set("MCP-Protocol-Version", name);
  return request;
}

// A session of another revision than the newest.
std::string open_session(HttpClient& client, const HttpPlace& place, const std::string& version) {
  json hello = legacy_initialize();
  hello["params"]["protocolVersion"] = version;
  std::string session = client.call(http_legacy(place, {}, hello)).field("Mcp-Session-Id");
  json told = {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}};
  client.call(http_legacy(place, session, told));
  return session;
}

} // namespace

TEST_SUITE("http, legacy") {
  TEST_CASE("a session from initialize to DELETE") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string session = open_legacy_session(client, world.place);
    HttpAnswer ping = client.call(http_legacy(world.place, session, legacy_message(1, "ping")));
    CHECK(ping.status == 200);
    CHECK(ping.message()["result"] == json::object());
    CHECK(client.call(http_delete(world.place, session)).status == 204);
    CHECK(client.call(http_legacy(world.place, session, legacy_message(2, "ping"))).status == 404);
    CHECK(client.call(http_get(world.place, session)).status == 404);
    CHECK(client.call(http_delete(world.place, session)).status == 404);
  }

  TEST_CASE("what names no session, or no version of ours") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string session = open_legacy_session(client, world.place);
    HttpRequest list = http_legacy(world.place, session, legacy_message(1, "tools/list"));
    CHECK(client.call(HttpRequest(list).without("Mcp-Session-Id")).status == 400);
    CHECK(client.call(HttpRequest(list).set("Mcp-Session-Id", "other")).status == 404);
    CHECK(client.call(version(list, "2024-99-99")).status == 400);
    CHECK(client.call(HttpRequest(list).without("MCP-Protocol-Version")).status == 200);
    CHECK(client.call(version(list, "2025-06-18")).status == 200);
    CHECK(client.call(http_get(world.place, session).without("Mcp-Session-Id")).status == 400);
    CHECK(client.call(version(http_get(world.place, session), "x")).status == 400);
    json bad = legacy_message(1, "initialize", json::object());
    HttpAnswer failed = client.call(http_legacy(world.place, {}, bad));
    CHECK(failed.status == 200);
    CHECK(failed.message()["error"]["code"] == -32602);
    CHECK(failed.field("Mcp-Session-Id").empty());
  }

  TEST_CASE("errors of a session are answers like any other") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string session = open_legacy_session(client, world.place);
    HttpAnswer unknown =
        client.call(http_legacy(world.place, session, legacy_message(1, "no/such")));
    CHECK(unknown.status == 200);
    CHECK(unknown.message()["error"]["code"] == -32601);
  }

  TEST_CASE("each request is answered on its own connection") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string session = open_legacy_session(client, world.place);
    HttpClient one(world.place);
    HttpClient two(world.place);
    auto begin = std::chrono::steady_clock::now();
    one.send(world.legacy(session, "hold", 1).text());
    two.send(world.legacy(session, "steps", 2).text());
    CHECK(world.holds(2));
    HttpAnswer quick = client.call(world.legacy(session, "hello", 3));
    CHECK(quick.message()["id"] == 3);
    world.release();
    HttpAnswer first = one.receive();
    // A stream only where the machine was so slow that the server showed that it is there.
    bool is_late = std::chrono::steady_clock::now() - begin >= std::chrono::seconds(5);
    CHECK((is_late || !first.is_stream()));
    CHECK(first.messages().size() == 1);
    CHECK(first.message()["id"] == 1);
    HttpAnswer second = two.receive();
    CHECK(second.is_stream());
    CHECK(second.messages().size() == 2);
    CHECK(second.message()["id"] == 2);
  }

  TEST_CASE("a question goes out on the stream of its call, and its answer comes by another POST") {
    HttpWorld world;
    HttpClient client(world.place);
    HttpAnswer hello = client.call(
        http_legacy(world.place, {}, legacy_initialize({{"elicitation", json::object()}})));
    std::string session = hello.field("Mcp-Session-Id");
    HttpClient asked(world.place);
    asked.send(world.legacy(session, "ask", 7).text());
    REQUIRE(asked.receive_head().is_stream());
    json question = asked.event();
    CHECK(question["method"] == "elicitation/create");
    json accept = {{"action", "accept"}, {"content", {{"name", "Ada"}}}};
    json said = {{"jsonrpc", "2.0"}, {"id", question["id"]}, {"result", accept}};
    SUBCASE("answered") {
      HttpAnswer taken = client.call(http_legacy(world.place, session, said));
      CHECK(taken.status == 202);
      CHECK(taken.body.empty());
      json answer = asked.event();
      CHECK(answer["id"] == 7);
      CHECK(answer["result"]["structuredContent"]["text"] == "answered");
    }
    SUBCASE("refused by an error") {
      said.erase("result");
      said["error"] = {{"code", -1}, {"message", "no"}};
      CHECK(client.call(http_legacy(world.place, session, said)).status == 202);
      CHECK(asked.event()["id"] == 7);
    }
    CHECK_FALSE(asked.next_event());
  }

  TEST_CASE("a call that is cancelled ends its POST as a stream without events") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string session = open_legacy_session(client, world.place);
    HttpClient caller(world.place);
    caller.send(world.legacy(session, "hold", 4).text());
    CHECK(world.holds(1));
    json cancel = {
        {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 4}}}};
    CHECK(client.call(http_legacy(world.place, session, cancel)).status == 202);
    CHECK(world.holds(0));
    HttpAnswer nothing = caller.receive();
    CHECK(nothing.status == 200); // 202 is for notifications and responses
    CHECK(nothing.is_stream());
    CHECK(nothing.body.empty());
    CHECK(caller.call(world.legacy(session, "hello", 5)).message()["id"] == 5);
  }

  TEST_CASE("what waits for an answer of the client is bounded in bytes, blanks not counted") {
    HttpWorld world;
    HttpClient client(world.place);
    HttpAnswer hello = client.call(
        http_legacy(world.place, {}, legacy_initialize({{"elicitation", json::object()}})));
    std::string session = hello.field("Mcp-Session-Id");
    std::vector<HttpClient> asked;
    auto ask = [&](int id, const std::string& arguments) -> HttpClient& {
      HttpRequest request = world.legacy(session, "ask", id);
      std::size_t at = request.body.find("\"arguments\":{}");
      REQUIRE(at != std::string::npos);
      request.body.replace(at, 14, "\"arguments\":" + arguments);
      asked.emplace_back(world.place);
      asked.back().send(request.text());
      return asked.back();
    };
    for (int id = 1; id <= 4; ++id) {
      HttpClient& caller = ask(id, "{" + std::string(15u << 20, ' ') + "}");
      REQUIRE(caller.receive_head().is_stream());
    }
    std::string text = R"({"text":")" + std::string(15u << 20, 'x') + "\"}";
    for (int id = 5; id <= 6; ++id) {
      REQUIRE(ask(id, text).receive_head().is_stream());
    }
    HttpAnswer refused = ask(7, text).receive();
    CHECK(refused.status == 200);
    CHECK(refused.message()["error"]["code"] == -31001);
    json cancel = {
        {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 5}}}};
    CHECK(client.call(http_legacy(world.place, session, cancel)).status == 202);
    CHECK(ask(8, text).receive_head().is_stream());
  }

  TEST_CASE("a connection that ends cancels nothing, and the stream is resumed once") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string session = open_legacy_session(client, world.place);
    std::string id;
    {
      HttpClient caller(world.place);
      caller.send(world.legacy(session, "steps", 4).text());
      REQUIRE(caller.receive_head().is_stream());
      CHECK(caller.event()["method"] == "notifications/progress");
      id = caller.last_event_id();
    }
    CHECK(client.call(world.legacy(session, "hello", 5)).status == 200);
    CHECK(world.holds(1));
    HttpClient resumed(world.place);
    resumed.send(http_get(world.place, session).set("Last-Event-ID", id).text());
    REQUIRE(resumed.receive_head().is_stream());
    HttpClient again(world.place);
    again.send(http_get(world.place, session).set("Last-Event-ID", id).text());
    REQUIRE(again.receive_head().is_stream());
    CHECK_FALSE(resumed.next_event()); // one stream is on one connection
    world.release();
    CHECK(again.event()["id"] == 4);
    CHECK_FALSE(again.next_event());
    // It is kept for a while.
    HttpAnswer replayed = client.call(http_get(world.place, session).set("Last-Event-ID", id));
    CHECK(replayed.message()["id"] == 4);
  }

  TEST_CASE("a stream that the server lets go of begins with what to resume after") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string session = open_legacy_session(client, world.place);
    HttpAnswer cut = client.call(world.legacy(session, "late", 4));
    CHECK(cut.is_stream());
    CHECK(cut.messages().empty());
    std::string stream = cut.body;
    std::optional<HttpEvent> priming = take_event(stream);
    REQUIRE(priming);
    REQUIRE(priming->id);
    CHECK(priming->data.empty());
    CHECK(cut.body.find("retry: ") != std::string::npos);
    CHECK(world.holds(1));
    world.release();
    CHECK(world.holds(0));
    HttpAnswer rest =
        client.call(http_get(world.place, session).set("Last-Event-ID", *priming->id));
    CHECK(rest.message()["id"] == 4);
    // Revisions that do not know this wait.
    std::string older = open_session(client, world.place, "2025-06-18");
    CHECK_FALSE(client.call(version(world.legacy(older, "late", 5), "2025-06-18")).is_stream());
  }

  TEST_CASE("change notices go to one GET stream, and wait for one that broke") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string session = open_legacy_session(client, world.place);
    auto change = [&] {
      world.on_thread([](http::HttpServer& server) { server.tell({mcp::Change::tool_list}); });
    };
    change(); // to nobody
    HttpClient one(world.place);
    one.send(http_get(world.place, session).text());
    REQUIRE(one.receive_head().is_stream());
    change();
    CHECK(one.event()["method"] == "notifications/tools/list_changed");
    std::string id = one.last_event_id();
    one.close();
    client.call(http_legacy(world.place, session, legacy_message(9, "ping")));
    change();
    HttpClient two(world.place);
    two.send(http_get(world.place, session).set("Last-Event-ID", id).text());
    REQUIRE(two.receive_head().is_stream());
    CHECK(two.event()["method"] == "notifications/tools/list_changed");
    HttpClient three(world.place);
    three.send(http_get(world.place, session).text());
    REQUIRE(three.receive_head().is_stream());
    change();
    CHECK(three.event()["method"] == "notifications/tools/list_changed");
    CHECK(client.call(http_delete(world.place, session)).status == 204);
    CHECK_FALSE(two.next_event());
    CHECK_FALSE(three.next_event());
  }

  TEST_CASE("a batch is answered as one, by the revision that has them") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string session = open_session(client, world.place, "2025-03-26");
    json batch = json::array({legacy_message(1, "ping"),
                              legacy_message(2, "tools/call", tool_params("hello")),
                              {{"jsonrpc", "2.0"}, {"method", "notifications/x"}}});
    HttpRequest request = http_legacy(world.place, session, batch).without("MCP-Protocol-Version");
    HttpAnswer answer = client.call(request);
    CHECK(answer.status == 200);
    REQUIRE(answer.message().is_array());
    CHECK(answer.message().size() == 2);
    json only_told = json::array({batch[2]});
    CHECK(client.call(http_legacy(world.place, session, only_told).without("MCP-Protocol-Version"))
              .status
          == 202);
  }

  TEST_CASE("the longest unused session makes room for the 257th") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string first = open_legacy_session(client, world.place);
    std::string second = open_legacy_session(client, world.place);
    HttpClient listener(world.place);
    listener.send(http_get(world.place, first).text());
    REQUIRE(listener.receive_head().is_stream());
    for (std::size_t i = 0; i < k_max_http_sessions; ++i) {
      open_legacy_session(client, world.place);
    }
    auto ping = [&](const std::string& session) {
      return client.call(http_legacy(world.place, session, legacy_message(1, "ping"))).status;
    };
    CHECK(ping(first) == 200); // it is in use
    CHECK(ping(second) == 404);
  }

  TEST_CASE("a stop answers what is in flight where it was asked, and ends the streams") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string session = open_legacy_session(client, world.place);
    HttpClient one(world.place);
    HttpClient two(world.place);
    HttpClient listener(world.place);
    one.send(world.legacy(session, "hold", 1).text());
    two.send(world.legacy(session, "steps", 2).text());
    listener.send(http_get(world.place, session).text());
    REQUIRE(listener.receive_head().is_stream());
    CHECK(world.holds(2));
    world.stop();
    json first = one.receive().message();
    CHECK(first["id"] == 1);
    CHECK(first["error"]["code"] == -32603);
    json second = two.receive().message();
    CHECK(second["id"] == 2);
    CHECK(second["error"]["code"] == -32603);
    CHECK_FALSE(listener.next_event());
    CHECK(world.left() == 0);
  }
}
