#include "clients/connect/call.h"
#include "clients/connect/text_reader.h"

#include <doctest/doctest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <array>

using upskill::ErrorCode;
using upskill::Result;
using upskill::UniqueFd;
using namespace upskill::connect;

namespace {

// The daemon's end of a connection: what it will answer is written before the call is made, what it
// was asked is read afterwards.
struct Daemon {
  UniqueFd end;
  LineStream stream;

  static Daemon make() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    return {UniqueFd(ends[0]), LineStream(UniqueFd(ends[1]))};
  }

  void answer(std::string_view text) {
    REQUIRE(::write(end.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }

  std::string asked() {
    std::array<char, 4096> buffer;
    ssize_t got = ::read(end.get(), buffer.data(), buffer.size());
    return {buffer.data(), static_cast<std::size_t>(got)};
  }

  Result<CallReply> call(OnProgress progress = {}) {
    CallRequest request;
    request.method = "status";
    request.version = "9.9";
    request.silence_ms = 1000;
    return upskill::connect::call(stream, request, progress);
  }
};

} // namespace

TEST_SUITE("call") {
  TEST_CASE("asks in the modern era with context and progress token") {
    Daemon daemon = Daemon::make();
    daemon.answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"structuredContent\":{}}}\n");
    REQUIRE(daemon.call());
    std::string line = daemon.asked();
    CHECK(line.back() == '\n');
    auto message = TextReader::open(line, "the request");
    REQUIRE(message);
    CHECK(message->member("method")->string() == "tools/call");
    auto params = message->member("params");
    CHECK(params->member("name")->string() == "status");
    CHECK(params->member("arguments")->text() == "{}");
    auto meta = params->member("_meta");
    CHECK(meta->member("io.modelcontextprotocol/protocolVersion")->string() == "2026-07-28");
    CHECK(meta->member("io.modelcontextprotocol/clientCapabilities")->text() == "{}");
    CHECK(meta->member("io.modelcontextprotocol/clientInfo")->member("version")->string() == "9.9");
    CHECK(meta->member("progressToken").has_value());
    CHECK(meta->member("upskill/context")->text() == "{}");
  }

  TEST_CASE("returns the structured result as it was written, and the server's version") {
    Daemon daemon = Daemon::make();
    daemon.answer(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"content\":"
        "[{\"type\":\"text\",\"text\":\"ignored\"}],\"structuredContent\":{\"z\":1, "
        "\"a\":2},\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"version\":\"7\"}}}}"
        "\n");
    auto reply = daemon.call();
    REQUIRE(reply);
    CHECK(reply->result == "{\"z\":1, \"a\":2}");
    CHECK(reply->server_version == "7");
  }

  TEST_CASE("passes progress on and skips answers to others") {
    Daemon daemon = Daemon::make();
    daemon.answer("{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,"
                  "\"progress\":3,\"total\":10,\"message\":\"hashing\"}}\n"
                  "{\"id\":99,\"result\":{\"structuredContent\":{\"wrong\":1}}}\n"
                  "{\"id\":1,\"result\":{\"structuredContent\":{\"right\":1}}}\n");
    double seen = 0;
    std::string words;
    auto reply =
        daemon.call([&](double done, std::optional<double> total, const std::string& text) {
          seen = done / total.value_or(1);
          words = text;
        });
    REQUIRE(reply);
    CHECK(reply->result == "{\"right\":1}");
    CHECK(seen == doctest::Approx(0.3));
    CHECK(words == "hashing");
  }

  TEST_CASE("gives a tool's error back as it was") {
    Daemon daemon = Daemon::make();
    daemon.answer("{\"id\":1,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":"
                  "\"there is no skill `x`\\nhint: `upskill list`\"}],\"_meta\":{\"upskill/error\":"
                  "{\"code\":\"not_found\"}}}}\n");
    auto reply = daemon.call();
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == ErrorCode::not_found);
    CHECK(reply.error().message == "there is no skill `x`");
    CHECK(reply.error().hint == "`upskill list`");
  }

  TEST_CASE("takes invalid parameters for a mistake of the caller") {
    Daemon daemon = Daemon::make();
    daemon.answer(
        "{\"id\":1,\"error\":{\"code\":-32602,\"message\":\"params.limit: too many\"}}\n");
    auto reply = daemon.call();
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == ErrorCode::invalid_argument);
    CHECK(reply.error().message == "params.limit: too many");
  }

  TEST_CASE("says what was not answered when the daemon goes") {
    Daemon daemon = Daemon::make();
    daemon.answer("{\"id\":1,\"resu");
    daemon.end.reset();
    auto reply = daemon.call();
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == ErrorCode::unavailable);
    CHECK(reply.error().message.find("`status`") != std::string::npos);
  }

  TEST_CASE("gives up after the silence it was told") {
    Daemon daemon = Daemon::make();
    CallRequest request;
    request.method = "status";
    request.silence_ms = 1;
    request.probe_ms = 0;
    auto reply = call(daemon.stream, request, {});
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == ErrorCode::timed_out);
    CHECK(reply.error().message.find("no sign of life") != std::string::npos);
  }

  TEST_CASE("asks for a sign of life, and gives up where there is none, however long it may wait") {
    Daemon daemon = Daemon::make();
    CallRequest request;
    request.method = "sync_now";
    request.silence_ms = 600'000;
    request.probe_ms = 1;
    auto reply = call(daemon.stream, request, {});
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == ErrorCode::timed_out);
    CHECK(reply.error().message.find("no sign of life") != std::string::npos);
    CHECK_FALSE(reply.error().hint.empty());
    // The end of this pair is our own, and nobody must be told to kill that.
    CHECK(reply.error().hint.find("kill") == std::string::npos);
    CHECK(daemon.asked().find("\"name\":\"daemon_status\"") != std::string::npos);
  }

  TEST_CASE("waits on for a daemon that gives signs of life, but not without end") {
    Daemon daemon = Daemon::make();
    for (int i = 0; i < 3; ++i) {
      daemon.answer("{\"jsonrpc\":\"2.0\",\"id\":-1,\"result\":{}}\n");
    }
    daemon.answer("{\"id\":1,\"result\":{\"structuredContent\":{\"right\":1}}}\n");
    CallRequest request;
    request.method = "sync_now";
    request.probe_ms = 1;
    CHECK(call(daemon.stream, request, {}).has_value());
    request.silence_ms = 0;
    request.probe_ms = 1000;
    auto reply = call(daemon.stream, request, {});
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == ErrorCode::timed_out);
    CHECK(reply.error().message.find("has not answered") != std::string::npos);
  }

  TEST_CASE("refuses an answer that is not JSON") {
    Daemon daemon = Daemon::make();
    daemon.answer("hello\n");
    auto reply = daemon.call();
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == ErrorCode::corrupt);
  }

  TEST_CASE("reads an answer that is longer than any buffer") {
    Daemon daemon = Daemon::make();
    // Smaller than what a socket buffer takes without a reader, larger than a read.
    std::string text(100'000, 'x');
    daemon.answer("{\"id\":1,\"result\":{\"structuredContent\":{\"text\":\"" + text + "\"}}}\n");
    auto reply = daemon.call();
    REQUIRE(reply);
    CHECK(reply->result == "{\"text\":\"" + text + "\"}");
  }
}
