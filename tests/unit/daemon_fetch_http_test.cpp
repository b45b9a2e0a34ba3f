#include "tests/unit/daemon_fetch_world.h"
#include "tests/unit/skills_install_archives.h"

#include <dlfcn.h>
#include <netdb.h>

#include <filesystem>

using namespace fetch_test;
using namespace std::chrono_literals;

// What libcurl finds in place of the C library's: it is exported from this program.
extern "C" int
getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
  static auto* next = reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  std::string_view name = host == nullptr ? "" : host;
  if (known_hosts().contains(std::string(name))) {
    return next("127.0.0.1", service, hints, found);
  }
  bool is_address = name.find_first_not_of("0123456789.:abcdef") == std::string_view::npos;
  return is_address ? next(host, service, hints, found) : EAI_NONAME;
}

namespace {

template <class T> ErrorCode code_of(const Result<T>& result) {
  INFO((result ? "" : result.error().message));
  return result ? ErrorCode::internal : result.error().code;
}

// One connection that is kept, and answers whatever is asked.
asio::awaitable<void> serve(asio::ip::tcp::acceptor* acceptor, std::vector<std::string>* requests) {
  asio::ip::tcp::socket socket = co_await acceptor->async_accept(asio::use_awaitable);
  acceptor->close();
  char bytes[4096];
  for (;;) {
    auto token = asio::as_tuple(asio::use_awaitable);
    auto [problem, size] = co_await socket.async_read_some(asio::buffer(bytes), token);
    if (problem) {
      co_return;
    }
    requests->emplace_back(bytes, size);
    std::string answer = "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx";
    co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
  }
}

// The person, the person again, somebody else.
asio::awaitable<Result<void>>
ask_twice(World* world, asio::ip::tcp::acceptor* acceptor, std::vector<std::string>* requests) {
  runtime::TaskGroup group(world->server_world.io.get_executor(), [](std::exception_ptr) {});
  known_hosts().insert("kept.example");
  std::string url =
      "http://kept.example:" + std::to_string(acceptor->local_endpoint().port()) + "/";
  group.start(serve(acceptor, requests));
  Result<void> last;
  for (NamedBy by : {NamedBy::person, NamedBy::person, NamedBy::other}) {
    FetchSetting setting = world->setting;
    setting.by = by;
    AWAIT(Result<FetchReply> reply, http_get(world->server_world.http, url, {}, 100, setting));
    last = reply ? Result<void>() : fail(std::move(reply).error());
  }
  group.cancel_all();
  AWAIT_DONE(group.join());
  co_return last;
}

} // namespace

TEST_SUITE("http_get") {
  TEST_CASE("an answer, where it came from, and headers") {
    World world;
    world.answer("200 OK", "hello", "x-thing: a\r\n");
    Result<FetchReply> reply = world.get(world.url("/a?b"));
    REQUIRE_MESSAGE(reply.has_value(), (reply ? "" : reply.error().message));
    CHECK(reply->status == 200);
    CHECK(reply->body == "hello");
    CHECK(models::header(reply->headers, "x-thing") == "a");
    CHECK(reply->url == world.url("/a?b"));
    CHECK(reply->address == "127.0.0.1");
    CHECK(world.server.requests.at(0).starts_with("GET /a?b HTTP/1.1\r\n"));
    CHECK(world.server.requests.at(0).find("x-key: k\r\n") != std::string::npos);
  }

  TEST_CASE("any status is an answer") {
    World world;
    world.answer("404 Not Found", "none");
    CHECK(world.get(world.url("/"))->status == 404);
  }

  TEST_CASE("redirects are followed, and only the last body is kept") {
    World world;
    world.redirect("../b", "301 Moved");
    world.redirect(world.url("/c"), "308 Moved");
    world.answer("200 OK", "here");
    Result<FetchReply> reply = world.get(world.url("/a/x"));
    REQUIRE(reply);
    CHECK(reply->body == "here");
    CHECK(reply->url == world.url("/c"));
    CHECK(world.server.requests.at(1).starts_with("GET /b "));
  }

  TEST_CASE("five redirects and no more") {
    World five;
    for (int i = 0; i < 5; ++i) {
      five.redirect("/next");
    }
    five.answer("200 OK", "end");
    CHECK(five.get(five.url("/"))->body == "end");
    World six;
    for (int i = 0; i < 7; ++i) {
      six.redirect("/next");
    }
    CHECK(code_of(six.get(six.url("/"))) == ErrorCode::unavailable);
    CHECK(six.asked() == 6);
  }

  TEST_CASE("redirects that lead nowhere") {
    for (const std::string& to : {"file:///etc/passwd", "gopher://x/", "http://u@x/", "x y"}) {
      World world;
      world.redirect(to);
      CHECK(code_of(world.get(world.url("/"))) == ErrorCode::invalid_argument);
      CHECK(world.asked() == 1);
    }
  }

  TEST_CASE("what nobody named is not on this machine") {
    for (const std::string& host : {"127.0.0.1",
                                    "localhost",
                                    "127.1",
                                    "2130706433",
                                    "[::1]",
                                    "[::ffff:127.0.0.1]",
                                    "0x7f.0.0.1"}) {
      CAPTURE(host);
      World world;
      world.setting.by = NamedBy::other;
      std::string address = "http://" + host + ":" + std::to_string(world.server.port()) + "/";
      CHECK(code_of(world.get(address)) == ErrorCode::refused);
      CHECK(world.asked() == 0);
    }
  }

  TEST_CASE("a name that leads to this machine is refused when it is connected to") {
    World world;
    world.setting.by = NamedBy::other;
    world.answer("200 OK", "secret");
    Result<FetchReply> reply = world.get(world.url_of("rebound.example", "/"));
    CHECK(code_of(reply) == ErrorCode::refused);
    CHECK(reply.error().message.find("rebound.example") != std::string::npos);
    CHECK(world.asked() == 0);
    World closed; // whether anybody is there is not found out either
    closed.setting.by = NamedBy::other;
    known_hosts().insert("rebound.example");
    CHECK(code_of(closed.get("http://rebound.example:1/")) == ErrorCode::refused);
  }

  TEST_CASE("the same name is a person's to reach, or the configuration's") {
    World person;
    person.answer("200 OK", "mine");
    CHECK(person.get(person.url_of("nas.example", "/"))->body == "mine");
    World listed;
    listed.setting.by = NamedBy::other;
    listed.setting.private_hosts = {"nas.example"};
    listed.answer("200 OK", "mine");
    Result<FetchReply> reply = listed.get(listed.url_of("nas.example", "/"));
    REQUIRE(reply);
    CHECK(reply->address == "127.0.0.1");
  }

  TEST_CASE("a redirect from a person's host to another on this machine") {
    World world;
    world.redirect(world.url_of("other.example", "/secret"));
    world.answer("200 OK", "secret");
    CHECK(code_of(world.get(world.url("/"))) == ErrorCode::refused);
    CHECK(world.asked() == 1);
    World listed;
    listed.redirect(listed.url_of("other.example", "/public"));
    listed.answer("200 OK", "public");
    listed.setting.private_hosts = {"other.example:" + std::to_string(listed.server.port())};
    Result<FetchReply> reply = listed.get(listed.url("/"));
    REQUIRE(reply);
    CHECK(reply->body == "public");
    // A key goes to the first host only.
    CHECK(listed.server.requests.at(1).find("x-key") == std::string::npos);
  }

  TEST_CASE("metadata of clouds, for nobody") {
    for (const std::string& address :
         {"http://169.254.169.254/latest/meta-data/", "http://0.0.0.0/", "http://[::]/"}) {
      World world;
      world.setting.private_hosts = {"169.254.169.254"};
      CHECK(code_of(world.get(address)) == ErrorCode::refused);
    }
  }

  TEST_CASE("http into the internet") {
    World world;
    Result<FetchReply> reply = world.get("http://1.1.1.1/");
    CHECK(code_of(reply) == ErrorCode::refused);
    CHECK(reply.error().hint.find("https") != std::string::npos);
  }

  TEST_CASE("a connection that was kept is asked about again") {
    World world;
    asio::ip::tcp::acceptor acceptor(world.server_world.io, {asio::ip::address_v4::loopback(), 0});
    std::vector<std::string> requests;
    CHECK(code_of(world.run(ask_twice(&world, &acceptor, &requests))) == ErrorCode::refused);
    CHECK(requests.size() == 2); // both of the person, over one connection
  }

  TEST_CASE("through a proxy, which is a person's choice") {
    World world;
    world.setting.by = NamedBy::other;
    world.setting.environment = models_test::with({{"http_proxy", world.url("")}});
    world.setting.private_hosts = {"10.0.0.5"};
    world.answer("200 OK", "by proxy");
    Result<FetchReply> reply = world.get("http://10.0.0.5/x");
    REQUIRE_MESSAGE(reply.has_value(), (reply ? "" : reply.error().message));
    CHECK(reply->body == "by proxy");
    CHECK(reply->address.empty());
    CHECK(world.server.requests.at(0).starts_with("GET http://10.0.0.5/x "));
    // It is no way around the rules.
    World around;
    around.setting = world.setting;
    around.setting.environment = models_test::with({{"http_proxy", around.url("")}});
    CHECK(code_of(around.get("http://10.0.0.6/x")) == ErrorCode::refused);
    CHECK(around.asked() == 0);
    World plain;
    plain.setting.environment = models_test::with({{"all_proxy", plain.url("")}});
    plain.answer("200 OK", "changed on the way");
    CHECK(code_of(plain.get("http://example.org/x")) == ErrorCode::refused);
    // What is excepted goes without it.
    World excepted;
    excepted.answer("200 OK", "direct");
    std::string address = excepted.url_of("a.nas.example", "/");
    excepted.setting.environment =
        models_test::with({{"http_proxy", "http://127.0.0.1:1"}, {"no_proxy", "x, .NAS.example"}});
    Result<FetchReply> direct = excepted.get(address);
    REQUIRE_MESSAGE(direct.has_value(), (direct ? "" : direct.error().message));
    CHECK(direct->body == "direct");
  }

  TEST_CASE("too many bytes, and too long a time") {
    World world;
    world.answer("200 OK", std::string(101, 'x'));
    CHECK(code_of(world.get(world.url("/"), 100)) == ErrorCode::too_large);
    World silent;
    silent.server.replies = {{"HTTP/1.1 200 OK\r\n\r\n", true}};
    silent.setting.deadlines.first_byte = 20ms;
    CHECK(code_of(silent.get(silent.url("/"))) == ErrorCode::timed_out);
    World slow; // hops count together
    slow.redirect("/next");
    slow.server.replies.push_back({"HTTP/1.1 200 OK\r\n\r\nx", true});
    slow.setting.deadlines.total = 100ms;
    CHECK(code_of(slow.get(slow.url("/"))) == ErrorCode::timed_out);
  }

  TEST_CASE("a post, and its redirect") {
    World world;
    world.redirect("/next", "307 Moved");
    Result<FetchReply> reply = world.run(
        http_post(world.server_world.http, world.url("/mcp"), {}, "body", 1000, world.setting));
    REQUIRE(reply);
    CHECK(reply->status == 307);
    CHECK(reply->body == "moved");
    CHECK(world.asked() == 1);
    CHECK(world.server.requests.at(0).starts_with("POST /mcp "));
    CHECK(world.server.requests.at(0).ends_with("\r\n\r\nbody"));
    World refused;
    refused.setting.by = NamedBy::other;
    CHECK(code_of(refused.run(http_post(
              refused.server_world.http, refused.url("/"), {}, "", 1000, refused.setting)))
          == ErrorCode::refused);
  }
}

TEST_SUITE("http_download") {
  TEST_CASE("into a new file, with its digest") {
    World world;
    world.redirect("/next");
    world.answer("200 OK", "end");
    std::string file = world.folder / "file";
    Result<Downloaded> got =
        world.run(http_download(world.server_world.http, world.url("/"), file, 100, world.setting));
    REQUIRE_MESSAGE(got.has_value(), (got ? "" : got.error().message));
    CHECK(test::read(file) == "end");
    CHECK(got->digest == sha256("end"));
    CHECK(got->url == world.url("/next"));
  }

  TEST_CASE("a packed file stays packed, whatever the server calls it") {
    World world;
    std::string packed = install_test::gzip("bytes");
    world.answer("200 OK", packed, "content-encoding: gzip\r\n");
    std::string file = world.folder / "file";
    REQUIRE(world.run(
        http_download(world.server_world.http, world.url("/"), file, 100, world.setting)));
    CHECK(test::read(file) == packed);
    World asked;
    asked.answer("200 OK", packed, "content-encoding: gzip\r\n");
    CHECK(asked.get(asked.url("/"))->body == "bytes");
  }

  TEST_CASE("nothing that is there is written over") {
    World world;
    test::write(world.folder / "elsewhere", "mine");
    std::filesystem::create_symlink(world.folder / "elsewhere", world.folder / "file");
    CHECK_FALSE(world.run(http_download(
        world.server_world.http, world.url("/"), world.folder / "file", 100, world.setting)));
    CHECK(test::read(world.folder / "elsewhere") == "mine");
    CHECK(world.asked() == 0);
  }

  TEST_CASE("each status is its own error") {
    for (auto [status, code] : {std::pair("404 Not Found", ErrorCode::not_found),
                                std::pair("410 Gone", ErrorCode::not_found),
                                std::pair("401 Unauthorized", ErrorCode::refused),
                                std::pair("403 Forbidden", ErrorCode::refused),
                                std::pair("500 Broken", ErrorCode::unavailable),
                                std::pair("204 Nothing", ErrorCode::unavailable)}) {
      World world;
      world.server.replies = {
          {std::string("HTTP/1.1 ") + status + "\r\nconnection: close\r\n"
           + (std::string_view(status).starts_with("204") ? "\r\n"
                                                          : "content-length: 1\r\n\r\nx")}};
      CHECK(
          code_of(world.run(http_download(
              world.server_world.http, world.url("/"), world.folder / "file", 100, world.setting)))
          == code);
    }
  }
}
