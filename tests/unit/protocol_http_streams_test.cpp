#include "protocol/http/event_log.h"
#include "protocol/http/events.h"
#include "protocol/http/response.h"
#include "protocol/http/token.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace upskill::http;

namespace {

constexpr EventLog::Time k_start{};

std::string data_after(const EventLog& log, std::string_view id) {
  auto rest = log.after(id);
  if (!rest) {
    return "(nothing)";
  }
  std::string all;
  for (const EventLog::Event& event : rest->events) {
    all += std::string(event.data) + ";";
  }
  return all + (rest->has_ended ? "end" : "");
}

} // namespace

TEST_SUITE("event log") {
  TEST_CASE("a stream is replayed from any of its events, and no other stream is") {
    EventLog log;
    auto one = log.open();
    auto two = log.open();
    std::string first = log.add(one, "a");
    std::string other = log.add(two, "x");
    std::string second = log.add(one, "b");
    CHECK(std::set{first, second, other, log.priming_id(one), log.priming_id(two)}.size() == 5);
    CHECK(data_after(log, log.priming_id(one)) == "a;b;");
    CHECK(data_after(log, first) == "b;");
    CHECK(data_after(log, second).empty());
    CHECK(data_after(log, other).empty());
    log.end(one, k_start);
    CHECK(data_after(log, first) == "b;end");
    CHECK(data_after(log, log.priming_id(two)) == "x;");
  }

  TEST_CASE("ids that are none of ours") {
    EventLog log;
    auto stream = log.open();
    log.add(stream, "a");
    for (const char* id : {"",
                           "-",
                           "1",
                           "1-",
                           "-1",
                           "1-2",
                           "2-0",
                           "1-1-1",
                           "01x-1",
                           "+1-1",
                           "1--1",
                           "99999999999999999999-1",
                           "1-99999999999999999999"}) {
      CAPTURE(id);
      CHECK_FALSE(log.after(id));
    }
  }

  TEST_CASE("an open stream forgets its oldest, and says that it has") {
    EventLog log;
    auto stream = log.open();
    std::string large(EventLog::k_max_open_bytes + 1, 'x');
    std::string first = log.add(stream, "a");
    std::string second = log.add(stream, large);
    log.add(stream, "b"); // all before it goes
    CHECK_FALSE(log.after(log.priming_id(stream)));
    CHECK_FALSE(log.after(first));
    CHECK(data_after(log, second) == "b;");
  }

  TEST_CASE("ended streams are kept for a minute, 16 of them, up to 1 MiB besides the newest") {
    EventLog log;
    auto old = log.open();
    log.add(old, "a");
    log.end(old, k_start);
    CHECK(log.expire(k_start) == k_start + EventLog::k_kept);
    CHECK(log.after(log.priming_id(old)));
    CHECK_FALSE(log.expire(k_start + EventLog::k_kept));
    CHECK_FALSE(log.after(log.priming_id(old)));

    std::string large(EventLog::k_max_ended_bytes, 'x');
    auto one = log.open();
    auto two = log.open();
    log.add(one, large);
    log.end(one, k_start);
    CHECK(log.after(log.priming_id(one)));
    log.add(two, large + large);
    log.end(two, k_start);
    CHECK_FALSE(log.after(log.priming_id(one)));
    CHECK(log.after(log.priming_id(two)));

    for (std::size_t i = 0; i < EventLog::k_max_ended; ++i) {
      auto small = log.open();
      log.end(small, k_start);
      log.end(small, k_start);
      CHECK(log.after(log.priming_id(small)));
    }
    CHECK_FALSE(log.after(log.priming_id(two)));
    CHECK(log.add(two, "late").empty());
  }
}

TEST_SUITE("events") {
  TEST_CASE("events as the HTML standard has them") {
    std::string out;
    write_event(out, "1-2", R"({"a":1})");
    write_event(out, "", "x\ny");
    CHECK(out == "id: 1-2\ndata: {\"a\":1}\n\ndata: x\ndata: y\n\n");
    out.clear();
    write_priming(out, "1-0");
    CHECK(out == "id: 1-0\nretry: 500\ndata:\n\n");
  }
}

TEST_SUITE("response") {
  TEST_CASE("a whole answer") {
    std::string out;
    AnswerField id{"Mcp-Session-Id", "abc"};
    write_answer(out, 200, "{}", After::keep, {&id, 1});
    CHECK(out
          == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
             "Mcp-Session-Id: abc\r\n\r\n{}");
    out.clear();
    write_answer(out, 202, "", After::keep);
    CHECK(out == "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    out.clear();
    write_answer(out, 204, "", After::close);
    CHECK(out == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    out.clear();
    write_answer(out, 411, "", After::close);
    CHECK(out == "HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  }

  TEST_CASE("a stream in chunks, and one for HTTP/1.0") {
    std::string out;
    write_stream_head(out, Framing::chunked, After::keep);
    CHECK(out.find("Transfer-Encoding: chunked\r\n") != std::string::npos);
    CHECK(out.find("Content-Type: text/event-stream\r\n") != std::string::npos);
    CHECK(out.find("X-Accel-Buffering: no\r\n") != std::string::npos);
    CHECK(out.find("Connection: close") == std::string::npos);
    out.clear();
    write_piece(out, Framing::chunked, std::string(26, 'x'));
    write_piece(out, Framing::chunked, "");
    write_end(out, Framing::chunked);
    CHECK(out == "1a\r\n" + std::string(26, 'x') + "\r\n0\r\n\r\n");
    out.clear();
    write_stream_head(out, Framing::until_close, After::keep);
    CHECK(out.find("chunked") == std::string::npos);
    CHECK(out.find("Connection: close\r\n") != std::string::npos);
    out.clear();
    write_piece(out, Framing::until_close, "abc");
    write_end(out, Framing::until_close);
    CHECK(out == "abc");
  }
}

TEST_SUITE("token") {
  TEST_CASE("43 characters that a header can carry, each time others") {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
      std::string token = random_token();
      CHECK(is_token(token));
      CHECK(seen.insert(token).second);
    }
    CHECK_FALSE(is_token(""));
    CHECK_FALSE(is_token(std::string(42, 'a') + "="));
    CHECK_FALSE(is_token(std::string(44, 'a')));
  }
}
