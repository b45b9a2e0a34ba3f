#include "tests/support/daemon_facts.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

constexpr int k_listen = 100;

struct World {
  World()
      : daemon(home.path(), with_http())
      , place(http_place(home.path()))
      , person(daemon.socket()) {}

  TemporaryFolder home;
  DaemonProcess daemon;
  HttpPlace place;
  Client person;
};

// An agent of either era, over whatever carries its messages.
struct Agent {
  json message(const std::string& method, const json& params = json::object()) const {
    return is_modern ? modern_message(1, method, params) : legacy_message(1, method, params);
  }

  bool is_modern;
  std::function<json(const json&)> ask;                   // the answer to a message
  std::function<void(const std::string& address)> listen; // to the changes of a resource
  std::function<json()> next_told;                        // of them
};

json listen_message(const std::string& address) {
  return modern_message(k_listen,
                        "subscriptions/listen",
                        {{"notifications", {{"resourceSubscriptions", json::array({address})}}}});
}

void check_acknowledged(const json& told) {
  CHECK(told["method"] == "notifications/subscriptions/acknowledged");
  CHECK(told["params"]["notifications"].contains("resourceSubscriptions"));
}

Agent on_bridge(const World& world, bool is_modern) {
  auto bridge = std::make_shared<Bridge>();
  bridge->hand_over(world.daemon.socket());
  Agent agent{.is_modern = is_modern};
  agent.next_told = [bridge] { return json::parse(bridge->line()); };
  agent.ask = [bridge](const json& message) {
    bridge->write(message.dump() + "\n");
    return json::parse(bridge->line());
  };
  if (is_modern) {
    agent.listen = [ask = agent.ask](const std::string& address) {
      check_acknowledged(ask(listen_message(address)));
    };
  } else {
    bridge->write(legacy_hello());
    bridge->line();
    agent.listen = [ask = agent.ask](const std::string& address) {
      CHECK(ask(legacy_message(1, "resources/subscribe", {{"uri", address}}))["result"]
            == json::object());
    };
  }
  return agent;
}

Agent on_http(const World& world, bool is_modern) {
  auto caller = std::make_shared<HttpClient>(world.place);
  auto listener = std::make_shared<HttpClient>(world.place);
  const HttpPlace& place = world.place;
  Agent agent{.is_modern = is_modern};
  agent.next_told = [listener] { return listener->event(); };
  if (is_modern) {
    agent.ask = [caller, place](const json& message) {
      return caller->call(http_modern(place, message)).message();
    };
    agent.listen = [listener, place](const std::string& address) {
      listener->send(http_modern(place, listen_message(address)).text());
      REQUIRE(listener->receive_head().is_stream());
      check_acknowledged(listener->event());
    };
  } else {
    std::string session = open_legacy_session(*caller, place);
    agent.ask = [caller, place, session](const json& message) {
      return caller->call(http_legacy(place, session, message)).message();
    };
    agent.listen = [listener, place, session, ask = agent.ask](const std::string& address) {
      listener->send(http_get(place, session).text());
      REQUIRE(listener->receive_head().is_stream());
      CHECK(ask(legacy_message(1, "resources/subscribe", {{"uri", address}}))["result"]
            == json::object());
    };
  }
  return agent;
}

// What an agent reads at the address of its job.
json read_job(const Agent& agent, const std::string& address) {
  json answer = agent.ask(agent.message("resources/read", {{"uri", address}}));
  REQUIRE_MESSAGE(answer.value("/result/contents/0/uri"_json_pointer, "") == address,
                  answer.dump());
  const json& contents = answer["result"]["contents"][0];
  CHECK(contents["mimeType"] == "application/json");
  return json::parse(contents["text"].get<std::string>());
}

} // namespace

TEST_SUITE("job resource") {
  TEST_CASE("whoever began a job hears at its address that it has changed, and reads it there") {
    World world;
    Agent agent;
    SUBCASE("modern, over a bridge") {
      agent = on_bridge(world, true);
    }
    SUBCASE("legacy, over a bridge") {
      agent = on_bridge(world, false);
    }
    SUBCASE("modern, over HTTP") {
      agent = on_http(world, true);
    }
    SUBCASE("legacy, over HTTP") {
      agent = on_http(world, false);
    }
    json templates = agent.ask(agent.message("resources/templates/list"));
    CHECK(templates.dump().find(R"("uriTemplate":"upskill://job/{id}")") != std::string::npos);
    json start = tool_params("job", {{"action", "start"}, {"tool", "skill_sync"}});
    json started = agent.ask(agent.message("tools/call", start));
    std::string id =
        started.value("/result/structuredContent/jobs/0/id"_json_pointer, std::string());
    REQUIRE_MESSAGE(!id.empty(), started.dump());
    std::string address = "upskill://job/" + id;
    REQUIRE(becomes_true([&] { return counter(world.person, "test.held") == 1; }));
    agent.listen(address);
    json job = read_job(agent, address);
    CHECK(job["id"] == id);
    CHECK(job["tool"] == "skill_sync");
    CHECK(job["state"] == "working");
    ask(world.person, "test_release");
    json told = agent.next_told();
    CHECK(told["method"] == "notifications/resources/updated");
    CHECK(told["params"]["uri"] == address);
    if (agent.is_modern) {
      CHECK(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == k_listen);
    }
    job = read_job(agent, address);
    CHECK(job["id"] == id);
    CHECK(job["state"] == "completed");
    CHECK(job["result"]["conflicts"] == 0);
  }
}
