#include "tests/support/daemon_facts.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <filesystem>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

struct Route {
  std::string name;
  HttpRequest request;
};

HttpRequest hook_told(const HttpPlace& place) {
  HttpRequest request = http_post(place, R"({"hook_event_name":"Stop","session_id":"s"})");
  request.target = "/hook";
  return request;
}

// Everything that can be asked of the server, all of it well formed; `session` is a live one.
std::vector<Route> routes(const HttpPlace& place, const std::string& session) {
  json echo = tool_params("test_echo", {{"text", "executed"}});
  std::vector<Route> all{
      {"modern call", http_modern(place, modern_message(1, "tools/call", echo))},
      {"modern discover", http_modern(place, modern_message(1, "server/discover"))},
      {"modern listen",
       http_modern(place,
                   modern_message(1,
                                  "subscriptions/listen",
                                  {{"notifications", {{"resourcesListChanged", true}}}}))},
      {"initialize", http_legacy(place, {}, legacy_initialize())},
      {"legacy call", http_legacy(place, session, legacy_message(1, "tools/call", echo))},
      {"legacy notification",
       http_legacy(place, session, {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}})},
      {"stream", http_get(place, session)},
      {"stream without a session", http_get(place, {})},
      {"delete", http_delete(place, session)},
      {"hook", hook_told(place)}};
  for (const char* target : {"/", "/mcp/", "/sse", "/message", "/mcp/../mcp", "/favicon.ico"}) {
    HttpRequest post = all.front().request;
    post.target = target;
    all.push_back({std::string("POST ") + target, post});
    HttpRequest get = http_get(place, session);
    get.target = target;
    all.push_back({std::string("GET ") + target, get});
  }
  for (const char* method : {"OPTIONS", "PUT", "HEAD", "PATCH", "TRACE", "QUERY"}) {
    HttpRequest odd = http_get(place, session);
    odd.method = method;
    all.push_back({method, odd});
  }
  return all;
}

// A daemon with a live legacy session, and a person who can ask what it did.
struct World {
  World()
      : daemon(home.path(), with_http())
      , place(http_place(home.path()))
      , person(daemon.socket())
      , owner(place)
      , session(open_legacy_session(owner, place)) {}

  // That nothing of what was refused has happened: no tool was called, and the session is alive.
  void check_untouched() {
    CHECK(counter(person, "test.echoed") == 0);
    CHECK(owner.call(http_legacy(place, session, legacy_message(7, "ping"))).status == 200);
  }

  int status_of(const HttpRequest& request) const {
    HttpClient client(place);
    client.send(request.text());
    return client.receive_head().status;
  }

  TemporaryFolder home;
  DaemonProcess daemon;
  HttpPlace place;
  Client person;
  HttpClient owner;
  std::string session;
};

// The files under a folder that hold a text.
std::vector<std::string> files_with(const std::string& folder, const std::string& text) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()
        && file_text(entry.path().string()).find(text) != std::string::npos) {
      found.push_back(entry.path().filename().string());
    }
  }
  std::ranges::sort(found);
  return found;
}

} // namespace

TEST_SUITE("http gate") {
  TEST_CASE("a Host of elsewhere is refused on every route, and nothing is done") {
    World world;
    std::vector<Route> all = routes(world.place, world.session);
    std::string port = ":" + std::to_string(world.place.port);
    for (std::string host : {std::string("evil.com"),
                             "evil.com" + port,
                             "localhost.evil.com" + port,
                             std::string("LOCALHOST.evil.com"),
                             "127.0.0.1.nip.io" + port,
                             "evil.com#127.0.0.1" + port,
                             "127.0.0.1@evil.com" + port,
                             "user@127.0.0.1" + port,
                             std::string("127.0.0.1/evil.com"),
                             std::string("127.0.0.1 evil.com"),
                             std::string("127.0.0.1,evil.com"),
                             std::string("127.0.0.2"),
                             std::string("127.1"),
                             std::string("0x7f000001"),
                             std::string("2130706433"),
                             "0.0.0.0" + port,
                             "[::]" + port,
                             "[::ffff:127.0.0.1]" + port,
                             "[::1].evil.com" + port,
                             std::string("::1"),
                             std::string("[::1"),
                             std::string("localhost."),
                             std::string("localhost:"),
                             std::string("127.0.0.1:99999"),
                             std::string("127.0.0.1:-1"),
                             "127.0.0.1" + port + ":80",
                             std::string()}) {
      for (Route route : all) {
        CAPTURE(host);
        CAPTURE(route.name);
        CHECK(world.status_of(route.request.set("Host", host)) == 403);
      }
    }
    for (Route route : all) {
      CAPTURE(route.name);
      HttpRequest twice = route.request;
      twice.fields.push_back({"Host", "evil.com"});
      CHECK(world.status_of(twice) == 403);
      CHECK(world.status_of(route.request.without("Host")) == 403);
    }
    world.check_untouched();
  }

  TEST_CASE("an Origin of elsewhere is refused on every route, and nothing is done") {
    World world;
    std::vector<Route> all = routes(world.place, world.session);
    std::string port = ":" + std::to_string(world.place.port);
    for (std::string origin : {std::string("http://evil.com"),
                               "https://evil.com" + port,
                               "http://localhost.evil.com" + port,
                               "http://127.0.0.1.nip.io" + port,
                               std::string("http://127.0.0.1@evil.com"),
                               std::string("http://evil.com/http://127.0.0.1"),
                               std::string("http://127.0.0.1, http://evil.com"),
                               std::string("http://127.0.0.1/path"),
                               std::string("http://[::1].evil.com"),
                               std::string("http://0.0.0.0"),
                               std::string("http:///127.0.0.1"),
                               std::string("//127.0.0.1"),
                               std::string("127.0.0.1"),
                               std::string("ftp://127.0.0.1"),
                               std::string("file://"),
                               std::string("null"),
                               std::string("chrome-extension://abcdefgh"),
                               std::string("vscode-webview://localhost"),
                               std::string()}) {
      for (Route route : all) {
        CAPTURE(origin);
        CAPTURE(route.name);
        CHECK(world.status_of(route.request.set("Origin", origin)) == 403);
      }
    }
    for (Route route : all) {
      CAPTURE(route.name);
      route.request.set("Origin", "http://127.0.0.1");
      route.request.fields.push_back({"Origin", "http://evil.com"});
      CHECK(world.status_of(route.request) == 403);
    }
    world.check_untouched();
  }

  TEST_CASE("what a program of this machine writes passes") {
    World world;
    std::string port = ":" + std::to_string(world.place.port);
    HttpRequest call = routes(world.place, world.session).front().request;
    for (std::string host : {"127.0.0.1" + port,
                             std::string("127.0.0.1"),
                             "localhost" + port,
                             "LocalHost" + port,
                             "[::1]" + port,
                             std::string("localhost:3000")}) {
      CAPTURE(host);
      CHECK(world.status_of(HttpRequest(call).set("Host", host)) == 200);
      for (std::string scheme : {"http://", "https://"}) {
        CHECK(world.status_of(HttpRequest(call).set("Origin", scheme + host)) == 200);
      }
    }
  }

  TEST_CASE("the token is asked for on every route") {
    World world;
    const std::string& token = world.place.token;
    REQUIRE(token.size() >= 32);
    std::string other = token;
    other.back() = other.back() == 'A' ? 'B' : 'A';
    std::string first = token;
    first.front() = first.front() == 'A' ? 'B' : 'A';
    std::string lower = token;
    std::ranges::transform(
        lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::vector<std::string> wrong{"",
                                   "Bearer",
                                   "Bearer ",
                                   "Bearer x",
                                   "Bearer " + other,
                                   "Bearer " + first,
                                   "Bearer " + token.substr(1),
                                   "Bearer " + token.substr(0, token.size() - 1),
                                   "Bearer " + token + "A",
                                   "Bearer " + token + " " + token,
                                   "Bearer " + token + ", Bearer x",
                                   "Bearer \"" + token + "\"",
                                   "Basic " + token,
                                   "Bearer" + token,
                                   token};
    if (lower != token) {
      wrong.push_back("Bearer " + lower);
    }
    for (Route route : routes(world.place, world.session)) {
      CAPTURE(route.name);
      for (const std::string& given : wrong) {
        CAPTURE(given);
        HttpClient client(world.place);
        client.send(HttpRequest(route.request).set("Authorization", given).text());
        HttpAnswer answer = client.receive_head();
        CHECK(answer.status == 401);
        CHECK(answer.field("WWW-Authenticate").starts_with("Bearer"));
      }
      HttpRequest without = HttpRequest(route.request).without("Authorization");
      CHECK(world.status_of(without) == 401);
      without.target += "?token=" + token + "&access_token=" + token;
      CHECK(world.status_of(without) == 401);
      HttpRequest elsewhere = HttpRequest(without).set("Cookie", "token=" + token);
      CHECK(world.status_of(elsewhere.set("X-Api-Key", token)) == 401);
      HttpRequest twice = route.request;
      twice.fields.push_back({"Authorization", "Bearer x"});
      CHECK(world.status_of(twice) == 401);
    }
    world.check_untouched();
  }

  TEST_CASE("a connection that was let in once is asked again with each request") {
    World world;
    HttpRequest call = routes(world.place, world.session).front().request;
    HttpClient client(world.place);
    REQUIRE(client.call(call).status == 200);
    CHECK(client.call(HttpRequest(call).without("Authorization")).status == 401);
    HttpClient second(world.place);
    REQUIRE(second.call(call).status == 200);
    CHECK(second.call(HttpRequest(call).set("Host", "evil.com")).status == 403);
    // The refused one must not get through as what follows a good one in the same packet.
    HttpClient third(world.place);
    std::int64_t before = counter(world.person, "test.echoed");
    third.send(call.text() + HttpRequest(call).set("Host", "evil.com").text() + call.text());
    CHECK(third.receive().status == 200);
    CHECK(third.receive().status == 403);
    CHECK_FALSE(third.receive_or_end());
    CHECK(counter(world.person, "test.echoed") == before + 1);
  }

  TEST_CASE("no answer invites another site in") {
    World world;
    for (Route route : routes(world.place, world.session)) {
      CAPTURE(route.name);
      HttpClient client(world.place);
      client.send(route.request.set("Origin", "http://localhost:3000").text());
      HttpAnswer answer = client.receive_head();
      CHECK(answer.field("Access-Control-Allow-Origin").empty());
      CHECK(answer.field("Location").empty());
    }
  }

  TEST_CASE("the token stands in two private files and nowhere else") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path(),
                         with_http({"--log=verbose",
                                    "--log-file",
                                    home / "log",
                                    "--mirror",
                                    home / "mirror",
                                    "--trace",
                                    home / "trace"}));
    HttpPlace place = http_place(home.path());
    HttpClient owner(place);
    std::string session = open_legacy_session(owner, place);
    for (const Route& route : routes(place, session)) {
      HttpClient client(place);
      client.send(route.request.text());
      client.receive_head();
      HttpClient refused(place);
      refused.send(HttpRequest(route.request).set("Host", "evil.com").text());
      refused.receive_head();
    }
    Client person(daemon.socket());
    CHECK(ask(person, "daemon_status").dump().find(place.token) == std::string::npos);
    std::vector<std::string> expected{"http.json", "http.token"};
    CHECK(files_with(home.path(), place.token) == expected);
    CHECK(file_text(home / "log").find("call ") != std::string::npos);
    std::string state = home / ".local/state/upskill";
    CHECK(mode_of(state + "/run") == 0700);
    CHECK(mode_of(state + "/run/http.json") == 0600);
    CHECK(mode_of(state + "/http.token") == 0600);
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_end(k_stop_limit) == 0);
    CHECK_FALSE(std::filesystem::exists(state + "/run/http.json"));
    expected = {"http.token"};
    CHECK(files_with(home.path(), place.token) == expected);
  }

  TEST_CASE("a token that others could have read is not used any more") {
    TemporaryFolder home;
    std::string state = home / ".local/state/upskill";
    std::string token;
    {
      DaemonProcess daemon(home.path(), with_http());
      token = http_place(home.path()).token;
    }
    {
      DaemonProcess daemon(home.path(), with_http());
      CHECK(http_place(home.path()).token == token); // clients have it in their settings
    }
    SUBCASE("open to others") {
      std::filesystem::permissions(state + "/http.token", std::filesystem::perms(0644));
    }
    SUBCASE("a link") {
      std::filesystem::rename(state + "/http.token", home / "token");
      std::filesystem::create_symlink(home / "token", state + "/http.token");
    }
    SUBCASE("empty") {
      put_file(state + "/http.token", "");
    }
    SUBCASE("short") {
      put_file(state + "/http.token", "A\n");
    }
    DaemonProcess daemon(home.path(), with_http());
    HttpPlace place = http_place(home.path());
    CHECK(place.token != token);
    CHECK(place.token.size() == token.size());
    CHECK(mode_of(state + "/http.token") == 0600);
  }
}
