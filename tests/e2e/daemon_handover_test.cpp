#include "tests/support/daemon_process.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <random>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

// An agent that has said hello and got its answer.
void say_hello(Bridge& bridge) {
  bridge.write(legacy_hello());
  CHECK(json::parse(bridge.line())["result"]["protocolVersion"] == "2025-11-25");
}

std::string method_of(const std::optional<std::string>& line) {
  return line ? json::parse(*line)["method"].get<std::string>() : "(closed)";
}

// It answers somebody else, so it has recorded what it wrote before. (A daemon that dies between
// the two repeats itself; there is nothing to be had against that.)
void is_past_the_last_answer(const DaemonProcess& daemon) {
  Client other(daemon.socket());
  other.send(modern_call(1, "status"));
  other.line();
}

constexpr std::string_view k_handover =
    "{\"jsonrpc\":\"2.0\",\"method\":\"upskill/handover\",\"params\":{\"version\":1}}\n";

} // namespace

TEST_SUITE("handover") {
  TEST_CASE("the daemon talks with the agent itself, until the agent ends") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Bridge bridge;
    bridge.hand_over(daemon.socket());
    say_hello(bridge);
    bridge.write(legacy_call(1, "status"));
    CHECK(json::parse(bridge.line())["result"]["structuredContent"]["pid"] == daemon.pid());
    bridge.write(
        R"({"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"skill://test/one"}})"
        "\n");
    CHECK(json::parse(bridge.line())["result"]["contents"][0]["text"] == "one");
    bridge.close_input();
    CHECK(method_of(bridge.control()) == "upskill/ended");
    CHECK(method_of(bridge.control()) == "(closed)");
    CHECK(bridge.output_ends());
  }

  TEST_CASE("what is in flight when the agent's input ends is answered first") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Bridge bridge;
    bridge.hand_over(daemon.socket());
    say_hello(bridge);
    bridge.write(legacy_call(1, "wait_idle", R"({"timeout_ms":200})"));
    bridge.write(legacy_call(2, "wait_idle", R"({"timeout_ms":600000})"));
    bridge.close_input();
    CHECK(json::parse(bridge.line())["id"] == 1);
    json late = json::parse(bridge.line());
    CHECK(late["id"] == 2);
    CHECK(late["error"]["code"] == -32603);
    CHECK(method_of(bridge.control()) == "upskill/ended");
  }

  TEST_CASE("the session ends with its bridge, and its calls are cancelled") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Bridge bridge;
    bridge.hand_over(daemon.socket());
    say_hello(bridge);
    bridge.write(legacy_call(1, "wait_idle", R"({"timeout_ms":600000})"));
    Client watcher(daemon.socket());
    auto cancelled = [&] {
      watcher.send(modern_call(1, "daemon_status"));
      json counters = json::parse(watcher.line())["result"]["structuredContent"]["counters"];
      return counters.value("test.cancelled", 0) == 1;
    };
    REQUIRE(becomes_true([&] { return bridge.unread_input() == 0; }));
    bridge.die();
    CHECK(becomes_true(cancelled));
    CHECK(bridge.output_ends());
  }

  TEST_CASE("agents are told of changes when they asked, and others are not") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    Bridge asks;
    asks.hand_over(daemon.socket());
    say_hello(asks);
    Bridge silent;
    silent.hand_over(daemon.socket());
    Client person(daemon.socket());
    person.send(modern_call(1, "sync_disable"));
    person.line();
    CHECK(method_of(asks.line()) == "notifications/resources/list_changed");
    silent.write(R"({"jsonrpc":"2.0","id":9,"method":"ping"})"
                 "\n");
    CHECK(json::parse(silent.line())["id"] == 9);
  }

  TEST_CASE("after kill -9 the next daemon goes on, and answers the lost call with -32603") {
    TemporaryFolder home;
    Bridge bridge;
    {
      DaemonProcess daemon(home.path());
      bridge.hand_over(daemon.socket());
      say_hello(bridge);
      bridge.write(legacy_call(1, "wait_idle", R"({"timeout_ms":600000})"));
      bridge.write(legacy_call(2, "status"));
      CHECK(json::parse(bridge.line())["id"] == 2);
      is_past_the_last_answer(daemon);
      daemon.kill();
    }
    bridge.write(legacy_call(3, "status")); // nobody is there to read it
    DaemonProcess next(home.path());
    bridge.hand_over(next.socket());
    json lost = json::parse(bridge.line());
    CHECK(lost["id"] == 1);
    CHECK(lost["error"]["code"] == -32603);
    json answer = json::parse(bridge.line());
    CHECK(answer["id"] == 3);
    CHECK(answer["result"]["structuredContent"]["pid"] == next.pid());
  }

  TEST_CASE("half a line that a dead daemon had read is not lost") {
    TemporaryFolder home;
    Bridge bridge;
    std::string call = legacy_call(4, "status");
    {
      DaemonProcess daemon(home.path());
      bridge.hand_over(daemon.socket());
      say_hello(bridge);
      bridge.write(call.substr(0, 40));
      REQUIRE(becomes_true([&] { return bridge.unread_input() == 0; }));
      daemon.kill();
    }
    DaemonProcess next(home.path());
    bridge.hand_over(next.socket());
    bridge.write(call.substr(40));
    CHECK(json::parse(bridge.line())["id"] == 4);
  }

  TEST_CASE("a line torn by kill -9 is finished by the next daemon") {
    TemporaryFolder home;
    Bridge bridge;
    {
      DaemonProcess daemon(home.path());
      bridge.hand_over(daemon.socket());
      say_hello(bridge);
      bridge.write(legacy_call(5, "skill_read", R"({"skill":"s","limit":500000})"));
      REQUIRE(becomes_true([&] { return bridge.unread_output() == 65'536; }));
      is_past_the_last_answer(daemon);
      daemon.kill();
    }
    DaemonProcess next(home.path());
    bridge.hand_over(next.socket());
    json answer = json::parse(bridge.line());
    CHECK(answer["id"] == 5);
    CHECK(answer["result"]["structuredContent"]["text"].get<std::string>().size() == 500'000);
    bridge.write(legacy_call(6, "status"));
    CHECK(json::parse(bridge.line())["id"] == 6);
  }

  TEST_CASE("a message that kills the daemon is reported, and not run again") {
    TemporaryFolder home;
    Bridge bridge;
    {
      DaemonProcess daemon(home.path());
      bridge.hand_over(daemon.socket());
      say_hello(bridge);
      bridge.write(legacy_call(1, "skill_read", R"({"skill":"crash","token":"s3cret"})"));
      json refused = json::parse(bridge.line()); // `token` is no parameter
      CHECK(refused["id"] == 1);
      bridge.write(legacy_call(2, "skill_read", R"({"skill":"crash"})") + legacy_call(3, "status"));
      CHECK(daemon.wait_end() == 128 + SIGABRT);
    }
    std::string said = file_text(home / "stderr");
    CHECK(said.find("crashed with SIGABRT while handling: {\"jsonrpc\":\"2.0\",\"id\":2")
          != std::string::npos);
    DaemonProcess next(home.path());
    bridge.hand_over(next.socket());
    json lost = json::parse(bridge.line());
    CHECK(lost["id"] == 2);
    CHECK(lost["error"]["code"] == -32603);
    CHECK(json::parse(bridge.line())["id"] == 3);
  }

  TEST_CASE("a daemon that stops says so, and the session goes on with the next") {
    TemporaryFolder home;
    Bridge bridge;
    {
      DaemonProcess daemon(home.path());
      bridge.hand_over(daemon.socket());
      say_hello(bridge);
      bridge.write(legacy_call(1, "wait_idle", R"({"timeout_ms":600000})"));
      REQUIRE(becomes_true([&] { return bridge.unread_input() == 0; }));
      daemon.signal(SIGTERM);
      json lost = json::parse(bridge.line());
      CHECK(lost["id"] == 1);
      CHECK(lost["error"]["code"] == -32603);
      CHECK(method_of(bridge.control()) == "upskill/stopping");
      CHECK(method_of(bridge.control()) == "(closed)");
      CHECK(daemon.wait_end() == 0);
    }
    DaemonProcess next(home.path());
    bridge.hand_over(next.socket());
    bridge.write(legacy_call(2, "status"));
    // Nothing is said about call 1 again.
    CHECK(json::parse(bridge.line())["id"] == 2);
  }

  TEST_CASE("killed again and again under load, every call is answered") {
    TemporaryFolder home;
    Bridge bridge;
    std::mt19937 random(20'261'121);
    std::map<int, int> answers;
    // A line that death tore is ended with a newline, and its answer comes again.
    int torn = 0;
    auto next_id = [&] {
      for (;;) {
        json answer = json::parse(bridge.line(), nullptr, false);
        if (!answer.is_discarded()) {
          return answer["id"].get<int>();
        }
        ++torn;
      }
    };
    constexpr int k_lives = 25;
    int asked = 0;
    bool said_hello = false;
    for (int life = 0; life < k_lives; ++life) {
      DaemonProcess daemon(home.path());
      bridge.hand_over(daemon.socket());
      if (!std::exchange(said_hello, true)) {
        say_hello(bridge);
      }
      std::string burst;
      int calls = 1 + static_cast<int>(random() % 60);
      for (int i = 0; i < calls; ++i) {
        int id = ++asked;
        answers[id] = 0;
        switch (random() % 4) {
        case 0:
          burst += legacy_call(id, "wait_idle", R"({"timeout_ms":1})");
          break;
        case 1:
          burst += legacy_call(id, "skill_read", R"({"skill":"s","limit":9000})");
          break;
        default:
          burst += legacy_call(id, "status");
        }
      }
      bridge.write(burst);
      int before_death = static_cast<int>(random() % static_cast<unsigned>(calls));
      for (int i = 0; i < before_death; ++i) {
        answers[next_id()] += 1;
      }
      daemon.kill();
    }
    DaemonProcess last(home.path());
    bridge.hand_over(last.socket());
    bridge.write(legacy_call(1'000'000, "wait_idle", R"({"timeout_ms":100})"));
    bridge.close_input();
    for (int id = 0; id != 1'000'000;) {
      id = next_id();
      answers[id] += 1;
    }
    CHECK(torn <= k_lives);
    for (const auto& [id, count] : answers) {
      CAPTURE(id);
      CHECK(count >= 1);
    }
  }

  TEST_CASE("what cannot be handed over is refused with a reason") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path());
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    UniqueFd read_end(ends[0]);
    UniqueFd write_end(ends[1]);
    UniqueFd memory(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    Client client(daemon.socket());
    std::string reason;
    SUBCASE("without descriptors") {
      client.send(k_handover);
      reason = "3 descriptors";
    }
    SUBCASE("with too few") {
      client.send(k_handover, {read_end.get(), write_end.get()});
      reason = "3 descriptors";
    }
    SUBCASE("with too many") {
      client.send(k_handover,
                  {read_end.get(), write_end.get(), memory.get(), memory.get(), memory.get()});
      reason = "3 descriptors";
    }
    SUBCASE("with what cannot be waited for") {
      client.send(k_handover, {null.get(), write_end.get(), memory.get()});
      reason = "neither a pipe nor a socket";
    }
    SUBCASE("with a memory that is none") {
      client.send(k_handover, {read_end.get(), write_end.get(), null.get()});
      reason = "memfd";
    }
    SUBCASE("with the memory of something else") {
      std::string foreign(4096, 'x');
      REQUIRE(::write(memory.get(), foreign.data(), foreign.size()) == 4096);
      client.send(k_handover, {read_end.get(), write_end.get(), memory.get()});
      reason = "memfd";
    }
    SUBCASE("of another version") {
      client.send(
          "{\"jsonrpc\":\"2.0\",\"method\":\"upskill/handover\",\"params\":{\"version\":9}}\n",
          {read_end.get(), write_end.get(), memory.get()});
      reason = "version 9";
    }
    json answer = json::parse(client.line());
    CHECK(answer["method"] == "upskill/refused");
    CHECK(answer["params"]["message"].get<std::string>().find(reason) != std::string::npos);
    CHECK(client.ends());
  }
}
