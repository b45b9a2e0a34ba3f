#include "daemon/models/sse.h"

#include <doctest/doctest.h>

#include <vector>

using namespace upskill;
using namespace upskill::models;

namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

struct Reading {
  SseParser parser{1000};
  Events events;

  Result<void> take(std::string_view bytes) {
    return parser.take(bytes, [this](const SseEvent& event) {
      events.emplace_back(std::string(event.name), std::string(event.data));
    });
  }
};

const std::string k_stream =
    "\xEF\xBB\xBF: a comment\r\n\r\nevent: one\r\ndata: a\r\ndata:b\r\n\r\n"
    "id: 7\nretry: 5\ndata\n\nevent: no data\n\ndata: {\"x\": 1}\r\r"
    "unknown: field\rdata:  two spaces\n\ndata: cut off\n";
const Events k_events{{"one", "a\nb"}, {"", ""}, {"", "{\"x\": 1}"}, {"", " two spaces"}};

} // namespace

TEST_SUITE("SseParser") {
  TEST_CASE("a stream may be split at every byte") {
    for (std::size_t at = 0; at <= k_stream.size(); ++at) {
      CAPTURE(at);
      Reading reading;
      REQUIRE(reading.take(std::string_view(k_stream).substr(0, at)));
      REQUIRE(reading.take(std::string_view(k_stream).substr(at)));
      CHECK(reading.events == k_events);
    }
    Reading bytes;
    for (char c : k_stream) {
      REQUIRE(bytes.take(std::string_view(&c, 1)));
    }
    CHECK(bytes.events == k_events);
  }

  TEST_CASE("an event is bounded, in one line or in many") {
    Reading line;
    REQUIRE(line.take("data: " + std::string(900, 'x')));
    CHECK(line.take(std::string(100, 'x')).error().code == ErrorCode::too_large);
    Reading lines;
    Result<void> taken;
    for (int i = 0; i < 11 && taken; ++i) {
      taken = lines.take("data: " + std::string(94, 'x') + "\n");
    }
    CHECK_FALSE(taken);
  }
}
