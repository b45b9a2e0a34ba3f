#include "tests/support/daemon_facts.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <poll.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

constexpr std::size_t k_mebibyte = 1u << 20;

struct World {
  World()
      : daemon(home.path(), with_http())
      , place(http_place(home.path()))
      , person(daemon.socket()) {}

  HttpRequest echo(const std::string& text = "x", int id = 1) const {
    return http_modern(
        place, modern_message(id, "tools/call", tool_params("test_echo", {{"text", text}})));
  }

  // That it goes on serving others.
  void check_served() {
    HttpClient other(place);
    CHECK(text_of(other.call(echo("served")).message()) == "served");
    CHECK(ask(person, "status")["pid"] == daemon.pid());
  }

  // How often a tool was called, this asking left out.
  std::int64_t echoed() { return counter(person, "test.echoed"); }

  TemporaryFolder home;
  DaemonProcess daemon;
  HttpPlace place;
  Client person;
};

// The head of a good call, up to its length.
std::string head_of(HttpRequest request) {
  std::string body = std::exchange(request.body, {});
  request.set("Content-Length", "PLACE");
  std::string text = request.text();
  return text.substr(0, text.find("Content-Length: PLACE"));
}

// A chunk of a body.
std::string chunk(std::string_view bytes) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::string size;
  for (std::size_t left = bytes.size(); size.empty() || left != 0; left /= 16) {
    size.insert(size.begin(), k_digits[left % 16]);
  }
  return size + "\r\n" + std::string(bytes) + "\r\n";
}

// What a client meets that sends these bytes and then reads: an error, or the end.
void check_refused(World& world, std::string_view bytes) {
  std::int64_t before = world.echoed();
  HttpClient client(world.place);
  client.offer(bytes); // it may be closed before all of them are taken
  client.shut_down_sending();
  if (std::optional<HttpAnswer> answer = client.receive_or_end()) {
    CHECK(answer->status >= 400);
    CHECK(answer->status < 500);
    CHECK_FALSE(client.receive_or_end());
  }
  CHECK(world.echoed() == before);
}

} // namespace

TEST_SUITE("http limits") {
  TEST_CASE("a head over the limit is refused, however it is made up") {
    World world;
    HttpRequest call = world.echo();
    std::string large(100'000, 'a');
    std::vector<HttpRequest> requests;
    requests.push_back(HttpRequest(call).set("X-Large", large));
    requests.push_back(HttpRequest(call).set(large, "x"));
    HttpRequest many = call;
    for (int i = 0; i < 10'000; ++i) {
      many.fields.push_back({"X-" + std::to_string(i), "1"});
    }
    requests.push_back(many);
    HttpRequest path = call;
    path.target = "/" + large;
    requests.push_back(path);
    HttpRequest method = call;
    method.method = large;
    requests.push_back(method);
    for (const HttpRequest& request : requests) {
      std::int64_t before = world.echoed();
      HttpClient client(world.place);
      client.offer(request.text());
      std::optional<HttpAnswer> answer = client.receive_or_end();
      REQUIRE(answer);
      CHECK((answer->status == 431 || answer->status == 400 || answer->status == 414));
      CHECK_FALSE(client.receive_or_end());
      CHECK(world.echoed() == before);
    }
    world.check_served();
  }

  TEST_CASE("a head without an end is not kept") {
    World world;
    std::int64_t rss = rss_bytes(world.person);
    HttpClient client(world.place);
    std::string block(k_mebibyte, 'a');
    std::size_t taken = 0;
    client.send("GET /mcp HTTP/1.1\r\nX: ");
    while (taken < 64 && client.offer(block)) {
      ++taken;
    }
    CHECK(taken < 64); // it has hung up
    CHECK(rss_bytes(world.person) < rss + static_cast<std::int64_t>(32 * k_mebibyte));
    world.check_served();
  }

  TEST_CASE("what is not HTTP, or says two things at once, is refused") {
    World world;
    std::string head = head_of(world.echo());
    std::string body = world.echo().body;
    std::string length = std::to_string(body.size());
    std::vector<std::string> bad{
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(500, 'r'),
        std::string(1000, '\0'),
        std::string(1000, '\n'),
        "GET\r\n\r\n",
        "GET /mcp\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
        "POST /mcp HTTP/9.9\r\nHost: localhost\r\n\r\n",
        head + "Content-Length: " + length + "\r\nContent-Length: 1\r\n\r\n" + body,
        head + "Content-Length: " + length + ", 1\r\n\r\n" + body,
        head + "Content-Length: -1\r\n\r\n" + body,
        head + "Content-Length: +" + length + "\r\n\r\n" + body,
        head + "Content-Length: 0x10\r\n\r\n" + body,
        head + "Content-Length: 99999999999999999999999\r\n\r\n" + body,
        head + "Content-Length: \r\n\r\n" + body,
        head + "Content-Length: " + length + "\r\nTransfer-Encoding: chunked\r\n\r\n" + body,
        head + "Transfer-Encoding: chunked\r\nContent-Length: " + length + "\r\n\r\n" + body,
        head + "Transfer-Encoding: gzip\r\n\r\n" + body,
        head + "Transfer-Encoding: chunked, identity\r\n\r\n" + body,
        head + "Transfer-Encoding : chunked\r\n\r\n" + chunk(body) + "0\r\n\r\n",
        head + "Content-Length : " + length + "\r\n\r\n" + body,
        head + "X-Folded: a\r\n Content-Length: " + length + "\r\n\r\n" + body,
        head + "X: \x01\r\nContent-Length: " + length + "\r\n\r\n" + body,
        head + std::string("X: a\0b\r\n", 8) + "Content-Length: " + length + "\r\n\r\n" + body,
        head + "Content-Encoding: gzip\r\nContent-Length: " + length + "\r\n\r\n" + body,
        head + "\xff\xfe: 1\r\nContent-Length: " + length + "\r\n\r\n" + body,
        "\r\n\r\n\r\n" + std::string(100'000, '\r')};
    for (const std::string& bytes : bad) {
      CAPTURE(bytes.substr(0, 60));
      CAPTURE(bytes.substr(std::min(head.size(), bytes.size()), 80));
      check_refused(world, bytes);
    }
    world.check_served();
  }

  TEST_CASE("a body over 16 MiB is refused with 413, announced or not") {
    World world;
    std::int64_t before = world.echoed();
    SUBCASE("announced: before any of it is sent") {
      for (std::string length : {"16777217", "99999999999", "18446744073709551615"}) {
        CAPTURE(length);
        HttpClient client(world.place);
        client.send(head_of(world.echo()) + "Content-Length: " + length + "\r\n\r\n");
        CHECK(client.receive().status == 413);
      }
    }
    SUBCASE("announced, by who waits to be let in") {
      HttpClient client(world.place);
      client.send(head_of(world.echo())
                  + "Expect: 100-continue\r\nContent-Length: 16777217\r\n\r\n");
      CHECK(client.receive().status == 413);
    }
    SUBCASE("in chunks that never end") {
      HttpClient client(world.place);
      client.send(head_of(world.echo()) + "Transfer-Encoding: chunked\r\n\r\n");
      std::string piece = chunk(std::string(k_mebibyte, ' '));
      int sent = 0;
      while (sent < 64 && client.offer(piece)) {
        ++sent;
      }
      CHECK(sent < 64);
      if (!is_sanitized()) {
        CHECK(rss_bytes(world.person) < static_cast<std::int64_t>(128 * k_mebibyte));
      }
    }
    CHECK(world.echoed() == before);
    world.check_served();
  }

  TEST_CASE("a body of several MiB within the limit is served") {
    World world;
    HttpClient client(world.place);
    std::string text(4 * k_mebibyte, 't');
    CHECK(text_of(client.call(world.echo(text)).message()) == text);
    CHECK(text_of(client.call(world.echo("small")).message()) == "small");
  }

  TEST_CASE("who asks to be let in is, and then served") {
    World world;
    HttpClient client(world.place);
    std::string body = world.echo("patient").body;
    client.send(head_of(world.echo("patient")) + "Expect: 100-continue\r\nContent-Length: "
                + std::to_string(body.size()) + "\r\n\r\n");
    pollfd entry{client.fd(), POLLIN, 0};
    REQUIRE(::poll(&entry, 1, 30'000) == 1);
    client.send(body);
    CHECK(text_of(client.receive().message()) == "patient");
  }

  TEST_CASE("a length that lies is nobody's harm") {
    World world;
    std::string body = world.echo().body;
    SUBCASE("shorter: what is left over is no request") {
      std::int64_t before = world.echoed();
      HttpClient client(world.place);
      client.offer(head_of(world.echo()) + "Content-Length: " + std::to_string(body.size() - 10)
                   + "\r\n\r\n" + body);
      HttpAnswer first = client.receive();
      CHECK(first.status == 400);
      CHECK(first.message()["error"]["code"] == -32700);
      std::optional<HttpAnswer> second = client.receive_or_end();
      CHECK((!second || second->status == 400));
      CHECK(world.echoed() == before);
    }
    SUBCASE("longer: it is not done by half") {
      std::int64_t before = world.echoed();
      HttpClient client(world.place);
      client.send(head_of(world.echo()) + "Content-Length: " + std::to_string(body.size() + 10)
                  + "\r\n\r\n" + body);
      client.shut_down_sending();
      std::optional<HttpAnswer> answer = client.receive_or_end();
      CHECK((!answer || answer->status == 400));
      CHECK(world.echoed() == before);
    }
    world.check_served();
  }

  TEST_CASE("chunks that are bombs") {
    World world;
    std::string head = head_of(world.echo()) + "Transfer-Encoding: chunked\r\n\r\n";
    for (std::string bad : {std::string("FFFFFFFFFFFFFFFF\r\nx"),
                            std::string("FFFFFFFFFFFFFFFFFFFFFFFF\r\nx"),
                            std::string("7FFFFFFFFFFFFFFF\r\nx"),
                            std::string("-1\r\nx"),
                            std::string("0x10\r\n0123456789abcdef"),
                            std::string("zz\r\n"),
                            std::string("5 \r\nhello"),
                            std::string("5\nhello\n0\n\n"),
                            std::string("5\r\nhelloXX0\r\n\r\n"),
                            std::string("\r\n\r\n")}) {
      CAPTURE(bad);
      check_refused(world, head + bad);
    }
    world.check_served();
  }

  TEST_CASE("lines of chunks without an end are not kept") {
    World world;
    std::string head = head_of(world.echo()) + "Transfer-Encoding: chunked\r\n\r\n";
    std::int64_t rss = rss_bytes(world.person);
    std::string block(k_mebibyte, '0');
    std::string begin;
    SUBCASE("a size of zeros") {
      begin = "0";
    }
    SUBCASE("an extension") {
      begin = "5;name=";
    }
    SUBCASE("a trailer") {
      begin = "0\r\nX: ";
    }
    SUBCASE("many trailers") {
      begin = "0\r\n";
      block.clear();
      for (int i = 0; i < 100'000; ++i) {
        block += "X: 0123\r\n";
      }
    }
    HttpClient client(world.place);
    client.send(head + begin);
    std::size_t taken = 0;
    while (taken < 64 && client.offer(block)) {
      ++taken;
    }
    CHECK(taken < 64);
    CHECK(rss_bytes(world.person) < rss + static_cast<std::int64_t>(48 * k_mebibyte));
    world.check_served();
  }

  TEST_CASE("a body in the smallest chunks is put together") {
    World world;
    HttpClient client(world.place);
    std::string text(20'000, 'c');
    std::string bytes = head_of(world.echo(text)) + "Transfer-Encoding: chunked\r\n\r\n";
    for (char byte : world.echo(text).body) {
      bytes += chunk({&byte, 1});
    }
    client.send(bytes + "0\r\n\r\n");
    CHECK(text_of(client.receive().message()) == text);
    CHECK(text_of(client.call(world.echo("after")).message()) == "after");
  }

  TEST_CASE("requests that come at once are answered one after the other") {
    World world;
    HttpClient client(world.place);
    constexpr int k_requests = 300;
    std::string burst;
    for (int i = 0; i < k_requests; ++i) {
      burst += world.echo("number " + std::to_string(i), i).text();
    }
    client.send(burst);
    for (int i = 0; i < k_requests; ++i) {
      HttpAnswer answer = client.receive();
      REQUIRE(answer.status == 200);
      CHECK(answer.message()["id"] == i);
      CHECK(text_of(answer.message()) == "number " + std::to_string(i));
    }
  }

  TEST_CASE("requests of who does not read its answers are not taken without end") {
    World world;
    HttpClient greedy(world.place, 4096);
    std::string large(100'000, 'g');
    std::string request = world.echo(large).text();
    // Each offer is a part of the same endless row of requests.
    std::string row = request;
    std::size_t sent = 0;
    std::size_t refused_in_a_row = 0;
    while (refused_in_a_row < 50 && sent < 512 * k_mebibyte) {
      std::size_t at = sent % row.size();
      std::size_t taken = greedy.offer_now(std::string_view(row).substr(at));
      sent += taken;
      refused_in_a_row = taken == 0 ? refused_in_a_row + 1 : 0;
      if (taken == 0) {
        world.check_served(); // gives the daemon its turn
      }
    }
    CHECK(sent < 512 * k_mebibyte);
    if (!is_sanitized()) {
      CHECK(rss_bytes(world.person) < static_cast<std::int64_t>(128 * k_mebibyte));
    }
    world.check_served();
  }

  TEST_CASE("a body that is no message is answered with 400 and an error") {
    World world;
    HttpClient client(world.place);
    std::string deep_call = world.echo().body;
    deep_call.insert(deep_call.find("\"text\""),
                     "\"deep\":" + std::string(100'000, '[') + std::string(100'000, ']') + ",");

    struct Bad {
      std::string body;
      int code;
    };

    std::vector<Bad> all{{"", -32700},
                         {" ", -32700},
                         {"{", -32700},
                         {"{} {}", -32700},
                         {"\xFF\xFE", -32700},
                         {"{\"a\":\"\xC3\"}", -32700},
                         {"{\"a\":\"\xED\xA0\x80\"}", -32700},
                         {std::string("a\0b", 3), -32700},
                         {std::string("{\"a\":\"\0\"}", 9), -32700},
                         {std::string(1000, '\0'), -32700},
                         {"\"\\ud800\"", 0},
                         {"null", -32600},
                         {"1", -32600},
                         {"[]", -32600},
                         {"1e999999", 0},
                         {"{}", -32600},
                         {std::string(100'000, '['), -32600},
                         {std::string(100'000, '[') + std::string(100'000, ']'), -32600},
                         {deep_call, -32600},
                         {"[" + std::string(20'000, '1') + "]", 0}};
    for (const Bad& bad : all) {
      CAPTURE(bad.body.substr(0, 40));
      CAPTURE(bad.body.size());
      for (bool is_modern : {false, true}) {
        HttpRequest request = http_post(world.place, bad.body);
        if (is_modern) {
          request.set("MCP-Protocol-Version", "2026-07-28").set("Mcp-Method", "tools/call");
        }
        HttpAnswer answer = client.call(request);
        CHECK(answer.status == 400);
        json error = answer.message()["error"];
        CHECK(error.is_object());
        if (bad.code != 0 && error.is_object()) {
          CHECK(error["code"] == bad.code);
        }
      }
    }
    CHECK(world.echoed() == 0);
    world.check_served();
  }

  TEST_CASE("a batch of 10,000 is refused, and small ones belong to one revision") {
    World world;
    HttpClient client(world.place);
    json batch = json::array();
    for (int i = 0; i < 10'000; ++i) {
      batch.push_back(legacy_message(i, "tools/call", tool_params("test_echo")));
    }
    std::string session = open_legacy_session(client, world.place);
    HttpAnswer in_session = client.call(http_legacy(world.place, session, batch));
    CHECK(in_session.message().value("/error/code"_json_pointer, 0) == -32600);
    HttpAnswer outside = client.call(http_legacy(world.place, {}, batch));
    CHECK(outside.status == 400);
    HttpRequest modern = http_post(world.place, batch.dump());
    modern.set("MCP-Protocol-Version", "2026-07-28").set("Mcp-Method", "tools/call");
    CHECK(client.call(modern).status == 400);
    CHECK(world.echoed() == 0);
    world.check_served();
  }

  TEST_CASE("who sends slowly is not waited for, and holds up nobody") {
    World world;
    world.check_served();
    std::size_t before = open_descriptors(world.daemon.pid());
    std::vector<HttpClient> silent;
    std::vector<HttpClient> slow;
    constexpr std::size_t k_clients = 25; // fewer than strangers may be
    for (std::size_t i = 0; i < k_clients; ++i) {
      silent.emplace_back(world.place);
      slow.emplace_back(world.place);
    }
    // A byte now and then, each of them well formed.
    std::string_view head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ";
    std::size_t at = 0;
    auto is_over = [](const HttpClient& client) { return client.has_something(); };
    CHECK(becomes_true([&] {
      char byte = at < head.size() ? head[at] : 'a';
      ++at;
      for (HttpClient& client : slow) {
        client.offer_now({&byte, 1});
      }
      world.check_served();
      pollfd pause{silent.front().fd(), POLLIN, 0};
      ::poll(&pause, 1, 100);
      return std::ranges::all_of(silent, is_over) && std::ranges::all_of(slow, is_over);
    }));
    for (HttpClient& client : silent) {
      CHECK(client.ends());
    }
    slow.clear();
    CHECK(becomes_true([&] { return open_descriptors(world.daemon.pid()) <= before; }));
  }
}
