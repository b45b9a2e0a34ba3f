#include "tests/support/daemon_facts.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <csignal>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

struct World {
  World()
      : daemon(home.path(), with_http())
      , place(http_place(home.path()))
      , person(daemon.socket()) {
    // What the first call costs for good.
    HttpClient first(place);
    first.call(echo("first"));
    ask(person, "status");
    open = open_descriptors(daemon.pid()) - 1; // without `first`, which is there still
    first.close();
    REQUIRE(becomes_true([&] { return open_descriptors(daemon.pid()) <= open; }));
  }

  HttpRequest modern_tool(const std::string& tool, const json& arguments) const {
    json params = tool_params(tool, arguments);
    params["_meta"]["progressToken"] = "token";
    return http_modern(place, modern_message(0, "tools/call", params));
  }

  HttpRequest
  legacy_tool(const std::string& session, const std::string& tool, const json& arguments) const {
    json params = tool_params(tool, arguments);
    params["_meta"]["progressToken"] = "token";
    return http_legacy(place, session, legacy_message(1, "tools/call", params));
  }

  HttpRequest echo(const std::string& text) const {
    return modern_tool("test_echo", {{"text", text}});
  }

  void check_served() {
    HttpClient other(place);
    CHECK(text_of(other.call(echo("served")).message()) == "served");
  }

  bool holds(std::int64_t calls) {
    return becomes_true([&] { return counter(person, "test.held") == calls; });
  }

  bool is_as_before() {
    return becomes_true([&] { return open_descriptors(daemon.pid()) <= open; });
  }

  void release() { ask(person, "test_release"); }

  TemporaryFolder home;
  DaemonProcess daemon;
  HttpPlace place;
  Client person;
  std::size_t open = 0; // descriptors of a daemon with one person and nobody else
};

} // namespace

TEST_SUITE("http left behind") {
  TEST_CASE("a modern call ends with its connection") {
    World world;
    std::vector<HttpClient> clients;
    for (int i = 0; i < 30; ++i) {
      clients.emplace_back(world.place);
      clients.back().send(world.modern_tool("test_hold", {{"text", "x"}}).text());
    }
    REQUIRE(world.holds(30));
    SUBCASE("closed") {}
    SUBCASE("broken") {
      for (HttpClient& client : clients) {
        client.reset();
      }
    }
    SUBCASE("half closed, which is no different") {
      for (HttpClient& client : clients) {
        client.shut_down_sending();
      }
      REQUIRE(world.holds(0));
    }
    clients.clear();
    CHECK(world.holds(0));
    CHECK(counter(world.person, "test.cut_off") == 30);
    CHECK(world.is_as_before());
    world.check_served();
  }

  TEST_CASE("a legacy call goes on, and its answer waits for whoever resumes the stream") {
    bool is_broken = false;
    bool is_early = false;
    SUBCASE("closed, and resumed before the end") {
      is_early = true;
    }
    SUBCASE("closed, and resumed after the end") {}
    SUBCASE("broken, and resumed before the end") {
      is_broken = true;
      is_early = true;
    }
    SUBCASE("broken, and resumed after the end") {
      is_broken = true;
    }
    World world;
    HttpClient hello(world.place);
    std::string session = open_legacy_session(hello, world.place);
    std::string other_session = open_legacy_session(hello, world.place);
    hello.close();
    HttpClient client(world.place);
    client.send(world.legacy_tool(session, "test_hold", {{"text", "held"}}).text());
    REQUIRE(client.receive_head().is_stream());
    CHECK(client.event()["method"] == "notifications/progress");
    std::string last_event = client.last_event_id();
    REQUIRE(!last_event.empty());
    if (is_broken) {
      client.reset();
    } else {
      client.close();
    }
    CHECK(world.is_as_before());
    CHECK(counter(world.person, "test.held") == 1);
    CHECK(counter(world.person, "test.cut_off") == 0);
    if (!is_early) {
      world.release();
      REQUIRE(world.holds(0));
    }
    // Another session gets nothing by the same id: it is none of its own, so a stream of changes.
    HttpClient thief(world.place);
    thief.send(http_get(world.place, other_session).set("Last-Event-ID", last_event).text());
    HttpAnswer stolen = thief.receive_head();
    CHECK(stolen.status == 200);
    REQUIRE(stolen.is_stream());
    HttpClient resumed(world.place);
    resumed.send(http_get(world.place, session).set("Last-Event-ID", last_event).text());
    REQUIRE(resumed.receive_head().is_stream());
    if (is_early) {
      world.release();
    }
    json answer = resumed.event();
    CHECK(answer["id"] == 1);
    CHECK(text_of(answer) == "held");
    CHECK_FALSE(resumed.next_event());
    CHECK(resumed.call(http_delete(world.place, other_session)).status == 204);
    CHECK_FALSE(thief.next_event());
  }

  TEST_CASE("a session that is deleted takes its calls and streams along") {
    World world;
    HttpClient hello(world.place);
    std::string session = open_legacy_session(hello, world.place);
    HttpClient caller(world.place);
    caller.send(world.legacy_tool(session, "test_hold", {{"text", "x"}}).text());
    HttpClient listener(world.place);
    listener.send(http_get(world.place, session).text());
    REQUIRE(listener.receive_head().status == 200);
    REQUIRE(world.holds(1));
    CHECK(hello.call(http_delete(world.place, session)).status < 300);
    CHECK(world.holds(0));
    CHECK_FALSE(listener.next_event());
    CHECK(hello.call(http_legacy(world.place, session, legacy_message(1, "ping"))).status == 404);
    CHECK(hello.call(http_get(world.place, session)).status == 404);
    CHECK(hello.call(http_delete(world.place, session)).status == 404);
    hello.close();
    caller.close();
    listener.close();
    CHECK(world.is_as_before());
  }

  TEST_CASE("requests that are broken off leave nothing") {
    World world;
    std::string whole = world.echo("x").text();
    std::int64_t echoed = counter(world.person, "test.echoed");
    for (std::size_t length = 0; length < whole.size(); length += 7) {
      HttpClient client(world.place);
      client.send(whole.substr(0, length));
      if (length % 3 == 0) {
        client.shut_down_sending();
        CHECK_FALSE(client.receive_or_end());
      } else if (length % 3 == 1) {
        client.reset();
      }
    }
    CHECK(world.is_as_before());
    CHECK(counter(world.person, "test.echoed") == echoed);
    world.check_served();
  }

  TEST_CASE("who never reads a large answer holds up nobody, and leaves nothing") {
    World world;
    std::vector<HttpClient> greedy;
    for (int i = 0; i < 3; ++i) {
      greedy.emplace_back(world.place, 4096);
      greedy.back().send(
          world.modern_tool("skill_read", {{"skill", "s"}, {"limit", 8'000'000}}).text());
      REQUIRE(becomes_true([&] { return greedy.back().has_something(); }));
      world.check_served();
    }
    CHECK(ask(world.person, "status")["pid"] == world.daemon.pid());
    SUBCASE("closed") {
      greedy.clear();
    }
    SUBCASE("broken") {
      for (HttpClient& client : greedy) {
        client.reset();
      }
    }
    SUBCASE("read at last") {
      for (HttpClient& client : greedy) {
        CHECK(client.receive().body.size() > 8'000'000);
      }
      greedy.clear();
    }
    CHECK(world.is_as_before());
    if (!is_sanitized()) {
      CHECK(rss_bytes(world.person) < 128 << 20);
    }
  }

  TEST_CASE("an answer beyond what may wait for a client ends that client alone") {
    World world;
    HttpClient greedy(world.place, 4096);
    greedy.send(world.modern_tool("skill_read", {{"skill", "s"}, {"limit", 100'000'000}}).text());
    world.check_served();
    CHECK(becomes_true([&] { return counter(world.person, "clients_dropped") == 1; }));
    CHECK(greedy.ends()); // not a byte of it was sent
    greedy.close();
    CHECK(world.is_as_before());
    world.check_served();
  }

  TEST_CASE("abandoned sessions are forgotten for new ones, and hold no descriptor") {
    World world;
    std::set<std::string> ids;
    std::string last;
    for (int i = 0; i < 600; ++i) {
      HttpClient client(world.place);
      HttpAnswer hello = client.call(http_legacy(world.place, {}, legacy_initialize()));
      REQUIRE(hello.status == 200);
      last = hello.field("Mcp-Session-Id");
      REQUIRE(last.size() >= 32);
      CHECK(ids.insert(last).second);
    }
    CHECK(world.is_as_before());
    HttpClient client(world.place);
    CHECK(client.call(http_legacy(world.place, last, legacy_message(1, "ping"))).status == 200);
    if (!is_sanitized()) {
      CHECK(rss_bytes(world.person) < 64 << 20);
    }
  }

  TEST_CASE("a session in use outlives 600 that are not") {
    World world;
    HttpClient client(world.place);
    std::string session = open_legacy_session(client, world.place);
    HttpClient caller(world.place);
    caller.send(world.legacy_tool(session, "test_hold", {{"text", "kept"}}).text());
    REQUIRE(world.holds(1));
    for (int i = 0; i < 600; ++i) {
      REQUIRE(client.call(http_legacy(world.place, {}, legacy_initialize())).status == 200);
    }
    world.release();
    CHECK(text_of(caller.receive().message()) == "kept");
    CHECK(client.call(http_legacy(world.place, session, legacy_message(1, "ping"))).status == 200);
  }

  TEST_CASE("it stops in time with all of that open, and says so to whoever waits") {
    World world;
    std::vector<HttpClient> clients;
    auto add = [&](std::string_view bytes, int buffer = 0) -> HttpClient& {
      clients.emplace_back(world.place, buffer);
      clients.back().offer_now(bytes);
      return clients.back();
    };
    std::string whole = world.echo("x").text();
    HttpClient hello(world.place);
    HttpClient waiting(world.place);
    HttpClient listening(world.place);
    HttpClient streaming(world.place);
    std::string session = open_legacy_session(hello, world.place);
    waiting.send(world.modern_tool("test_hold", {{"text", "x"}}).text());
    listening.send(
        http_modern(world.place,
                    modern_message(9,
                                   "subscriptions/listen",
                                   {{"notifications", {{"resourcesListChanged", true}}}}))
            .text());
    REQUIRE(listening.receive_head().is_stream());
    CHECK(listening.event()["method"] == "notifications/subscriptions/acknowledged");
    streaming.send(http_get(world.place, session).text());
    REQUIRE(streaming.receive_head().is_stream());
    HttpClient legacy(world.place);
    legacy.send(world.legacy_tool(session, "test_hold", {{"text", "x"}}).text());
    REQUIRE(world.holds(2));
    for (int i = 0; i < 15; ++i) {
      add("");
      add(whole.substr(0, 40));
      add(whole.substr(0, whole.size() - 5));
      add(whole).shut_down_sending();
    }
    for (int i = 0; i < 5; ++i) {
      add(world.modern_tool("skill_read", {{"skill", "s"}, {"limit", 8'000'000}}).text(), 4096);
    }
    for (int i = 0; i < 200; ++i) {
      HttpClient abandoned(world.place);
      abandoned.call(http_legacy(world.place, {}, legacy_initialize()));
    }
    world.daemon.signal(SIGTERM);
    CHECK(world.daemon.wait_end(k_stop_limit) == 0);
    // A call is told that it failed, a subscription that it is over.
    json failed = waiting.receive().message();
    CHECK(failed["id"] == 0);
    CHECK(failed["error"]["code"] == -32603);
    CHECK(legacy.receive().message().value("/error/code"_json_pointer, 0) == -32603);
    json last = listening.event();
    CHECK(last["id"] == 9);
    CHECK(last["result"]["resultType"] == "complete");
    CHECK_FALSE(listening.next_event()); // the answer ends its stream
    CHECK_FALSE(streaming.next_event());
  }
}
