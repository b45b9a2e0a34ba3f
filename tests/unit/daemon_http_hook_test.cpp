#include "daemon_http_world.h"
#include "protocol/base/mcp_bounds.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using namespace upskill::tests;

namespace {

const std::string k_stop =
    R"({"session_id":"3f1c","transcript_path":"/home/ada/.claude/projects/p/3f1c.jsonl",)"
    R"("cwd":"/home/ada/p","hook_event_name":"Stop","last_assistant_message":"hunter2"})";

// As Claude Code sends it: it does not say what it accepts.
HttpRequest hook_request(const HttpPlace& place, std::string body) {
  HttpRequest request = http_post(place, std::move(body)).without("Accept");
  request.target = "/hook";
  return request;
}

int status_of(const HttpPlace& place, const HttpRequest& request) {
  HttpClient client(place);
  return client.call(request).status;
}

} // namespace

TEST_SUITE("http, hooks") {
  TEST_CASE("a hook rings, one after the other on a connection, and gets no opinion") {
    HttpWorld world;
    HttpClient client(world.place);
    for (int i = 0; i < 3; ++i) {
      HttpAnswer answer = client.call(hook_request(world.place, k_stop));
      CHECK(answer.status == 200);
      CHECK(answer.field("Content-Type") == "application/json");
      CHECK(answer.body == "{}");
    }
    std::vector<hook::HookEvent> rung = world.rung();
    REQUIRE(rung.size() == 3);
    CHECK(rung[0].time_ms > 1'700'000'000'000); // the machine's clock, in 2023 or later
    rung[0].time_ms = 0;
    CHECK(rung[0]
          == hook::HookEvent{.agent = "claude-code",
                             .event = "Stop",
                             .session = "3f1c",
                             .transcript = "/home/ada/.claude/projects/p/3f1c.jsonl",
                             .cwd = "/home/ada/p"});
    CHECK(client.call(world.modern("hello")).status == 200);
  }

  TEST_CASE("the path names the event where the agent does not") {
    HttpWorld world;
    HttpRequest request =
        hook_request(world.place, R"({"sessionId":"c0ff","transcriptPath":"/t/events.jsonl"})");
    request.target = "/hook/agentStop?x";
    CHECK(status_of(world.place, request) == 200);
    request = hook_request(world.place, k_stop);
    request.target = "/hook/Other";
    CHECK(status_of(world.place, request) == 200);
    std::vector<hook::HookEvent> rung = world.rung();
    REQUIRE(rung.size() == 2);
    CHECK(rung[0].event == "agentStop");
    CHECK(rung[0].session == "c0ff");
    CHECK(rung[0].agent == "github-copilot");
    CHECK(rung[1].event == "Stop");
  }

  TEST_CASE("without the token nothing rings, and nothing for the page of a browser") {
    HttpWorld world;
    HttpRequest good = hook_request(world.place, k_stop);
    for (const char* target : {"/hook", "/hook/Stop"}) {
      CAPTURE(target);
      good.target = target;
      auto status = [&](std::string_view name, std::string_view value) {
        return status_of(world.place, HttpRequest(good).set(name, value));
      };
      CHECK(status_of(world.place, HttpRequest(good).without("Authorization")) == 401);
      CHECK(status("Authorization", "Bearer " + std::string(world.place.token.size(), 'x')) == 401);
      CHECK(status("Origin", "https://evil.com") == 403);
      CHECK(status("Origin", "null") == 403);
      CHECK(status("Host", "evil.com") == 403);
    }
    CHECK(world.rung().empty());
  }

  TEST_CASE("a page is refused also where no token is asked for") {
    HttpWorld world(false);
    HttpRequest request = hook_request(world.place, k_stop).without("Authorization");
    CHECK(status_of(world.place, HttpRequest(request).set("Origin", "https://evil.com")) == 403);
    // What a page may send without asking first.
    CHECK(status_of(world.place, HttpRequest(request).set("Content-Type", "text/plain")) == 415);
    CHECK(world.rung().empty());
    CHECK(status_of(world.place, request) == 200);
    CHECK(world.rung().size() == 1);
  }

  TEST_CASE("only POST, of JSON as it is, with a length") {
    HttpWorld world;
    HttpRequest good = hook_request(world.place, k_stop);
    for (const char* method : {"GET", "DELETE", "PUT", "OPTIONS"}) {
      CAPTURE(method);
      HttpRequest request = good;
      request.method = method;
      HttpAnswer answer = HttpClient(world.place).call(request);
      CHECK(answer.status == 405);
      CHECK(answer.field("Allow") == "POST");
    }
    CHECK(status_of(world.place, HttpRequest(good).without("Content-Type")) == 415);
    CHECK(status_of(world.place, HttpRequest(good).set("Content-Encoding", "gzip")) == 415);
    std::string text = good.text();
    std::size_t length = text.find("Content-Length");
    REQUIRE(length != std::string::npos);
    text.erase(length, text.find("\r\n", length) + 2 - length);
    HttpClient client(world.place);
    client.send(text);
    CHECK(client.receive().status == 411);
    CHECK(world.rung().empty());
  }

  TEST_CASE("a hook says at most 1 MiB, announced or not, and others as much as ever") {
    HttpWorld world;
    HttpClient client(world.place);
    std::string most = k_stop + std::string(k_max_http_hook - k_stop.size(), ' ');
    CHECK(client.call(hook_request(world.place, most)).status == 200);
    REQUIRE(world.rung().size() == 1);
    CHECK(world.rung()[0].session == "3f1c");
    HttpRequest message = world.modern("hello");
    message.body += std::string(k_max_http_hook, ' ');
    CHECK(client.call(message).status == 200);
    HttpAnswer answer = client.call(hook_request(world.place, most + " "));
    CHECK(answer.status == 413);
    CHECK(answer.body.find("1 MiB") != std::string::npos);
    CHECK(answer.body.find("16 MiB") == std::string::npos);
    HttpClient chunked(world.place);
    chunked.send(hook_request(world.place, "").set("Transfer-Encoding", "chunked").text());
    chunked.send("100001\r\n" + most + " \r\n0\r\n\r\n");
    answer = chunked.receive();
    CHECK(answer.status == 413);
    CHECK(answer.body.find("1 MiB") != std::string::npos);
    CHECK(world.rung().size() == 1);
  }

  TEST_CASE("what is cut or no JSON disturbs nobody") {
    HttpWorld world;
    CHECK(status_of(world.place, hook_request(world.place, k_stop.substr(0, 80))) == 200);
    CHECK(status_of(world.place, hook_request(world.place, "")) == 200);
    CHECK(status_of(world.place, hook_request(world.place, "[[[[\xff")) == 200);
    std::vector<hook::HookEvent> rung = world.rung();
    REQUIRE(rung.size() == 3);
    CHECK(rung[0].session == "3f1c");
    CHECK(rung[1].session.empty());
  }

  TEST_CASE("the mirror of messages does not get what a hook said") {
    TemporaryFolder folder;
    std::string path = folder / "mirror.jsonl";
    HttpWorld world;
    auto mirror = telemetry::Mirror::create(path);
    REQUIRE(mirror);
    world.mirror_to(&*mirror);
    HttpClient client(world.place);
    CHECK(client.call(hook_request(world.place, k_stop)).status == 200);
    CHECK(client.call(world.modern("hello")).status == 200);
    world.mirror_to(nullptr);
    CHECK(file_text(path).find("hello") != std::string::npos);
    CHECK(file_text(path).find("hunter2") == std::string::npos);
  }
}
