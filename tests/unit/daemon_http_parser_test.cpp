#include "daemon/http/request_parser.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill::http;
using State = RequestParser::State;

namespace {

constexpr std::string_view k_post = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Name:  value \r\n";

// Feeds the bytes in pieces, as a connection does; what was not taken is given again.
std::string feed(RequestParser& parser, std::string_view bytes, std::size_t piece = 1u << 20) {
  std::string waiting;
  while (!bytes.empty()) {
    waiting += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (std::size_t taken = 1; taken != 0 && !waiting.empty();) {
      taken = parser.take(waiting);
      waiting.erase(0, taken);
    }
  }
  return waiting;
}

} // namespace

TEST_SUITE("request parser") {
  TEST_CASE("a request in any pieces, and what follows it is left") {
    std::string bytes = std::string(k_post) + "Content-Length: 5\r\n\r\nhelloPOST ";
    for (std::size_t piece : {1u, 2u, 3u, 7u, 1000u}) {
      RequestParser parser;
      CHECK(feed(parser, bytes, piece) == "POST ");
      REQUIRE(parser.state() == State::done);
      CHECK(parser.head().method == "POST");
      CHECK(parser.head().target == "/mcp");
      CHECK(*parser.head().only(FieldName(std::string_view("x-name"))) == "value");
      CHECK(parser.body() == "hello");
      CHECK(parser.keeps_alive());
      parser.reset();
      CHECK(parser.state() == State::head);
      CHECK(feed(parser, "GET / HTTP/1.0\r\n\r\n").empty());
      REQUIRE(parser.state() == State::done);
      CHECK(parser.head().method == "GET");
      CHECK(parser.head().fields.empty());
      CHECK(parser.body().empty());
      CHECK_FALSE(parser.keeps_alive());
      CHECK(parser.is_http_1_0());
    }
  }

  TEST_CASE("the head can be looked at before any of the body is taken") {
    RequestParser parser;
    std::string bytes = std::string(k_post) + "Content-Length: 5\r\n\r\nhello";
    std::size_t taken = parser.take(bytes);
    CHECK(bytes.substr(taken) == "hello");
    CHECK(parser.state() == State::body);
    CHECK(parser.body().empty());
    CHECK(*parser.content_length() == 5);
  }

  TEST_CASE("chunks are put together, and their trailers do not become fields") {
    for (std::size_t piece : {1u, 5u, 1000u}) {
      RequestParser parser;
      std::string bytes = std::string(k_post)
                          + "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n1\r\n!\r\n0\r\n"
                            "Host: evil.com\r\n\r\n";
      CHECK(feed(parser, bytes, piece).empty());
      REQUIRE(parser.state() == State::done);
      CHECK(parser.body() == "hello!");
      CHECK(*parser.head().only("Host") == "localhost");
    }
  }

  TEST_CASE("what could be read in two ways is refused") {
    for (const char* fields : {"Content-Length: 5\r\nContent-Length: 6\r\n",
                               "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                               "Content-Length: -1\r\n",
                               "Content-Length: 5x\r\n",
                               "Bad Name: 1\r\n",
                               "Name : 1\r\n",
                               "X: \x01\r\n"}) {
      CAPTURE(fields);
      RequestParser parser;
      feed(parser, std::string(k_post) + fields + "\r\nhello");
      CHECK(parser.state() == State::failed);
      CHECK(parser.status() == 400);
    }
    RequestParser unknown;
    feed(unknown, std::string(k_post) + "Transfer-Encoding: gzip\r\n\r\nhello");
    CHECK_FALSE(unknown.has_length());
  }

  TEST_CASE("a head ends at 16 KiB, a body at 16 MiB") {
    RequestParser head;
    feed(head, std::string(k_post) + "X: " + std::string(20'000, 'x'));
    CHECK(head.state() == State::failed);
    CHECK(head.status() == 431);
    std::string bytes = std::string(k_post) + "Transfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < 16; ++i) {
      bytes += "100000\r\n" + std::string(1u << 20, 'x') + "\r\n";
    }
    RequestParser largest;
    feed(largest, bytes + "0\r\n\r\n");
    CHECK(largest.state() == State::done);
    CHECK(largest.body().size() == 16u << 20);
    RequestParser body;
    feed(body, bytes + "1\r\nx\r\n");
    CHECK(body.state() == State::failed);
    CHECK(body.status() == 413);
  }
}
