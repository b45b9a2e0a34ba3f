#include "daemon/models/failure.h"
#include "daemon/models/retry.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::models;
using namespace std::chrono_literals;

namespace {

Failure said(int status, std::string_view body, const Headers& headers = {}) {
  return failure_of(read_server_error(status, body), headers, 0, "h:1", "m");
}

std::string limit(const std::string& code) {
  return R"({"error":{"message":"no","type":"t","code":")" + code + R"("}})";
}

} // namespace

TEST_SUITE("failure_of") {
  TEST_CASE("what is tried again, and what is not") {
    struct Row {
      int status;
      std::string body;
      ErrorCode code;
      bool may_retry;
    };

    for (const Row& row : {Row{400, "", ErrorCode::invalid_argument, false},
                           Row{401, "", ErrorCode::permission, false},
                           Row{402, "", ErrorCode::refused, false},
                           Row{403, "", ErrorCode::permission, false},
                           Row{404, "", ErrorCode::not_found, false},
                           Row{408, "", ErrorCode::timed_out, true},
                           Row{413, "", ErrorCode::too_large, false},
                           Row{429, limit("rate_limit_exceeded"), ErrorCode::busy, true},
                           Row{429, limit("insufficient_quota"), ErrorCode::refused, false},
                           Row{500, "", ErrorCode::unavailable, true},
                           Row{503, "loading", ErrorCode::unavailable, true},
                           Row{529, "", ErrorCode::busy, true},
                           Row{302, "", ErrorCode::unavailable, false}}) {
      CAPTURE(row.status);
      Failure failure = said(row.status, row.body);
      CHECK(failure.error.code == row.code);
      CHECK(failure.may_retry == row.may_retry);
    }
    CHECK(said(429, "").is_rate_limit);
    CHECK_FALSE(said(529, "").is_rate_limit);
    CHECK_FALSE(said(429, "", {{"retry-after", "3600"}}).may_retry);
  }

  TEST_CASE("bodies of any form are quoted shortly") {
    CHECK(said(500, "plain  text\n").error.message == "`h:1` answered 500: plain text");
    CHECK(said(502, "<html><body>\n<h1>Bad\tGateway</h1></body></html>").error.message
          == "`h:1` answered 502: Bad Gateway");
    CHECK(said(500, "").error.message == "`h:1` answered 500");
    CHECK(said(500, R"({"detail":"d"})").error.message == "`h:1` answered 500: d");
    CHECK(said(500, R"({"error":"e"})").error.message == "`h:1` answered 500: e");
    CHECK(said(500, std::string(100'000, 'x')).error.message.size() < 400);
    CHECK(said(500, "\xff\xfe").error.message == "`h:1` answered 500: \uFFFD\uFFFD");
  }

  TEST_CASE("a field that a model does not take is named") {
    CHECK(said(400,
               R"({"error":{"message":"x","code":"unsupported_parameter","param":"max_tokens"}})")
              .rejected_field
          == "max_tokens");
    CHECK(said(400, R"({"error":{"message":"x","param":"response_format.json_schema"}})")
              .rejected_field
          == "response_format");
    CHECK(said(400, R"({"error":{"message":"This model does not support the effort parameter."}})")
              .rejected_field
          == "effort");
    CHECK(
        said(400, R"({"error":{"message":"output_config.effort: Extra inputs are not permitted"}})")
            .rejected_field
        == "output_config.effort");
    CHECK(said(400, R"({"error":{"message":"max_tokens: 9 > 8, which is the most"}})")
              .rejected_field.empty());
    CHECK(said(400, R"({"error":{"message":"x","param":"messages"}})").rejected_field.empty());
    CHECK(said(500, R"({"error":{"message":"x","param":"max_tokens"}})").rejected_field.empty());
  }
}

TEST_SUITE("asked_wait") {
  TEST_CASE("every way to say how long") {
    CHECK(asked_wait({{"retry-after", "2"}}, 0) == 2000ms);
    CHECK(asked_wait({{"retry-after", "0.5"}}, 0) == 500ms);
    CHECK(asked_wait({{"retry-after-ms", "20"}, {"retry-after", "2"}}, 0) == 20ms);
    CHECK(asked_wait({{"retry-after", "Thu, 01 Jan 1970 00:00:07 GMT"}}, 2000) == 5000ms);
    CHECK(asked_wait({{"retry-after", "Thu, 01 Jan 1970 00:00:07 GMT"}}, 9000) == 0ms);
    CHECK(asked_wait({{"x-ratelimit-remaining-requests", "0"},
                      {"x-ratelimit-reset-requests", "6m0s"},
                      {"x-ratelimit-remaining-tokens", "7"},
                      {"x-ratelimit-reset-tokens", "9h"}},
                     0)
          == 6min);
    CHECK(asked_wait({{"anthropic-ratelimit-tokens-remaining", "0"},
                      {"anthropic-ratelimit-tokens-reset", "1970-01-01T00:00:03Z"}},
                     0)
          == 3s);
    CHECK_FALSE(asked_wait({}, 0));
    CHECK_FALSE(asked_wait({{"retry-after", "soon"}}, 0));
    CHECK(asked_wait({{"retry-after", "-5"}}, 0) == 0ms);
    CHECK(asked_wait({{"retry-after", "1e300"}}, 0) == 24h);
  }

  TEST_CASE("durations") {
    CHECK(read_duration("1s") == 1000ms);
    CHECK(read_duration("1h2m3.5s") == 3'723'500ms);
    CHECK(read_duration("20ms") == 20ms);
    for (const char* text : {"", "5", "s", "1x", "1..2s"}) {
      CAPTURE(text);
      CHECK_FALSE(read_duration(text));
    }
  }

  TEST_CASE("pauses double, jitter fully, and have an end") {
    CHECK(pause_after(1, {}, 0) == 0ms);
    CHECK(pause_after(1, {}, 0.5) == 500ms);
    CHECK(pause_after(3, {}, 0.5) == 2000ms);
    CHECK(pause_after(20, {}, 0.5) == 15s);
    CHECK(pause_after(1, 2000ms, 0.5) == 2100ms);
  }
}
