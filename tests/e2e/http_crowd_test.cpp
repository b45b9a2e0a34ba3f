#include "tests/support/daemon_facts.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

constexpr std::size_t k_streams = 1000;
constexpr std::int64_t k_mebibyte = 1 << 20;
constexpr std::string_view k_id_field = "/params/_meta/io.modelcontextprotocol~1subscriptionId";

HttpRequest listen_request(const HttpPlace& place) {
  return http_modern(place,
                     modern_message(0,
                                    "subscriptions/listen",
                                    {{"notifications", {{"resourcesListChanged", true}}}}));
}

HttpRequest echo_request(const HttpPlace& place, const std::string& text) {
  return http_modern(place,
                     modern_message(0, "tools/call", tool_params("test_echo", {{"text", text}})));
}

} // namespace

TEST_SUITE("http crowd") {
  TEST_CASE("1,000 idle streams hold up nobody, are all told, and leave nothing behind") {
    if (!can_open(2 * k_streams + 100)) {
      return;
    }
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), with_http());
    HttpPlace place = http_place(home.path());
    Client person(daemon.socket());
    HttpClient other(place);
    REQUIRE(text_of(other.call(echo_request(place, "before")).message()) == "before");
    std::int64_t rss_before = rss_bytes(person);
    std::size_t open_before = open_descriptors(daemon.pid());
    std::vector<HttpClient> streams;
    for (std::size_t i = 0; i < k_streams; ++i) {
      streams.emplace_back(place);
      streams.back().send(listen_request(place).text());
      HttpAnswer head = streams.back().receive_head();
      REQUIRE(head.status == 200);
      REQUIRE(head.is_stream());
      CHECK(head.field("X-Accel-Buffering") == "no");
      json first = streams.back().event();
      CHECK(first["method"] == "notifications/subscriptions/acknowledged");
      CHECK(first.value(json::json_pointer(std::string(k_id_field)), -1) == 0);
    }
    CHECK(open_descriptors(daemon.pid()) >= open_before + k_streams);
    CHECK(text_of(other.call(echo_request(place, "amid")).message()) == "amid");
    CHECK(ask(person, "status")["pid"] == daemon.pid());
    HttpClient next(place);
    CHECK(text_of(next.call(echo_request(place, "next")).message()) == "next");
    std::int64_t rss = rss_bytes(person) - rss_before;
    MESSAGE("KiB for each stream: ", rss / static_cast<std::int64_t>(k_streams) / 1024);
    CHECK(rss < (is_sanitized() ? 512 : 64) * k_mebibyte);

    change_list(person);
    for (HttpClient& stream : streams) {
      json event = stream.event();
      CHECK(event["method"] == "notifications/resources/list_changed");
      CHECK(event.value(json::json_pointer(std::string(k_id_field)), -1) == 0);
    }
    streams.clear();
    next.close();
    CHECK(becomes_true([&] { return open_descriptors(daemon.pid()) <= open_before; }));
    change_list(person); // to nobody
    CHECK(text_of(other.call(echo_request(place, "after")).message()) == "after");
    // A second crowd needs no more memory than the first.
    std::int64_t rss_after_one = rss_bytes(person);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < k_streams / 4; ++i) {
        streams.emplace_back(place);
        streams.back().send(listen_request(place).text());
        REQUIRE(streams.back().receive_head().status == 200);
      }
      streams.clear();
      CHECK(becomes_true([&] { return open_descriptors(daemon.pid()) <= open_before; }));
    }
    if (!is_sanitized()) {
      CHECK(rss_bytes(person) < rss_after_one + 16 * k_mebibyte);
    }
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_end(k_stop_limit) == 0);
  }

  TEST_CASE("one connection more than there may be is turned away, or takes an idle one's place") {
    if (!can_open(3000)) {
      return;
    }
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), with_http());
    HttpPlace place = http_place(home.path());
    std::vector<HttpClient> streams;
    std::optional<HttpAnswer> refused;
    for (std::size_t i = 0; i < 2000 && !refused; ++i) {
      streams.emplace_back(place);
      streams.back().offer(listen_request(place).text());
      HttpAnswer head = streams.back().receive_head();
      if (head.status != 200) {
        refused = head;
      }
    }
    REQUIRE(refused);
    CHECK(refused->status == 503);
    streams.pop_back();
    CHECK(streams.size() >= k_streams);
    // Those that are there go on.
    Client person(daemon.socket());
    change_list(person);
    for (HttpClient& stream : streams) {
      CHECK(stream.event()["method"] == "notifications/subscriptions/acknowledged");
      CHECK(stream.event()["method"] == "notifications/resources/list_changed");
    }
    streams.pop_back();
    CHECK(becomes_true([&] {
      HttpClient next(place);
      next.offer(echo_request(place, "next").text());
      std::optional<HttpAnswer> answer = next.receive_or_end();
      return answer && answer->status == 200;
    }));
  }

  TEST_CASE("strangers without a token cannot keep others out") {
    if (!can_open(3000)) {
      return;
    }
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), with_http());
    HttpPlace place = http_place(home.path());
    HttpClient known(place);
    REQUIRE(text_of(known.call(echo_request(place, "known")).message()) == "known");
    std::vector<HttpClient> strangers;
    for (std::size_t i = 0; i < 1500; ++i) {
      strangers.emplace_back(place);
      strangers.back().offer_now("POST /mcp HTTP/1.1\r\n");
      if (i % 100 == 0) {
        HttpClient next(place);
        CHECK(text_of(next.call(echo_request(place, "next")).message()) == "next");
        CHECK(text_of(known.call(echo_request(place, "known")).message()) == "known");
      }
    }
    auto ended = std::ranges::count_if(
        strangers, [](const HttpClient& stranger) { return stranger.has_something(); });
    CHECK(ended > 1000);
  }
}
