#include "daemon/handover.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

using namespace upskill;
using namespace upskill::daemon;

namespace {

// One byte with `count` copies of the socket's own descriptor, five at most.
void send_descriptors(int socket, std::size_t count) {
  std::array<int, 5> many;
  many.fill(socket);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof many)> control{};
  char byte = 'x';
  iovec place{&byte, 1};
  msghdr message{};
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(part), many.data(), count * sizeof(int));
  REQUIRE(::sendmsg(socket, &message, 0) == 1);
}

} // namespace

TEST_SUITE("handover") {
  TEST_CASE("a bridge's first line is told from any other") {
    CHECK(*is_handover(R"({"jsonrpc":"2.0","method":"upskill/handover","params":{"version":1}})"));
    CHECK_FALSE(*is_handover(R"({"jsonrpc":"2.0","method":"ping","id":"upskill/handover"})"));
    CHECK_FALSE(*is_handover(R"({"method":"upskill/handover")"));
    CHECK_FALSE(*is_handover(""));
    auto newer = is_handover(R"({"method":"upskill/handover","params":{"version":2}})");
    REQUIRE_FALSE(newer);
    CHECK(newer.error().code == ErrorCode::unsupported);
  }

  TEST_CASE("what a bridge is told is JSON on one line") {
    auto line = refused_line({ErrorCode::busy, "it says \"no\"\n", "wait"});
    CHECK(line.find('\n') == line.size() - 1);
    CHECK(nlohmann::json::parse(line)["params"]["message"] == "it says \"no\"\n");
    CHECK(nlohmann::json::parse(accepted_line(12))["params"]["pid"] == 12);
    CHECK(nlohmann::json::parse(k_ended_line)["method"] == "upskill/ended");
    CHECK(nlohmann::json::parse(k_stopping_line)["method"] == "upskill/stopping");
  }

  TEST_CASE("a pipe stops blocking for us alone") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    UniqueFd write_end(ends[1]);
    UniqueFd theirs(::dup(ends[0]));
    auto ours = without_blocking(UniqueFd(ends[0]), O_RDONLY);
    REQUIRE(ours);
    CHECK((::fcntl(ours->get(), F_GETFL) & O_NONBLOCK) != 0);
    CHECK((::fcntl(theirs.get(), F_GETFL) & O_NONBLOCK) == 0);
  }

  TEST_CASE("a socket gets the flag, and what cannot be waited for is refused") {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    UniqueFd other(ends[1]);
    auto ours = without_blocking(UniqueFd(ends[0]), O_RDWR);
    REQUIRE(ours);
    CHECK((::fcntl(ours->get(), F_GETFL) & O_NONBLOCK) != 0);
    auto null = without_blocking(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)), O_RDONLY);
    REQUIRE_FALSE(null);
    CHECK(null.error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("as many descriptors as expected arrive, and where more come all are closed") {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    UniqueFd ours(ends[0]);
    UniqueFd theirs(ends[1]);
    std::array<char, 16> room;
    for (std::size_t count : {1u, 3u, 4u, 5u}) {
      CAPTURE(count);
      send_descriptors(theirs.get(), count);
      Received received = receive_with_descriptors(ours.get(), room);
      CHECK(received.bytes == 1);
      CHECK(received.descriptors.size() == (count <= k_handed_over ? count : 0));
      for (const UniqueFd& descriptor : received.descriptors) {
        CHECK((::fcntl(descriptor.get(), F_GETFD) & FD_CLOEXEC) != 0);
      }
    }
  }
}
