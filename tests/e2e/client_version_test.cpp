#include "protocol/base/paths.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

// Listens where the daemon of this home would.
UniqueFd listen_in(const std::string& home) {
  auto places = find_places(
      [&](std::string_view name) { return name == "HOME" ? std::optional(home) : std::nullopt; });
  REQUIRE(places);
  std::filesystem::create_directories(places->run());
  std::filesystem::permissions(places->run(), std::filesystem::perms(0700));
  std::string path = socket_path(*places, ::geteuid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(socket.get(), 4) == 0);
  return socket;
}

std::string version_of_client(const std::string& home) {
  Program program(home, {"--version"});
  std::string line = program.line().value_or("");
  CHECK(program.wait_end() == 0);
  return line.substr(line.rfind(' ') + 1);
}

} // namespace

TEST_SUITE("upskill") {
  TEST_CASE("it tells the daemon its version, and a person when that is another") {
    TemporaryFolder home;
    std::string version = version_of_client(home.path());
    UniqueFd listener = listen_in(home.path());
    Program program(home.path(), {"doctor", "--json"});
    Client connection(UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)));
    json request = json::parse(connection.line());
    CHECK(request["params"]["_meta"]["upskill/context"]["version"] == version);
    json result{{"healthy", true}, {"findings", json::array()}};
    json meta{{"io.modelcontextprotocol/serverInfo", {{"name", "upskill"}, {"version", "0.0.9"}}}};
    json answer{
        {"jsonrpc", "2.0"},
        {"id", request["id"]},
        {"result", {{"content", json::array()}, {"structuredContent", result}, {"_meta", meta}}}};
    connection.send(answer.dump() + "\n");
    CHECK(json::parse(program.line().value_or("")) == result);
    CHECK(program.wait_end() == 0);
    std::string said = file_text(home / "client-stderr");
    CHECK(said.find("the daemon is version 0.0.9, this is " + version) != std::string::npos);
  }
}
