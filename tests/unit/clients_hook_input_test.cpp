#include "clients/hook/input.h"
#include "protocol/base/unique_fd.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

using namespace upskill;
using upskill::hook::Patience;
using upskill::hook::read_input;

namespace {

struct Ends {
  UniqueFd reading;
  UniqueFd writing;
};

Ends make_pipe() {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void say(int fd, std::string_view text) {
  REQUIRE(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

// A wait that is never meant to end by itself.
constexpr Patience k_endless{60'000, 60'000, 60'000};
constexpr Patience k_short{20, 10, 200};

long milliseconds_of(const std::function<void()>& work) {
  using namespace std::chrono;
  auto start = steady_clock::now();
  work();
  return duration_cast<milliseconds>(steady_clock::now() - start).count();
}

} // namespace

TEST_SUITE("read_input") {
  TEST_CASE("everything until the end, in however many pieces") {
    Ends pipe = make_pipe();
    std::array<char, 100> kept{};
    std::thread writer([&] {
      for (std::string_view piece : {"{\"a\":", "1}", "\n", "{}"}) {
        say(pipe.writing.get(), piece);
        std::this_thread::yield();
      }
      pipe.writing.reset();
    });
    CHECK(read_input(pipe.reading.get(), kept, k_endless) == "{\"a\":1}\n{}");
    writer.join();
  }

  TEST_CASE("nothing, a closed descriptor, a folder and a socket that was shut") {
    std::array<char, 10> kept{};
    UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    CHECK(read_input(nothing.get(), kept, k_endless).empty());
    CHECK(read_input(-1, kept, k_short).empty());
    UniqueFd folder(::open("/", O_RDONLY | O_CLOEXEC));
    CHECK(read_input(folder.get(), kept, k_endless).empty());
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    UniqueFd one(ends[0]);
    UniqueFd other(ends[1]);
    say(other.get(), "{}");
    REQUIRE(::shutdown(other.get(), SHUT_WR) == 0);
    CHECK(read_input(one.get(), kept, k_endless) == "{}");
  }

  TEST_CASE("what is over the limit is read all the same, so that the agent can finish") {
    Ends pipe = make_pipe();
    std::array<char, 1000> kept{};
    std::string text(300'000, 'x'); // more than a pipe holds
    std::thread writer([&] {
      std::string_view rest = text;
      while (!rest.empty()) {
        ssize_t written = ::write(pipe.writing.get(), rest.data(), rest.size());
        if (written <= 0) {
          break;
        }
        rest.remove_prefix(static_cast<std::size_t>(written));
      }
      CHECK(rest.empty());
      pipe.writing.reset();
    });
    CHECK(read_input(pipe.reading.get(), kept, k_endless) == text.substr(0, 1000));
    writer.join();
  }

  TEST_CASE("an agent that says nothing, or never ends, is not waited for") {
    Ends pipe = make_pipe();
    std::array<char, 100> kept{};
    CHECK(read_input(pipe.reading.get(), kept, k_short).empty());
    say(pipe.writing.get(), "{\"a\":1");
    CHECK(read_input(pipe.reading.get(), kept, k_short) == "{\"a\":1");
    say(pipe.writing.get(), "{\"a\":1}\n");
    // Only the wait behind a brace can end this one.
    long taken = milliseconds_of([&] {
      CHECK(read_input(pipe.reading.get(), kept, {60'000, 10, 60'000}) == "{\"a\":1}\n");
    });
    CHECK(taken < 30'000);
  }

  TEST_CASE("an agent that says something for ever is not waited for") {
    UniqueFd endless(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    std::array<char, 100> kept{};
    long taken =
        milliseconds_of([&] { CHECK(read_input(endless.get(), kept, k_short).size() == 100); });
    CHECK(taken >= 200);
    CHECK(taken < 30'000);
  }
}
