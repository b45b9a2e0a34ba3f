#include "tests/support/daemon_facts.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

constexpr int k_clients = 32; // on sockets, and of each era over HTTP
constexpr int k_calls = 4;    // of each, with the ids 0 to 3
constexpr int k_listen = 100;

// What a client says in its call, and nobody else in any.
std::string words_of(const std::string& client, int call) {
  return client + " says " + std::to_string(call) + ".";
}

json echo_params(const std::string& client, int call, bool is_modern) {
  json params =
      tool_params("test_echo", {{"text", words_of(client, call)}, {"wait_ms", 20 + call}});
  params["_meta"]["progressToken"] = 0; // everybody's
  if (is_modern) {
    params["_meta"]["io.modelcontextprotocol/logLevel"] = "debug";
  }
  return params;
}

json listen_message() {
  return modern_message(
      k_listen, "subscriptions/listen", {{"notifications", {{"resourcesListChanged", true}}}});
}

std::string line(const json& message) {
  return message.dump() + "\n";
}

// Keeps what one client was told, and judges it: answers to its calls, each once, in its words;
// progress and log messages in its words; and how often it heard of the list.
class Told {
public:
  explicit Told(std::string client)
      : m_client(std::move(client)) {}

  void take(const json& message) {
    CAPTURE(m_client);
    CAPTURE(message.dump());
    if (message.contains("id")) {
      REQUIRE(message["id"].is_number_integer());
      int id = message["id"];
      if (id == k_listen) {
        CHECK(message["result"]["resultType"] == "complete");
        return;
      }
      CHECK(text_of(message) == words_of(m_client, id));
      CHECK(m_answered.insert(id).second);
      return;
    }
    std::string method = message["method"];
    if (method == "notifications/progress") {
      CHECK(message["params"]["progressToken"] == 0);
      check_mine(message["params"].value("message", "none"));
    } else if (method == "notifications/message") {
      check_mine(message["params"]["data"]);
    } else if (method == "notifications/resources/list_changed") {
      ++m_changes;
      json id = message.value("/params/_meta/io.modelcontextprotocol~1subscriptionId"_json_pointer,
                              json());
      CHECK((id.is_null() || id == k_listen));
    } else if (method == "notifications/cancelled") { // the end of a subscription
      CHECK(message["params"]["requestId"] == k_listen);
    } else {
      CHECK(method == "notifications/subscriptions/acknowledged");
    }
  }

  bool has_all() const { return m_answered.size() == k_calls; }

  int changes() const { return m_changes; }

  void forget() { m_answered.clear(); }

private:
  void check_mine(const std::string& words) const { CHECK(words.starts_with(m_client + " says ")); }

  std::string m_client;
  std::set<int> m_answered = {};
  int m_changes = 0;
};

// The line that says how something went is not lost among others.
json next_of(Client& client) {
  return json::parse(client.line());
}

struct OnSocket {
  OnSocket(const DaemonProcess& daemon, const std::string& name)
      : client(daemon.socket())
      , told(name)
      , name(name) {}

  Client client;
  Told told;
  std::string name;
};

struct OnHttp {
  explicit OnHttp(const std::string& name)
      : told(name)
      , name(name) {}

  // Each call has a connection to itself, made when it is first used: one that says nothing at
  // first would soon have to make room for others.
  void send(const HttpPlace& place, int call, const HttpRequest& request) {
    if (static_cast<std::size_t>(call) == callers.size()) {
      callers.emplace_back(place);
    }
    callers[static_cast<std::size_t>(call)].send(request.text());
  }

  std::vector<HttpClient> callers;
  std::optional<HttpClient> listener = {};
  std::string session = {}; // of a legacy one
  Told told;
  std::string name;
};

} // namespace

TEST_SUITE("crowd") {
  TEST_CASE("96 clients with the same ids and tokens get what is theirs and nothing else") {
    if (!can_open(2000)) {
      return;
    }
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), with_http());
    HttpPlace place = http_place(home.path());
    Client person(daemon.socket());
    std::vector<std::unique_ptr<OnSocket>> modern;
    std::vector<std::unique_ptr<OnSocket>> legacy;
    std::vector<std::unique_ptr<OnHttp>> http_modern_clients;
    std::vector<std::unique_ptr<OnHttp>> http_legacy_clients;
    HttpClient hello(place);
    for (int i = 0; i < k_clients; ++i) {
      std::string number = std::to_string(i);
      if (i % 2 == 0) {
        modern.push_back(std::make_unique<OnSocket>(daemon, "modern " + number));
        modern.back()->client.send(line(listen_message()));
        modern.back()->told.take(next_of(modern.back()->client));
      } else {
        legacy.push_back(std::make_unique<OnSocket>(daemon, "legacy " + number));
        legacy.back()->client.send(legacy_hello());
        legacy.back()->client.line();
      }
      http_modern_clients.push_back(std::make_unique<OnHttp>("http modern " + number));
      OnHttp& client = *http_modern_clients.back();
      client.listener.emplace(place);
      client.listener->send(http_modern(place, listen_message()).text());
      REQUIRE(client.listener->receive_head().is_stream());
      client.told.take(client.listener->event());
      http_legacy_clients.push_back(std::make_unique<OnHttp>("http legacy " + number));
      OnHttp& other = *http_legacy_clients.back();
      other.session = open_legacy_session(hello, place);
      other.listener.emplace(place);
      other.listener->send(http_get(place, other.session).text());
      REQUIRE(other.listener->receive_head().is_stream());
    }
    for (int round = 0; round < 2; ++round) {
      for (int call = 0; call < k_calls; ++call) {
        for (auto& client : modern) {
          client->client.send(
              line(modern_message(call, "tools/call", echo_params(client->name, call, true))));
        }
        for (auto& client : legacy) {
          client->client.send(
              line(legacy_message(call, "tools/call", echo_params(client->name, call, false))));
        }
        for (auto& client : http_modern_clients) {
          json message = modern_message(call, "tools/call", echo_params(client->name, call, true));
          client->send(place, call, http_modern(place, message));
        }
        for (auto& client : http_legacy_clients) {
          json message = legacy_message(call, "tools/call", echo_params(client->name, call, false));
          client->send(place, call, http_legacy(place, client->session, message));
        }
        change_list(person);
      }
      for (auto* group : {&modern, &legacy}) {
        for (auto& client : *group) {
          while (!client->told.has_all()) {
            client->told.take(next_of(client->client));
          }
          client->told.forget();
        }
      }
      for (auto* group : {&http_modern_clients, &http_legacy_clients}) {
        for (auto& client : *group) {
          for (HttpClient& caller : client->callers) {
            HttpAnswer answer = caller.receive();
            REQUIRE(answer.status == 200);
            for (const json& message : answer.messages()) {
              client->told.take(message);
            }
          }
          CHECK(client->told.has_all());
          client->told.forget();
        }
      }
    }
    // Whoever listens has heard of each change once, on the one stream that is for it.
    constexpr int k_changes = 2 * k_calls;
    for (auto* group : {&http_modern_clients, &http_legacy_clients}) {
      for (auto& client : *group) {
        CHECK(client->told.changes() == 0);
        for (int i = 0; i < k_changes; ++i) {
          client->told.take(client->listener->event());
        }
        CHECK(client->told.changes() == k_changes);
      }
    }
    for (auto* group : {&modern, &legacy}) {
      for (auto& client : *group) {
        while (client->told.changes() < k_changes) {
          client->told.take(next_of(client->client));
        }
      }
    }
    // One more, and then the end: nobody hears of anything twice, however late.
    change_list(person);
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_end(k_stop_limit) == 0);
    for (auto* group : {&http_modern_clients, &http_legacy_clients}) {
      for (auto& client : *group) {
        while (std::optional<json> event = client->listener->next_event()) {
          client->told.take(*event);
        }
        CHECK(client->told.changes() == k_changes + 1);
      }
    }
    for (auto* group : {&modern, &legacy}) {
      for (auto& client : *group) {
        while (std::optional<std::string> last = client->client.line_or_end()) {
          client->told.take(json::parse(*last));
        }
        CHECK(client->told.changes() == k_changes + 1);
      }
    }
  }

  TEST_CASE("a client cannot cancel what another one asked for, whatever it says") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), with_http());
    HttpPlace place = http_place(home.path());
    Client person(daemon.socket());
    Client victim(daemon.socket());
    HttpClient http_victim(place);
    HttpClient legacy_victim(place);
    HttpClient hello(place);
    std::string session = open_legacy_session(hello, place);
    std::string other_session = open_legacy_session(hello, place);
    json hold = tool_params("test_hold", {{"text", "mine"}});
    victim.send(line(modern_message(7, "tools/call", hold)));
    http_victim.send(http_modern(place, modern_message(7, "tools/call", hold)).text());
    legacy_victim.send(http_legacy(place, session, legacy_message(7, "tools/call", hold)).text());
    REQUIRE(becomes_true([&] { return counter(person, "test.held") == 3; }));
    json cancel = {
        {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 7}}}};
    Client attacker(daemon.socket());
    attacker.send(line(cancel));
    json modern_cancel = cancel;
    modern_cancel["params"]["_meta"] = modern_message(0, "x")["params"]["_meta"];
    attacker.send(line(modern_cancel));
    CHECK(ask(attacker, "status")["pid"] == daemon.pid());
    HttpRequest post = http_post(place, modern_cancel.dump());
    post.set("MCP-Protocol-Version", "2026-07-28").set("Mcp-Method", "notifications/cancelled");
    CHECK(hello.call(post).status == 202);
    CHECK(hello.call(http_legacy(place, other_session, cancel)).status == 202);
    CHECK(counter(person, "test.held") == 3);
    // In its own session it is its own.
    CHECK(hello.call(http_legacy(place, session, cancel)).status == 202);
    CHECK(becomes_true([&] { return counter(person, "test.held") == 2; }));
    ask(person, "test_release");
    CHECK(text_of(json::parse(victim.line())) == "mine");
    CHECK(text_of(http_victim.receive().message()) == "mine");
  }

  TEST_CASE("10,000 cancellations of anything disturb nobody and leave nothing") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), with_http());
    HttpPlace place = http_place(home.path());
    Client person(daemon.socket());
    Client stormy(daemon.socket());
    Client calm(daemon.socket());
    constexpr int k_held = 200;
    calm.send(modern_call(0, "test_hold", R"({"text":"calm"})"));
    for (int i = 0; i < k_held; ++i) {
      stormy.send(modern_call(i, "test_hold", R"({"text":"stormy"})"));
    }
    REQUIRE(becomes_true([&] { return counter(person, "test.held") == k_held + 1; }));
    auto cancel = [](const json& id) {
      return line({{"jsonrpc", "2.0"},
                   {"method", "notifications/cancelled"},
                   {"params", {{"requestId", id}, {"reason", std::string(200, 'r')}}}});
    };
    std::string storm;
    for (int i = 0; i < 10'000; ++i) {
      switch (i % 5) {
      case 0:
        storm += cancel(i / 5 % (k_held + 50)); // running, then finished, then unknown
        break;
      case 1:
        storm += cancel(std::to_string(i));
        break;
      case 2:
        storm += cancel(nullptr);
        break;
      case 3:
        storm += modern_call(1000 + i, "test_hold", R"({"text":"short"})") + cancel(1000 + i);
        break;
      default:
        storm += cancel(json::array({i}));
      }
    }
    stormy.send(storm);
    CHECK(ask(person, "status")["pid"] == daemon.pid());
    CHECK(becomes_true([&] { return counter(person, "test.held") == 1; }));
    CHECK(counter(person, "test.cut_off") == k_held + 2000);
    // Nothing was answered that was cancelled.
    stormy.send(modern_call(5, "test_echo", R"({"text":"after"})"));
    json answer = json::parse(stormy.line());
    CHECK(answer["id"] == 5);
    CHECK(text_of(answer) == "after");
    HttpClient other(place);
    json call = modern_message(0, "tools/call", tool_params("test_echo", {{"text", "http"}}));
    CHECK(text_of(other.call(http_modern(place, call)).message()) == "http");
    ask(person, "test_release");
    CHECK(text_of(json::parse(calm.line())) == "calm");
  }

  TEST_CASE("a storm of cancellations over HTTP is taken and forgotten") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), with_http());
    HttpPlace place = http_place(home.path());
    Client person(daemon.socket());
    HttpClient client(place);
    std::string session = open_legacy_session(client, place);
    std::vector<HttpClient> callers;
    for (int i = 0; i < 20; ++i) {
      callers.emplace_back(place);
      json call = legacy_message(i, "tools/call", tool_params("test_hold", {{"text", "x"}}));
      callers.back().send(http_legacy(place, session, call).text());
    }
    REQUIRE(becomes_true([&] { return counter(person, "test.held") == 20; }));
    for (int i = 0; i < 2'000; ++i) {
      json cancel = {{"jsonrpc", "2.0"},
                     {"method", "notifications/cancelled"},
                     {"params", {{"requestId", i}}}};
      REQUIRE(client.call(http_legacy(place, session, cancel)).status == 202);
    }
    CHECK(becomes_true([&] { return counter(person, "test.held") == 0; }));
    CHECK(counter(person, "test.cut_off") == 20);
    // Its connections are free again.
    for (HttpClient& caller : callers) {
      std::optional<HttpAnswer> answer = caller.receive_or_end();
      CHECK((!answer || answer->status < 300));
    }
    CHECK(client.call(http_legacy(place, session, legacy_message(1, "ping"))).status == 200);
  }

  TEST_CASE("too many calls at once are refused to that client alone") {
    TemporaryFolder home;
    DaemonProcess daemon(home.path(), with_http());
    HttpPlace place = http_place(home.path());
    Client person(daemon.socket());
    Client greedy(daemon.socket());
    for (int i = 0; i < 300; ++i) {
      greedy.send(modern_call(i, "test_hold", R"({"text":"x"})"));
    }
    for (int i = 0; i < 300 - 256; ++i) {
      CHECK(json::parse(greedy.line())["error"]["code"] == -31001);
    }
    CHECK(counter(person, "test.held") == 256);
    Client other(daemon.socket());
    CHECK(ask(other, "status")["pid"] == daemon.pid());
    // The same id again, while it is in use, is no second call.
    greedy.send(modern_call(3, "test_echo", R"({"text":"twice"})"));
    CHECK(json::parse(greedy.line()).contains("error"));
    greedy.close();
    CHECK(becomes_true([&] { return counter(person, "test.held") == 0; }));
  }
}
