#include "tests/support/daemon_facts.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/socket.h>

#include <csignal>
#include <filesystem>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

json result_of(const std::string& line) {
  json answer = json::parse(line);
  REQUIRE_MESSAGE(answer.contains("result"), line);
  return answer["result"]["structuredContent"];
}

std::pair<UniqueFd, UniqueFd> socket_pair() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Serves this socket, with `tmp` in its home for what it must not leave behind.
DaemonProcess private_daemon(TemporaryFolder& home, UniqueFd socket) {
  std::filesystem::create_directory(home / "tmp");
  return DaemonProcess(home.path(),
                       {{"--private=" + std::to_string(socket.get())},
                        {"TMPDIR=" + (home / "tmp")},
                        0,
                        socket.get()});
}

} // namespace

TEST_SUITE("daemon") {
  TEST_CASE("it answers over a socket that only its user can reach") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Client client(daemon.socket());
    json status = ask(client, "status");
    CHECK(status["pid"] == daemon.pid());
    CHECK(status["state_directory"] == home / ".local/state/upskill");
    CHECK(status["skills"] == 7);
    CHECK(ask(client, "daemon_status")["socket"] == daemon.socket());
    CHECK(mode_of(daemon.socket()) == 0600);
    CHECK(mode_of(home / ".local/state/upskill/run") == 0700);
    CHECK(file_text(home / ".local/state/upskill/run/daemon.lock")
          == std::to_string(daemon.pid()) + "\n");
  }

  TEST_CASE("a second one ends at once, with 0, and leaves the first alone") {
    TemporaryFolder home;
    DaemonProcess first(home.path());
    DaemonProcess second(home.path());
    CHECK(second.wait_end() == 0);
    Client client(first.socket());
    CHECK(ask(client, "status")["pid"] == first.pid());
  }

  TEST_CASE("another home is another daemon") {
    TemporaryFolder home;
    TemporaryFolder other;
    DaemonProcess first(home.path());
    DaemonProcess second(other.path());
    Client client(second.socket());
    CHECK(ask(client, "status")["pid"] == second.pid());
  }

  TEST_CASE("after kill -9 the next one takes the place") {
    TemporaryFolder home;
    std::string socket;
    {
      DaemonProcess killed(home.path());
      socket = killed.socket();
      killed.kill();
    }
    CHECK(std::filesystem::exists(socket));
    DaemonProcess next(home.path());
    Client client(next.socket());
    CHECK(ask(client, "status")["pid"] == next.pid());
  }

  TEST_CASE("a state path that is too long for a socket is served all the same") {
    TemporaryFolder home;
    std::string state = home / std::string(150, 's');
    DaemonProcess daemon(home.path(), {{}, {"XDG_STATE_HOME=" + state}});
    CHECK(daemon.socket().find(state) == std::string::npos);
    Client client(daemon.socket());
    CHECK(ask(client, "status")["state_directory"] == state + "/upskill");
    CHECK(mode_of(std::filesystem::path(daemon.socket()).parent_path()) == 0700);
    std::filesystem::path folder = std::filesystem::path(daemon.socket()).parent_path();
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_end() == 0);
    std::filesystem::remove(folder);
  }

  TEST_CASE("a run folder that somebody else could use is refused, by name, with 3") {
    TemporaryFolder home;
    std::string run = home / ".local/state/upskill/run";
    std::filesystem::create_directories(run);
    SUBCASE("open to others") {
      std::filesystem::permissions(run, std::filesystem::perms(0755));
    }
    SUBCASE("a link") {
      std::filesystem::remove(run);
      std::filesystem::create_directory(home / "elsewhere");
      std::filesystem::create_directory_symlink(home / "elsewhere", run);
    }
    DaemonProcess daemon(home.path());
    CHECK(daemon.wait_end() == 3);
    std::string said = file_text(home / "stderr");
    CHECK(said.find(run) != std::string::npos);
    CHECK(said.find("hint: ") != std::string::npos);
  }

  TEST_CASE("what lies in the socket's place and is none is left alone") {
    TemporaryFolder home;
    std::string run = home / ".local/state/upskill/run";
    std::filesystem::create_directories(run);
    std::filesystem::permissions(run, std::filesystem::perms(0700));
    put_file(run + "/upskilld.sock", "precious");
    DaemonProcess daemon(home.path());
    CHECK(daemon.wait_end() == 3);
    CHECK(file_text(run + "/upskilld.sock") == "precious");
  }

  TEST_CASE("SIGTERM ends it and removes its socket") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Client client(daemon.socket());
    ask(client, "status");
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_end(k_stop_limit) == 0);
    CHECK(client.ends());
    CHECK_FALSE(std::filesystem::exists(daemon.socket()));
  }

  TEST_CASE("SIGTERM lets a call finish that does not take long") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Client client(daemon.socket());
    Client other(daemon.socket());
    client.send(modern_call(5, "wait_idle", R"({"timeout_ms":300})"));
    REQUIRE(becomes_true([&] { return counter(other, "test.waiting") == 1; }));
    daemon.signal(SIGTERM);
    CHECK(result_of(client.line())["state"] == "idle");
    CHECK(daemon.wait_end(k_stop_limit) == 0);
  }

  TEST_CASE("SIGTERM answers a call that takes too long with -32603, within 2 s") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Client client(daemon.socket());
    Client other(daemon.socket());
    client.send(modern_call(5, "wait_idle", R"({"timeout_ms":60000})"));
    REQUIRE(becomes_true([&] { return counter(other, "test.waiting") == 1; }));
    daemon.signal(SIGTERM);
    json answer = json::parse(client.line());
    CHECK(answer["id"] == 5);
    CHECK(answer["error"]["code"] == -32603);
    CHECK(daemon.wait_end(k_stop_limit) == 0);
  }

  TEST_CASE("SIGTERM does not wait for a worker that hangs") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Client client(daemon.socket());
    Client other(daemon.socket());
    client.send(modern_call(5, "doctor"));
    REQUIRE(becomes_true([&] { return counter(other, "test.blocking") == 1; }));
    daemon.signal(SIGTERM);
    CHECK(json::parse(client.line())["error"]["code"] == -32603);
    CHECK(daemon.wait_end(k_stop_limit) == 0);
  }

  TEST_CASE("SIGTERM answers everybody even where a job hangs") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Client client(daemon.socket());
    Client other(daemon.socket());
    ask(other, "job", R"({"action":"start","tool":"doctor"})");
    REQUIRE(becomes_true([&] { return counter(other, "test.blocking") == 1; }));
    client.send(modern_call(5, "wait_idle", R"({"timeout_ms":60000})"));
    REQUIRE(becomes_true([&] { return counter(other, "test.waiting") == 1; }));
    daemon.signal(SIGTERM);
    std::optional<std::string> line = client.line_or_end();
    REQUIRE(line);
    CHECK(json::parse(*line)["error"]["code"] == -32603);
    CHECK(daemon.wait_end(k_stop_limit) == 0);
  }

  TEST_CASE("a second SIGTERM ends it at once") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Client client(daemon.socket());
    Client other(daemon.socket());
    client.send(modern_call(5, "wait_idle", R"({"timeout_ms":60000})"));
    REQUIRE(becomes_true([&] { return counter(other, "test.waiting") == 1; }));
    daemon.signal(SIGTERM);
    // Its socket goes first: then the first signal has been taken.
    REQUIRE(becomes_true([&] { return !std::filesystem::exists(daemon.socket()); }));
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_end(std::chrono::milliseconds(1000)) == 128 + SIGTERM);
  }

  TEST_CASE("`daemon_stop` is answered, and then it ends") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Client client(daemon.socket());
    CHECK(ask(client, "daemon_stop")["pid"] == daemon.pid());
    CHECK(daemon.wait_end(k_stop_limit) == 0);
  }

  TEST_CASE("SIGHUP opens the log anew, and `daemon_logs` shows its end") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), {{"--log-file", home / "log"}});
    Client client(daemon.socket());
    json logs = ask(client, "daemon_logs", R"({"lines":1})");
    CHECK(logs["path"] == home / "log");
    CHECK(logs["lines"].size() == 1);
    std::filesystem::rename(home / "log", home / "moved");
    daemon.signal(SIGHUP);
    CHECK(becomes_true([&] { return std::filesystem::exists(home / "log"); }));
    ask(client, "status");
  }

  TEST_CASE("`--private` serves one socket and ends with it, and so does its state") {
    TemporaryFolder home;
    auto [ours, theirs] = socket_pair();
    Client client{std::move(ours)};
    DaemonProcess daemon = private_daemon(home, std::move(theirs));
    json status = ask(client, "status");
    CHECK(status["pid"] == daemon.pid());
    std::string state = status["state_directory"];
    CHECK(state.starts_with(home / "tmp/upskill-"));
    auto mode = std::filesystem::status(std::filesystem::path(state).parent_path()).permissions();
    CHECK(mode == std::filesystem::perms::owner_all);
    CHECK_FALSE(std::filesystem::exists(home / ".local"));
    client.close();
    CHECK(daemon.wait_end(k_stop_limit) == 0);
    CHECK(std::filesystem::is_empty(home / "tmp"));
  }

  TEST_CASE("a private daemon that ends with work left over takes its state along") {
    TemporaryFolder home;
    auto [ours, theirs] = socket_pair();
    Client client{std::move(ours)};
    DaemonProcess daemon = private_daemon(home, std::move(theirs));
    client.send(modern_call(2, "doctor")); // a worker of it hangs
    REQUIRE(becomes_true([&] { return counter(client, "test.blocking") == 1; }));
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_end(k_stop_limit) == 0);
    CHECK(std::filesystem::is_empty(home / "tmp"));
  }

  TEST_CASE("a private daemon that is told of a state locks it, and leaves it to who has it") {
    TemporaryFolder home;
    DaemonOptions options{{}, {"XDG_STATE_HOME=" + (home / "told")}};
    DaemonProcess daemon(home.path(), options);
    Client client(daemon.socket());
    ask(client, "status");
    auto [ours, theirs] = socket_pair();
    options.arguments = {"--private=" + std::to_string(theirs.get())};
    options.keep_fd = theirs.get();
    DaemonProcess second(home.path(), options);
    CHECK(second.wait_end() == 3);
    CHECK(file_text(home / "stderr").find("another daemon works on the state")
          != std::string::npos);
  }

  TEST_CASE("wrong usage is told on standard error with 2") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), {{"--surprise"}});
    CHECK(daemon.wait_end() == 2);
    CHECK(file_text(home / "stderr").starts_with("upskilld: `--surprise`"));
  }

  TEST_CASE("mirror, trace and a verbose log show what happened, and no secret") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path(),
                         {{"--mirror",
                           home / "mirror",
                           "--trace",
                           home / "trace",
                           "--log=verbose",
                           "--log-file",
                           home / "log"}});
    Client client(daemon.socket());
    std::string call = modern_call(1, "status");
    call.insert(call.find("\"_meta\":{") + 9,
                R"("upskill/context":{"environment":{"ANTHROPIC_API_KEY":"s3cret"}},)");
    client.send(call);
    result_of(client.line());
    client.close();
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_end() == 0);
    std::string mirror = file_text(home / "mirror");
    std::string log = file_text(home / "log");
    CHECK(mirror.find("\"from\":\"client\"") != std::string::npos);
    CHECK(mirror.find("\"from\":\"server\"") != std::string::npos);
    CHECK(log.find("call 1.") != std::string::npos);
    auto trace = nlohmann::json::parse(file_text(home / "trace"), nullptr, false);
    REQUIRE(trace.is_array());
    CHECK(trace.back()["name"] == "status");
    CHECK(mirror.find("s3cret") == std::string::npos);
    CHECK(log.find("s3cret") == std::string::npos);
  }
}
