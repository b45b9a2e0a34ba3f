#include "protocol/http/accept.h"
#include "protocol/http/gate.h"
#include "protocol/http/origin.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill::http;

namespace {

constexpr std::string_view k_both = "application/json, text/event-stream";

// A POST that is let in; a test changes one thing of it.
struct Request {
  std::string method = "POST";
  std::string target = "/mcp";
  std::vector<Field> fields = {{"Host", "127.0.0.1:4147"},
                               {"Authorization", "Bearer secret"},
                               {"Accept", k_both},
                               {"Content-Type", "application/json"}};

  Request with(std::string_view name, std::string_view value) const {
    Request other = without(name);
    other.fields.push_back({name, value});
    return other;
  }

  Request without(std::string_view name) const {
    Request other = *this;
    std::erase_if(other.fields,
                  [&](const Field& field) { return equals_ignoring_case(field.name, name); });
    return other;
  }

  Request also(std::string_view name, std::string_view value) const {
    Request other = *this;
    other.fields.push_back({name, value});
    return other;
  }
};

// 0: let in.
int status_of(const Request& request, std::optional<std::uint64_t> size = std::nullopt) {
  auto refusal = Gate("secret").check({request.method, request.target, request.fields}, size);
  return refusal ? int(refusal->status) : 0;
}

} // namespace

TEST_SUITE("gate") {
  TEST_CASE("only names of this machine pass, written as a program writes them") {
    for (std::string_view host :
         {"127.0.0.1", "127.0.0.1:1", "localhost", "LocalHost:65535", "[::1]", "[::1]:4147"}) {
      CAPTURE(host);
      CHECK(is_local_host(host));
      CHECK(is_local_origin("http://" + std::string(host)));
      CHECK(is_local_origin("https://" + std::string(host)));
    }
    for (std::string_view host : {"",
                                  "localhost.evil.com",
                                  "127.0.0.1.nip.io",
                                  "127.0.0.1.nip.io:4147",
                                  "evil.com",
                                  "user@localhost",
                                  "localhost@evil.com",
                                  "localhost:80@evil.com",
                                  "localhost.",
                                  "127.0.0.1.",
                                  "localhost:",
                                  "localhost:65536",
                                  "localhost:080000",
                                  "localhost:-1",
                                  "localhost: 80",
                                  "localhost:80/",
                                  "localhost,evil.com",
                                  "127.0.0.2",
                                  "127.1",
                                  "2130706433",
                                  "0.0.0.0",
                                  "::1",
                                  "[::]",
                                  "[::1",
                                  "[::1]x",
                                  "[0:0:0:0:0:0:0:1]",
                                  "[::ffff:127.0.0.1]"}) {
      CAPTURE(host);
      CHECK_FALSE(is_local_host(host));
      CHECK_FALSE(is_local_origin("http://" + std::string(host)));
    }
    for (std::string_view origin : {"null",
                                    "",
                                    "localhost",
                                    "file://localhost",
                                    "http:localhost",
                                    "http://localhost/",
                                    "http://localhost http://localhost",
                                    "chrome-extension://localhost"}) {
      CAPTURE(origin);
      CHECK_FALSE(is_local_origin(origin));
    }
  }

  TEST_CASE("a request of elsewhere is refused on every route, with and without the token") {
    CHECK(status_of({}) == 0);
    for (const char* method : {"POST", "GET", "DELETE", "OPTIONS", "PUT"}) {
      for (const char* target : {"/mcp", "/", "/other", "/hook", "/hook/Stop"}) {
        Request request{method, target};
        CHECK(status_of(request.with("Host", "evil.com")) == 403);
        CHECK(status_of(request.without("Host")) == 403);
        CHECK(status_of(request.also("Host", "127.0.0.1:4147")) == 403);
        CHECK(status_of(request.also("Origin", "http://evil.com")) == 403);
        CHECK(status_of(request.also("Origin", "null")) == 403);
        CHECK(status_of(request.also("origin", "http://localhost").also("Origin", "http://evil"))
              == 403);
        CHECK(status_of(request.without("Authorization").also("Origin", "http://evil.com")) == 403);
      }
    }
    CHECK(status_of(Request{}.also("Origin", "http://localhost:3000")) == 0);
  }

  TEST_CASE("the token is asked for on every route, and compared whole") {
    for (const char* target : {"/mcp", "/other", "/hook", "/hook/Stop"}) {
      Request request{"GET", target};
      CHECK(status_of(request.without("Authorization")) == 401);
      for (const char* value :
           {"", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Basic secret", "secret"}) {
        CAPTURE(value);
        CHECK(status_of(request.with("Authorization", value)) == 401);
      }
      CHECK(status_of(request.also("Authorization", "Bearer secret")) == 401);
    }
    CHECK(status_of(Request{}.with("authorization", "bearer secret")) == 0);
    auto refusal = Gate("secret").check({"POST", "/mcp", Request{}.fields}, std::nullopt);
    CHECK_FALSE(refusal);
    refusal = Gate("other").check({"POST", "/mcp", Request{}.fields}, std::nullopt);
    REQUIRE(refusal);
    REQUIRE(refusal->field);
    CHECK(refusal->field->name.text() == "WWW-Authenticate");
    CHECK(refusal->field->value == "Bearer");
    Request bare = Request{}.without("Authorization");
    CHECK_FALSE(Gate("").check({"POST", "/mcp", bare.fields}, std::nullopt));
  }

  TEST_CASE("path, method and types") {
    CHECK(status_of({"POST", "/"}) == 404);
    CHECK(status_of({"POST", "/mcp/"}) == 404);
    CHECK(status_of({"POST", "/MCP"}) == 404);
    CHECK(status_of({"POST", "http://127.0.0.1/mcp"}) == 404);
    CHECK(status_of({"POST", "/mcp?x"}) == 0);
    CHECK(status_of({"OPTIONS"}) == 405);
    CHECK(status_of({"post"}) == 405);
    Request request;
    CHECK(status_of(request.without("Accept")) == 406);
    CHECK(status_of(request.with("Accept", "application/json")) == 406);
    CHECK(status_of(request.with("Accept", "text/event-stream")) == 406);
    CHECK(status_of(request.with("Accept", "application/json").also("accept", "text/event-stream"))
          == 0);
    CHECK(status_of(request.with("Accept", "*/*")) == 0);
    CHECK(status_of(request.without("Content-Type")) == 415);
    CHECK(status_of(request.with("Content-Type", "text/plain")) == 415);
    CHECK(status_of(request.with("Content-Type", "Application/JSON; charset=utf-8")) == 0);
    CHECK(status_of(request.also("Content-Encoding", "gzip")) == 415);
    CHECK(status_of({"GET"}) == 0);
    CHECK(status_of(Request{"GET"}.with("Accept", "application/json")) == 406);
    CHECK(status_of(Request{"DELETE"}.without("Accept")) == 0);
  }

  TEST_CASE("a hook is told by POST, whatever the agent accepts") {
    Request request{"POST", "/hook"};
    CHECK(status_of(request) == 0);
    CHECK(status_of(request.without("Accept")) == 0);
    CHECK(status_of(request.with("Accept", "text/html")) == 0);
    CHECK(status_of(request.with("Content-Type", "text/plain")) == 415);
    CHECK(status_of(request.also("Content-Encoding", "gzip")) == 415);
    for (const char* method : {"GET", "DELETE", "OPTIONS", "post"}) {
      CHECK(status_of(Request{method, "/hook"}) == 405);
    }
    for (const char* target : {"/hook/", "/hooks", "/hook/a/b", "/Hook", "/mcp/hook"}) {
      CAPTURE(target);
      CHECK(status_of({"POST", target}) == 404);
    }
  }

  TEST_CASE("a body of more than 16 MiB, or 1 MiB of a hook, is refused before it is sent") {
    CHECK(status_of({}, 16u << 20) == 0);
    CHECK(status_of({}, (16u << 20) + 1) == 413);
    CHECK(status_of({"POST", "/hook/Stop"}, 1u << 20) == 0);
    CHECK(status_of({"POST", "/hook/Stop"}, (1u << 20) + 1) == 413);
  }
}

TEST_SUITE("route") {
  TEST_CASE("a path names the event of a hook") {
    CHECK(route_of("/mcp?/hook") == Route::mcp);
    CHECK(route_of("/hook?x=/y") == Route::hook);
    CHECK(hook_event_of("/hook").empty());
    CHECK(hook_event_of("/hook/").empty());
    CHECK(hook_event_of("/hook/Stop") == "Stop");
    CHECK(hook_event_of("/hook/Stop?x=/y") == "Stop");
    CHECK(hook_event_of("/hooks/Stop").empty());
    CHECK(hook_event_of("/mcp").empty());
  }
}

TEST_SUITE("accept") {
  TEST_CASE("the most exact range decides") {
    auto takes_json = [](std::string_view accept) {
      Field field{"Accept", accept};
      return accepts({"POST", "/mcp", {&field, 1}}, "application", "json");
    };
    CHECK(takes_json("application/json"));
    CHECK(takes_json("text/html, Application/*;q=0.1"));
    CHECK(takes_json(" ,, text/x ,application/json ; q=0.5"));
    CHECK(takes_json("*/*"));
    CHECK(takes_json("application/json;x=\"a,b\";q=1"));
    CHECK_FALSE(takes_json("*/*, application/json;q=0"));
    CHECK_FALSE(takes_json("application/json;q=0, */*"));
    CHECK_FALSE(takes_json("application/json;q=0.000"));
    CHECK(takes_json("application/json;q=0.001"));
    CHECK_FALSE(takes_json("application/jsonp"));
    CHECK_FALSE(takes_json("x;application/json"));
    CHECK_FALSE(takes_json("text/\"x,application/json,\""));
    CHECK_FALSE(takes_json(""));
    CHECK_FALSE(takes_json("*/json"));
  }
}
