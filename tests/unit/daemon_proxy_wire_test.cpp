#include "daemon/proxy/agent_wire.h"
#include "daemon/proxy/recording.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::proxy;

namespace {

UsageReader read(AgentWire wire, const std::string& bytes, std::size_t piece) {
  UsageReader reader(wire);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.take(std::string_view(bytes).substr(at, piece));
  }
  reader.finish();
  return reader;
}

models::Usage usage(std::int64_t input, std::int64_t cache_read, std::int64_t output) {
  models::Usage made;
  made.input = input;
  made.cache_read = cache_read;
  made.output = output;
  return made;
}

// In pieces of every size: what is told must not depend on where the network cut.
void check_usage(AgentWire wire,
                 const std::string& bytes,
                 const models::Usage& expected,
                 const std::string& model) {
  for (std::size_t piece = 1; piece <= bytes.size(); piece += piece < 40 ? 1 : 97) {
    UsageReader reader = read(wire, bytes, piece);
    CAPTURE(piece);
    CHECK(reader.usage() == expected);
    CHECK(reader.model() == model);
    CHECK(reader.is_complete());
  }
}

const std::string k_anthropic =
    "event: message_start\n"
    R"(data: {"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":10,"cache_read_input_tokens":7,"cache_creation_input_tokens":3,"output_tokens":1}}})"
    "\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"
    R"(data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"usage"}})"
    "\n\n"
    R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":42}})"
    "\n\ndata: {\"type\":\"message_stop\"}\n\n";

const std::string k_chat =
    R"(data: {"model":"gpt-x","choices":[{"delta":{"content":"a"}}],"usage":null})"
    "\n\n"
    R"(data: {"model":"gpt-x","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":4}}})"
    "\n\ndata: [DONE]\n\n";

const std::string k_responses =
    R"(data: {"type":"response.created","response":{"model":"gpt-y","status":"in_progress","usage":null}})"
    "\n\n"
    R"(data: {"type":"response.completed","response":{"model":"gpt-y","status":"completed","usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":20},"output_tokens":8,"output_tokens_details":{"reasoning_tokens":2}}}})"
    "\n\n";

const std::string k_gemini =
    R"(data: {"candidates":[{"content":{}}],"modelVersion":"gemini-z","usageMetadata":{"promptTokenCount":30,"candidatesTokenCount":1}})"
    "\r\n\r\n"
    R"(data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":30,"cachedContentTokenCount":10,"candidatesTokenCount":5,"thoughtsTokenCount":4}})"
    "\r\n\r\n";

struct OwnedHead {
  explicit OwnedHead(std::vector<http::Field> given, std::string_view target = "/v1/messages")
      : fields(std::move(given))
      , head{"POST", target, fields} {}

  std::vector<http::Field> fields;
  http::Head head;
};

bool has_header(const models::Headers& headers, std::string_view name) {
  return std::ranges::any_of(headers, [&](const auto& one) { return one.first == name; });
}

} // namespace

TEST_SUITE("UsageReader") {
  TEST_CASE("tokens of a stream, whatever its pieces") {
    models::Usage anthropic = usage(10, 7, 42);
    anthropic.cache_write = 3;
    check_usage(AgentWire::anthropic, k_anthropic, anthropic, "claude-x");
    models::Usage chat = usage(40, 60, 9);
    chat.reasoning = 4;
    check_usage(AgentWire::chat, k_chat, chat, "gpt-x");
    models::Usage responses = usage(30, 20, 8);
    responses.reasoning = 2;
    check_usage(AgentWire::responses, k_responses, responses, "gpt-y");
    models::Usage gemini = usage(20, 10, 9); // thoughts are output, too
    gemini.reasoning = 4;
    check_usage(AgentWire::gemini, k_gemini, gemini, "gemini-z");
  }

  TEST_CASE("tokens of a document") {
    models::Usage plain;
    plain.input = 5;
    plain.output = 6;
    check_usage(AgentWire::anthropic,
                R"( {"type":"message","model":"m","usage":{"input_tokens":5,"output_tokens":6}})",
                plain,
                "m");
    check_usage(AgentWire::chat,
                R"({"model":"m","choices":[{}],"usage":{"prompt_tokens":5,"completion_tokens":6}})",
                plain,
                "m");
    check_usage(
        AgentWire::responses,
        R"({"model":"m","status":"completed","usage":{"input_tokens":5,"output_tokens":6}})",
        plain,
        "m");
    check_usage(
        AgentWire::gemini,
        R"([{"candidates":[{"content":{}}]},{"candidates":[{"finishReason":"STOP"}],"modelVersion":"m","usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":6}}])",
        plain,
        "m");
  }

  TEST_CASE("what is not told is unknown") {
    UsageReader cut =
        read(AgentWire::anthropic, k_anthropic.substr(0, k_anthropic.find("event: ping")), 50);
    CHECK_FALSE(cut.is_complete());
    UsageReader silent = read(AgentWire::chat, R"({"model":"m","choices":[{}]})", 100);
    CHECK(silent.is_complete());
    CHECK(silent.usage() == models::Usage{});
    for (const char* garbage : {"", "<html>", "{", "[[[[", "data: {\n\n", "data: 5\n\n"}) {
      for (AgentWire wire :
           {AgentWire::anthropic, AgentWire::chat, AgentWire::responses, AgentWire::gemini}) {
        UsageReader reader = read(wire, garbage, 1);
        CHECK_FALSE(reader.is_complete());
        CHECK(reader.usage() == models::Usage{});
      }
    }
    UsageReader odd = read(AgentWire::gemini, R"({"candidates":[5],"usageMetadata":[]})", 100);
    CHECK(odd.usage() == models::Usage{});
  }
}

TEST_SUITE("route_of") {
  TEST_CASE("only models are asked") {
    auto wire = [](std::string_view target) { return route_of("POST", target)->wire; };
    CHECK(wire("/v1/messages?beta=true") == AgentWire::anthropic);
    CHECK(wire("/v1/chat/completions") == AgentWire::chat);
    CHECK(wire("/responses") == AgentWire::responses);
    CHECK(wire("/v1beta/models/g-2.5:streamGenerateContent?alt=sse") == AgentWire::gemini);
    CHECK_FALSE(route_of("POST", "/v1/messages/count_tokens")->is_answered);
    CHECK_FALSE(route_of("GET", "/v1/models/m")->is_answered);
    for (std::string_view target : {"/v1/files",
                                    "/v1/messages/batches",
                                    "/v1/threads/t_1/messages",
                                    "/v1/organization/messages",
                                    "/v2/messages",
                                    "/v1/v1/messages",
                                    "/v1messages",
                                    "/",
                                    "",
                                    "http://evil.example/v1/messages",
                                    "@evil.example/v1/messages",
                                    "//evil.example/v1/messages",
                                    "/v1/files/../messages",
                                    "/v1/%2e%2e/messages",
                                    "/v1/a\\b/messages",
                                    "/v1/files#/messages"}) {
      CAPTURE(target);
      CHECK_FALSE(route_of("POST", target));
    }
    CHECK_FALSE(route_of("DELETE", "/v1/messages"));
    CHECK_FALSE(route_of("GET", "/v1/files"));
    CHECK_FALSE(route_of("CONNECT", "evil.example:443"));
  }

  TEST_CASE("only below the upstream's path") {
    CHECK(route_of("POST", "/team1/v1/messages", "/team1")->wire == AgentWire::anthropic);
    CHECK(route_of("POST", "/a/v1/v1/messages", "/a/v1")->wire == AgentWire::anthropic);
    CHECK(route_of("POST", "/a/v1/chat/completions", "/a/v1")->wire == AgentWire::chat);
    CHECK(route_of("GET", "/a/v1/models/vendor/m", "/a/v1"));
    CHECK_FALSE(route_of("POST", "/team10/v1/messages", "/team1"));
    CHECK_FALSE(route_of("POST", "/team1messages", "/team1"));
    CHECK_FALSE(route_of("POST", "/v1/messages", "/team1"));
  }

  TEST_CASE("where it goes is the upstream's") {
    CHECK(Upstream{"https://h.example:8443/a/v1/", ""}.origin() == "https://h.example:8443");
    CHECK(Upstream{"https://h.example:8443/a/v1/", ""}.path() == "/a/v1");
    CHECK(Upstream{"http://h", ""}.path().empty());
    CHECK(Upstream{"ftp://h/v1", ""}.origin().empty());
    CHECK(Upstream{"", ""}.origin().empty());
  }
}

TEST_SUITE("headers of the proxy") {
  TEST_CASE("the token is found wherever a key may be") {
    CHECK(token_of(OwnedHead({{"X-Api-Key", "t"}}).head) == "t");
    CHECK(token_of(OwnedHead({{"Authorization", "bearer t"}}).head) == "t");
    CHECK(token_of(OwnedHead({{"x-goog-api-key", "t"}}).head) == "t");
    CHECK(token_of(OwnedHead({}, "/v1beta/models/m:generateContent?alt=sse&key=t").head) == "t");
    CHECK(token_of(OwnedHead({{"Authorization", "Basic t"}}).head).empty());
    CHECK(token_of(OwnedHead({}, "/v1/messages?").head).empty());
  }

  TEST_CASE("a list of models is asked for with the key where the token was") {
    CHECK(wire_by_token(OwnedHead({{"X-Api-Key", "t"}}).head) == AgentWire::anthropic);
    CHECK(wire_by_token(OwnedHead({{"Authorization", "Bearer t"}}).head) == AgentWire::chat);
    CHECK(wire_by_token(OwnedHead({{"x-goog-api-key", "t"}}).head) == AgentWire::gemini);
  }

  TEST_CASE("a request that is packed says so, an answer is unpacked") {
    CHECK(forwarded_headers(OwnedHead({{"Content-Encoding", "zstd"}}).head, AgentWire::chat, "")
          == models::Headers{{"content-encoding", "zstd"}});
    CHECK(returned_headers({{"content-encoding", "zstd"}}).empty());
  }

  TEST_CASE("a key of the agent never goes on, ours does, as its wire wants it") {
    std::vector<http::Field> given{{"Host", "127.0.0.1:1"},
                                   {"X-Api-Key", "token"},
                                   {"Authorization", "Bearer token"},
                                   {"x-goog-api-key", "token"},
                                   {"Cookie", "a=token"},
                                   {"Proxy-Authorization", "token"},
                                   {"X-Forwarded-Host", "evil"},
                                   {"Connection", "close, X-Drop-Me"},
                                   {"X-Drop-Me", "1"},
                                   {"Transfer-Encoding", "chunked"},
                                   {"Content-Length", "9"},
                                   {"Accept-Encoding", "br"},
                                   {"anthropic-beta", "b"},
                                   {"Content-Type", "application/json"}};
    for (AgentWire wire :
         {AgentWire::anthropic, AgentWire::chat, AgentWire::responses, AgentWire::gemini}) {
      models::Headers headers = forwarded_headers(OwnedHead(given).head, wire, "real");
      CHECK(headers.size() == 3); // two of the agent's, and the key
      CHECK(has_header(headers, "anthropic-beta"));
      CHECK(has_header(headers, "content-type"));
      for (const auto& [name, value] : headers) {
        CHECK(value.find("token") == std::string::npos);
      }
    }
    OwnedHead none({});
    CHECK(forwarded_headers(none.head, AgentWire::anthropic, "k")
          == models::Headers{{"x-api-key", "k"}});
    CHECK(forwarded_headers(none.head, AgentWire::anthropic, "sk-ant-oat-1")
          == models::Headers{{"authorization", "Bearer sk-ant-oat-1"}});
    CHECK(forwarded_headers(none.head, AgentWire::responses, "k")
          == models::Headers{{"authorization", "Bearer k"}});
    CHECK(forwarded_headers(none.head, AgentWire::gemini, "k")
          == models::Headers{{"x-goog-api-key", "k"}});
    CHECK(forwarded_headers(none.head, AgentWire::chat, "").empty());
  }

  TEST_CASE("a key in the query does not go on") {
    CHECK(forwarded_target("/m:g?key=t&alt=sse") == "/m:g?alt=sse");
    CHECK(forwarded_target("/m:g?alt=sse&key=t&b") == "/m:g?alt=sse&b");
    CHECK(forwarded_target("/m:g?key=t") == "/m:g");
    CHECK(forwarded_target("/v1/messages") == "/v1/messages");
  }

  TEST_CASE("what comes back has no cookies and no framing") {
    CHECK(returned_headers({{"content-type", "text/event-stream"},
                            {"content-encoding", "gzip"},
                            {"content-length", "3"},
                            {"set-cookie", "a"},
                            {"bad", "a\r\nb: c"},
                            {"request-id", "r"}})
          == models::Headers{{"content-type", "text/event-stream"}, {"request-id", "r"}});
  }
}

TEST_SUITE("Recording") {
  const std::string k_description = "Writes commit messages in the conventional form.";
  const std::string k_body =
      "# Commits\n\nAlways begin with a type, then the scope <in> brackets.\n";

  TEST_CASE("a skill's text is seen in a prompt, as agents show it") {
    Recording recording({{"git-commit", k_description, k_body}}, {"https://h.example", ""});
    recording.take_request(
        R"({"messages":[{"content":"Writes commit messages in another form."}]})");
    CHECK(recording.measured().described.empty());
    recording.take_request(
        R"({"system":[{"text":"<description>Writes commit\nmessages  in the conventional form.</description>"}]})");
    CHECK(recording.measured().described == std::set<std::string>{"git-commit"});
    CHECK(recording.measured().read.empty());
    // By a tool that numbers lines, and with XML's escapes.
    recording.take_request(
        R"({"a":[{"b":"     3\tAlways begin with a type, then the scope &lt;in&gt; brackets.\n"}]})");
    CHECK(recording.measured().read == std::set<std::string>{"git-commit"});
    CHECK(recording.measured().requests == 3);
  }

  TEST_CASE("what proves nothing is no mark") {
    CHECK(mark_of("").empty());
    CHECK(mark_of("# Title\n\nshort\n").empty());
    CHECK(mark_of(std::string(1000, 'x')).size() == 160);
    CHECK(mark_of("a\n   the longest  line\tof all   \nb") == "the longest line of all");
  }

  TEST_CASE("tokens and cost are sums, and unknown where one is") {
    Recording recording({}, {"https://api.anthropic.com", "k"});
    std::string answer =
        R"({"type":"message","model":"claude-haiku-4-5","usage":{"input_tokens":1000000,"output_tokens":200000}})";
    UsageReader reader = read(AgentWire::anthropic, answer, 1000);
    recording.take_answer(AgentWire::anthropic, 200, reader);
    recording.take_answer(AgentWire::anthropic, 529, read(AgentWire::anthropic, "{}", 9));
    recording.take_answer(AgentWire::anthropic, 200, reader);
    Measured measured = recording.measured();
    CHECK(measured.usage.input == 2'000'000);
    CHECK(measured.usage.output == 400'000);
    CHECK(measured.cost == 4.0);
    CHECK(measured.failed == 1);
    CHECK(measured.models == std::vector<std::string>{"claude-haiku-4-5"});
    recording.take_answer(AgentWire::anthropic, 200, read(AgentWire::anthropic, "", 9));
    CHECK_FALSE(recording.measured().usage.input);
    CHECK_FALSE(recording.measured().cost);
    // Others have prices of their own, this machine none.
    Recording other({}, {"https://gateway.example/v1", ""});
    other.take_answer(AgentWire::anthropic, 200, reader);
    CHECK_FALSE(other.measured().cost);
    Recording local({}, {"http://127.0.0.1:1/v1", ""});
    local.take_answer(AgentWire::anthropic, 200, reader);
    CHECK(local.measured().cost == 0.0);
  }
}
