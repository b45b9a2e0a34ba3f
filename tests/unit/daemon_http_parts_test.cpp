#include "daemon/http/address.h"
#include "daemon/http/credentials.h"
#include "protocol/http/token.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <unistd.h>

using namespace upskill;
using namespace upskill::http;
using upskill::tests::file_text;
using upskill::tests::mode_of;
using upskill::tests::put_file;
using upskill::tests::TemporaryFolder;

TEST_SUITE("address") {
  TEST_CASE("only this machine's own addresses") {
    CHECK(*parse_address("127.0.0.1:4147") == Address{false, 4147});
    CHECK(*parse_address("localhost:0") == Address{false, 0});
    CHECK(*parse_address("[::1]:65535") == Address{true, 65535});
    for (const char* text : {"",
                             "127.0.0.1",
                             "127.0.0.1:",
                             "127.0.0.1:65536",
                             "127.0.0.1:-1",
                             "127.0.0.1:1x",
                             "127.0.0.1:1 ",
                             "0.0.0.0:1",
                             "192.168.0.1:1",
                             "::1:1",
                             "[::]:1",
                             "*:1",
                             ":1",
                             "example.com:1"}) {
      CAPTURE(text);
      auto parsed = parse_address(text);
      REQUIRE_FALSE(parsed);
      CHECK_FALSE(parsed.error().hint.empty());
    }
    CHECK(url_of({false, 80}) == "http://127.0.0.1:80/mcp");
    CHECK(url_of({true, 80}) == "http://[::1]:80/mcp");
  }

  TEST_CASE("a port that is taken is told, with what to do") {
    Address address{false, 0};
    auto first = listen_at(address);
    REQUIRE(first);
    CHECK(address.port != 0);
    auto second = listen_at(address);
    REQUIRE_FALSE(second);
    CHECK(second.error().message.find(std::to_string(address.port)) != std::string::npos);
    CHECK_FALSE(second.error().hint.empty());
  }
}

TEST_SUITE("credentials") {
  TEST_CASE("the token stays the same, and only its user reads it") {
    TemporaryFolder folder;
    Places places;
    places.state = folder / "state";
    auto token = stable_token(places);
    REQUIRE(token);
    CHECK(is_token(*token));
    CHECK(mode_of(places.state + "/http.token") == 0600);
    CHECK(*stable_token(places) == *token);
  }

  TEST_CASE("a token that others could know is made anew") {
    TemporaryFolder folder;
    Places places;
    places.state = folder / "state";
    std::string path = places.state + "/http.token";
    std::string token = *stable_token(places);
    SUBCASE("readable by others") {
      REQUIRE(::chmod(path.c_str(), 0640) == 0);
    }
    SUBCASE("a link") {
      REQUIRE(::rename(path.c_str(), (folder / "elsewhere").c_str()) == 0);
      REQUIRE(::symlink((folder / "elsewhere").c_str(), path.c_str()) == 0);
    }
    SUBCASE("cut short") {
      put_file(path, token.substr(1));
    }
    auto other = stable_token(places);
    REQUIRE(other);
    CHECK(is_token(*other));
    CHECK(*other != token);
    CHECK(mode_of(path) == 0600);
    CHECK(file_text(path) == *other + "\n");
  }

  TEST_CASE("the description comes and goes") {
    TemporaryFolder folder;
    Places places;
    places.state = folder / "state";
    REQUIRE(write_description(places, "http://127.0.0.1:1/mcp", "abc"));
    nlohmann::json told = nlohmann::json::parse(file_text(description_path(places)));
    CHECK(told["url"] == "http://127.0.0.1:1/mcp");
    CHECK(told["token"] == "abc");
    CHECK(mode_of(description_path(places)) == 0600);
    CHECK(mode_of(places.run()) == 0700);
    REQUIRE(write_description(places, "http://127.0.0.1:1/mcp", ""));
    CHECK_FALSE(nlohmann::json::parse(file_text(description_path(places))).contains("token"));
    remove_description(places);
    CHECK(::access(description_path(places).c_str(), F_OK) != 0);
  }
}
