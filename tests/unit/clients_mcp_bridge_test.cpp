#include "clients/connect/line_stream.h"
#include "clients/mcp/bridge.h"
#include "clients/mcp/handover.h"
#include "tests/unit/clients_folder.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

using namespace upskill;

namespace {

constexpr int k_limit_ms = 5000;

bool readable(int descriptor, int limit_ms = k_limit_ms) {
  pollfd entry{descriptor, POLLIN, 0};
  return ::poll(&entry, 1, limit_ms) > 0;
}

struct Ends {
  UniqueFd first;
  UniqueFd second;
};

Ends pipe_ends() {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Ends socket_ends() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::string read_some(int descriptor) {
  std::array<char, 4096> buffer;
  REQUIRE(readable(descriptor));
  ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  REQUIRE(got >= 0);
  return {buffer.data(), static_cast<std::size_t>(got)};
}

ino_t file_of(const UniqueFd& descriptor) {
  struct stat status {};

  REQUIRE(::fstat(descriptor.get(), &status) == 0);
  return status.st_ino;
}

// What a daemon got from a bridge.
struct Handover {
  UniqueFd socket;
  std::string line;
  UniqueFd input;
  UniqueFd output;
  UniqueFd memory;

  void say(std::string_view method, std::string_view params = "{}") {
    std::string notice = "{\"jsonrpc\":\"2.0\",\"method\":\"upskill/" + std::string(method)
                         + "\",\"params\":" + std::string(params) + "}\n";
    REQUIRE(::send(socket.get(), notice.data(), notice.size(), MSG_NOSIGNAL)
            == static_cast<ssize_t>(notice.size()));
  }
};

// A stand-in for the daemon: bridges reach it through `connector`.
class Listener {
public:
  Listener()
      : m_queue(socket_ends()) {}

  // Called on the bridge's thread; hands the daemon's end over to the test's.
  std::function<Result<UniqueFd>()> connector() {
    return [this]() -> Result<UniqueFd> {
      int ends[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return fail(ErrorCode::io, "no socket pair");
      }
      (void)!::write(m_queue.second.get(), &ends[1], sizeof ends[1]);
      return UniqueFd(ends[0]);
    };
  }

  bool somebody_waits(int limit_ms) const { return readable(m_queue.first.get(), limit_ms); }

  Handover accept() {
    Handover got;
    int end = -1;
    REQUIRE(readable(m_queue.first.get()));
    REQUIRE(::read(m_queue.first.get(), &end, sizeof end) == sizeof end);
    got.socket.reset(end);
    std::array<char, 1024> bytes;
    alignas(cmsghdr) std::array<char, 256> control{};
    iovec piece{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    REQUIRE(readable(end));
    ssize_t length = ::recvmsg(end, &message, MSG_CMSG_CLOEXEC);
    REQUIRE(length > 0);
    got.line.assign(bytes.data(), static_cast<std::size_t>(length));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    REQUIRE(header != nullptr);
    REQUIRE(header->cmsg_len == CMSG_LEN(3 * sizeof(int)));
    std::array<int, 3> descriptors;
    std::memcpy(descriptors.data(), CMSG_DATA(header), sizeof descriptors);
    got.input.reset(descriptors[0]);
    got.output.reset(descriptors[1]);
    got.memory.reset(descriptors[2]);
    return got;
  }

private:
  Ends m_queue;
};

// A bridge on a thread of its own between an agent (this test) and a Listener.
class Session {
public:
  Session(UniqueFd input, UniqueFd output, std::function<Result<UniqueFd>()> connect) {
    mcp::BridgeWorld world;
    world.input = std::move(input);
    world.output = std::move(output);
    world.connect = std::move(connect);
    world.complain = [this](const Error& error) { m_complaints.push_back(error); };
    world.give_up_at_first_ms = 300;
    world.give_up_ms = 600;
    m_code = std::async(std::launch::async, [world = std::move(world)]() mutable {
      return mcp::serve_agent(std::move(world));
    });
  }

  int exit_code() {
    REQUIRE(m_code.wait_for(std::chrono::milliseconds(k_limit_ms)) == std::future_status::ready);
    return m_code.get();
  }

  // After exit_code().
  const std::vector<Error>& complaints() const { return m_complaints; }

private:
  std::vector<Error> m_complaints = {};
  std::future<int> m_code = {};
};

} // namespace

TEST_SUITE("Bridge") {
  TEST_CASE("hands over the agent's own pipes and an empty memfd, and ends with the session") {
    Ends to_agent = pipe_ends();
    Ends from_agent = pipe_ends();
    ino_t input = file_of(from_agent.first);
    ino_t output = file_of(to_agent.second);
    Listener listener;
    Session session(std::move(from_agent.first), std::move(to_agent.second), listener.connector());
    Handover got = listener.accept();
    CHECK(got.line
          == "{\"jsonrpc\":\"2.0\",\"method\":\"upskill/handover\",\"params\":{\"version\":1}}\n");
    CHECK(file_of(got.input) == input);
    CHECK(file_of(got.output) == output);

    struct stat memory {};

    REQUIRE(::fstat(got.memory.get(), &memory) == 0);
    CHECK(memory.st_size == 0);
    CHECK(::fcntl(got.memory.get(), F_GET_SEALS) == 0);
    got.say("accepted", "{\"pid\":1}");
    got.say("ended");
    got.socket.reset();
    CHECK(session.exit_code() == 0);
    CHECK(session.complaints().empty());
  }

  TEST_CASE("hands over sockets as they are") {
    Ends agent = socket_ends();
    ino_t end = file_of(agent.second);
    UniqueFd again(::dup(agent.second.get()));
    Listener listener;
    Session session(std::move(agent.second), std::move(again), listener.connector());
    Handover got = listener.accept();
    CHECK(file_of(got.input) == end);
    CHECK(file_of(got.output) == end);
    got.say("accepted");
    got.say("ended");
    CHECK(session.exit_code() == 0);
  }

  TEST_CASE("ends with 3 and the reason when it is refused") {
    Ends to_agent = pipe_ends();
    Ends from_agent = pipe_ends();
    Listener listener;
    Session session(std::move(from_agent.first), std::move(to_agent.second), listener.connector());
    Handover got = listener.accept();
    got.say("refused", "{\"message\":\"there are 1024 clients\",\"hint\":\"end some\"}");
    got.socket.reset();
    CHECK(session.exit_code() == 3);
    REQUIRE(session.complaints().size() == 1);
    CHECK(session.complaints().front().message == "there are 1024 clients");
    CHECK(session.complaints().front().hint == "end some");
  }

  TEST_CASE("comes back at once with the same descriptors after a crash") {
    Ends to_agent = pipe_ends();
    Ends from_agent = pipe_ends();
    Listener listener;
    Session session(std::move(from_agent.first), std::move(to_agent.second), listener.connector());
    Handover first = listener.accept();
    first.say("accepted");
    REQUIRE(::ftruncate(first.memory.get(), 4096) == 0);
    first.socket.reset();
    Handover second = listener.accept();
    CHECK(file_of(second.input) == file_of(first.input));
    CHECK(file_of(second.output) == file_of(first.output));
    CHECK(file_of(second.memory) == file_of(first.memory));

    struct stat memory {};

    REQUIRE(::fstat(second.memory.get(), &memory) == 0);
    CHECK(memory.st_size == 4096);
    second.say("accepted");
    second.say("ended");
    CHECK(session.exit_code() == 0);
  }

  TEST_CASE("after a stop waits until the agent speaks, and leaves its words alone") {
    Ends to_agent = pipe_ends();
    Ends from_agent = pipe_ends();
    Listener listener;
    Session session(std::move(from_agent.first), std::move(to_agent.second), listener.connector());
    Handover first = listener.accept();
    first.say("accepted");
    first.say("stopping");
    // The bridge closes its end when it has read the notice.
    REQUIRE(readable(first.socket.get()));
    CHECK_FALSE(listener.somebody_waits(50));
    REQUIRE(::write(from_agent.second.get(), "{}\n", 3) == 3);
    Handover second = listener.accept();
    CHECK(file_of(second.input) == file_of(first.input));
    CHECK(file_of(second.memory) == file_of(first.memory));
    CHECK(read_some(second.input.get()) == "{}\n");
    second.say("accepted");
    second.say("ended");
    CHECK(session.exit_code() == 0);
  }

  TEST_CASE("ends without another daemon when the agent goes after a stop") {
    Ends to_agent = pipe_ends();
    Ends from_agent = pipe_ends();
    Listener listener;
    Session session(std::move(from_agent.first), std::move(to_agent.second), listener.connector());
    Handover first = listener.accept();
    first.say("accepted");
    first.say("stopping");
    REQUIRE(readable(first.socket.get()));
    from_agent.second.reset();
    CHECK(session.exit_code() == 0);
    CHECK_FALSE(listener.somebody_waits(0));
  }

  TEST_CASE("gives up with an error when no daemon stays") {
    Ends to_agent = pipe_ends();
    Ends from_agent = pipe_ends();
    int tries = 0;
    Session session(std::move(from_agent.first), std::move(to_agent.second), [&] {
      ++tries;
      return Result<UniqueFd>(fail(ErrorCode::unavailable, "the daemon does not stay up"));
    });
    CHECK(session.exit_code() == 3);
    // At once, then after 50 and 100 ms; after 200 more the 300 would be over.
    CHECK(tries >= 3);
    CHECK(tries <= 5);
    REQUIRE(session.complaints().size() == 1);
    CHECK(session.complaints().front().message == "the daemon does not stay up");
  }

  TEST_CASE("gives up on a daemon that ends whenever it is given the session") {
    Ends to_agent = pipe_ends();
    Ends from_agent = pipe_ends();
    Listener listener;
    Session session(std::move(from_agent.first), std::move(to_agent.second), listener.connector());
    // At once, then after 50, 100 and 200 ms; after 400 more the 600 would be over.
    int tries = 0;
    while (tries < 10 && listener.somebody_waits(1000)) {
      listener.accept().say("accepted");
      ++tries;
    }
    CHECK(tries >= 4);
    CHECK(tries <= 6);
    CHECK(session.exit_code() == 3);
    REQUIRE(session.complaints().size() == 1);
    CHECK(session.complaints().front().message == "the daemon keeps ending");
  }

  TEST_CASE("does not try again where that cannot help") {
    Ends to_agent = pipe_ends();
    Ends from_agent = pipe_ends();
    int tries = 0;
    Session session(std::move(from_agent.first), std::move(to_agent.second), [&] {
      ++tries;
      return Result<UniqueFd>(fail(ErrorCode::refused, "`run` belongs to another user"));
    });
    CHECK(session.exit_code() == 3);
    CHECK(tries == 1);
  }

  TEST_CASE("relays what cannot be handed over, both ways and to the end") {
    clients_test::Folder folder;
    std::string words(20'000, 'x'); // several reads
    words += "\n";
    REQUIRE(write_file_atomically(folder / "in", words, 0644, Durability::process_crash));
    UniqueFd input(::open((folder / "in").c_str(), O_RDONLY | O_CLOEXEC));
    UniqueFd output(::open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    Listener listener;
    Session session(std::move(input), std::move(output), listener.connector());
    Handover got = listener.accept();
    got.say("accepted");
    std::string heard;
    for (std::string part = read_some(got.input.get()); !part.empty();
         part = read_some(got.input.get())) {
      heard += part;
    }
    CHECK(heard == words);
    REQUIRE(::write(got.output.get(), "answer\n", 7) == 7);
    got.say("ended");
    CHECK(session.exit_code() == 0);
    auto written = read_file(folder / "out", 100);
    REQUIRE(written);
    CHECK(*written == "answer\n");
    folder.passed(heard == words && *written == "answer\n");
  }
}

TEST_SUITE("read_notice") {
  TEST_CASE("knows the daemon's words and takes anything else for none") {
    using mcp::read_notice;
    using mcp::Word;
    CHECK(read_notice("{\"method\":\"upskill/accepted\"}").word == Word::accepted);
    CHECK(read_notice("{\"method\":\"upskill/ended\"}").word == Word::ended);
    CHECK(read_notice("{\"method\":\"upskill/stopping\"}").word == Word::stopping);
    CHECK(read_notice("{\"method\":\"upskill/other\"}").word == Word::other);
    CHECK(read_notice("{\"method\":1}").word == Word::other);
    CHECK(read_notice("[]").word == Word::other);
    CHECK(read_notice("garbage").word == Word::other);
  }
}
