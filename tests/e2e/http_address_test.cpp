#include "tests/support/daemon_process.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

// Everywhere that a process listens for TCP, as the kernel writes it: `ADDRESS:PORT `, one behind
// the other (proc(5); the state 0A is LISTEN).
std::string listening(pid_t process) {
  std::set<std::string> sockets;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd")) {
    std::error_code ignored; // it may be closed by now
    sockets.insert(std::filesystem::read_symlink(entry, ignored).string());
  }
  std::string places;
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream table(path);
    std::string line;
    std::getline(table, line); // the titles
    while (std::getline(table, line)) {
      std::istringstream stream(line);
      std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
      REQUIRE_MESSAGE(words.size() > 9, line);
      if (words[3] == "0A" && sockets.contains("socket:[" + words[9] + "]")) {
        places += words[1] + " ";
      }
    }
  }
  return places;
}

std::string only(std::string_view address, std::uint16_t port) {
  std::ostringstream place;
  place << address << ":" << std::uppercase << std::hex << std::setw(4) << std::setfill('0') << port
        << " ";
  return place.str();
}

bool has_ipv6_loopback() {
  UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  return socket && ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

} // namespace

TEST_SUITE("http address") {
  TEST_CASE("only addresses of this machine can be served at") {
    for (const char* address : {"0.0.0.0:0",
                                "[::]:0",
                                "*:0",
                                ":0",
                                "0",
                                "192.168.0.1:0",
                                "10.0.0.1:80",
                                "127.0.0.2:0",
                                "localhost.evil.com:0",
                                "127.0.0.1",
                                "127.0.0.1:",
                                "127.0.0.1:x",
                                "127.0.0.1:65536",
                                "127.0.0.1:-1",
                                "127.0.0.1:0 "}) {
      CAPTURE(address);
      TemporaryFolder home;
      DaemonProcess daemon(home.path(), {{"--http", address}});
      CHECK(daemon.wait_end() == 3);
      std::string said = file_text(home / "stderr");
      CHECK(said.find("hint: ") != std::string::npos);
      CHECK_FALSE(std::filesystem::exists(home / ".local/state/upskill/run/http.json"));
    }
  }

  TEST_CASE("it listens at the loopback address alone") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), with_http());
    CHECK(listening(daemon.pid()) == only("0100007F", http_place(home.path()).port));
  }

  TEST_CASE("at the loopback address of IPv6 it is the same server, and there alone") {
    if (!has_ipv6_loopback()) {
      MESSAGE("skipped: this machine has no loopback address of IPv6");
      return;
    }
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), {{"--http", "[::1]:0"}});
    HttpPlace place = http_place(home.path());
    REQUIRE(place.url == "http://[::1]:" + std::to_string(place.port) + "/mcp");
    CHECK(listening(daemon.pid()) == only("00000000000000000000000001000000", place.port));
    HttpClient owner(place);
    std::string session = open_legacy_session(owner, place);
    CHECK(owner.call(http_legacy(place, session, legacy_message(1, "ping"))).status == 200);
    json echo = tool_params("test_echo", {{"text", "executed"}});
    HttpRequest call = http_modern(place, modern_message(1, "tools/call", echo));
    CHECK(text_of(owner.call(call).message()) == "executed");
    CHECK(HttpClient(place).call(HttpRequest(call).without("Authorization")).status == 401);
    for (const char* host : {"evil.com", "[::]", "[::1].evil.com", "[::ffff:127.0.0.1]"}) {
      CAPTURE(host);
      CHECK(HttpClient(place).call(HttpRequest(call).set("Host", host)).status == 403);
    }
  }
}
