#include "tests/support/daemon_facts.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

const json k_can_be_asked = {{"elicitation", {{"form", json::object()}}}};

// Asks a message of the daemon, over whatever carries it, and gives the answer.
using Ask = std::function<json(const json&)>;

// What is asked of: a tool, a prompt or a resource.
struct Subject {
  std::string method;
  json params;

  json message(const json& more = json::object()) const {
    json all = params;
    all.update(more);
    return modern_message(1, method, all, k_can_be_asked);
  }
};

Subject tool_subject(const std::string& tool, const std::string& text) {
  return {"tools/call", tool_params(tool, {{"text", text}})};
}

Subject prompt_subject(const std::string& text) {
  return {"prompts/get", {{"name", "test_asking_prompt"}, {"arguments", {{"text", text}}}}};
}

Subject resource_subject(const std::string& uri) {
  return {"resources/read", {{"uri", uri}}};
}

// How a client goes on that was asked.
json answered(const json& state) {
  return {{"inputResponses", {{"name", {{"action", "accept"}, {"content", {{"name", "Ann"}}}}}}},
          {"requestState", state}};
}

// The state that comes with the question.
std::string state_of(const Ask& ask_it, const Subject& subject) {
  json asked = ask_it(subject.message());
  REQUIRE_MESSAGE(asked.value("/result/resultType"_json_pointer, "") == "input_required",
                  asked.dump());
  std::string state = asked["result"]["requestState"];
  REQUIRE(state.size() > 64);
  return state;
}

void check_refused(const Ask& ask_it, const Subject& subject, const json& state) {
  CAPTURE(state.dump());
  json answer = ask_it(subject.message(answered(state)));
  CAPTURE(answer.dump());
  CHECK(answer.value("/error/code"_json_pointer, 0) == -32602);
  CHECK(answer.dump().find("Ann asked") == std::string::npos);
}

void check_accepted(const Ask& ask_it, const Subject& subject, const std::string& state) {
  json answer = ask_it(subject.message(answered(state)));
  CAPTURE(answer.dump());
  CHECK(answer.dump().find("Ann asked about") != std::string::npos);
}

struct World {
  World()
      : daemon(home.path(), with_http())
      , place(http_place(home.path())) {
    agent.hand_over(daemon.socket());
    other_agent.hand_over(daemon.socket());
  }

  Ask socket() {
    return [this](const json& message) {
      Client client(daemon.socket());
      client.send(message.dump() + "\n");
      return json::parse(client.line());
    };
  }

  static Ask over(Bridge& bridge) {
    return [&bridge](const json& message) {
      bridge.write(message.dump() + "\n");
      return json::parse(bridge.line());
    };
  }

  Ask http() {
    return [this](const json& message) {
      HttpClient client(place);
      return client.call(http_modern(place, message)).message();
    };
  }

  TemporaryFolder home;
  DaemonProcess daemon;
  HttpPlace place;
  Bridge agent;
  Bridge other_agent;
};

} // namespace

TEST_SUITE("request state") {
  TEST_CASE("what was given comes back, over everything that carries messages") {
    World world;
    for (const Ask& ask_it : {world.socket(), World::over(world.agent), world.http()}) {
      for (const Subject& subject : {tool_subject("test_ask", "apples"),
                                     prompt_subject("pears"),
                                     resource_subject("test://ask/plums")}) {
        std::string state = state_of(ask_it, subject);
        check_accepted(ask_it, subject, state);
      }
    }
  }

  TEST_CASE("what was changed is refused, wherever it was") {
    World world;
    Subject subject = tool_subject("test_ask", "apples");
    for (const Ask& ask_it : {world.socket(), World::over(world.agent), world.http()}) {
      std::string state = state_of(ask_it, subject);
      for (std::size_t i = 0; i < state.size(); ++i) {
        std::string changed = state;
        changed[i] = changed[i] == '1' ? '2' : '1';
        check_refused(ask_it, subject, changed);
      }
      for (std::size_t length : {std::size_t(1),
                                 std::size_t(63),
                                 std::size_t(64),
                                 std::size_t(65),
                                 std::size_t(66),
                                 state.size() - 1}) {
        check_refused(ask_it, subject, state.substr(0, length));
      }
      std::string upper = state;
      std::ranges::transform(
          upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      for (const std::string& forged : {state + "x",
                                        state + state,
                                        " " + state,
                                        state + "\n",
                                        upper,
                                        std::string(64, '0') + ".99999999999.apples",
                                        std::string(64, '0') + ".",
                                        std::string("."),
                                        std::string("apples"),
                                        std::string(1'000'000, 'a'),
                                        std::string("a\0b", 3)}) {
        check_refused(ask_it, subject, forged);
      }
      for (const json& odd : {json(7), json(true), json::array(), json::object({{"a", 1}})}) {
        check_refused(ask_it, subject, odd);
      }
      check_accepted(ask_it, subject, state);
    }
  }

  TEST_CASE("what belongs to another call is refused") {
    World world;
    for (const Ask& ask_it : {world.socket(), World::over(world.agent), world.http()}) {
      std::vector<Subject> subjects{tool_subject("test_ask", "apples"),
                                    tool_subject("test_ask", "pears"),
                                    tool_subject("test_ask_again", "apples"),
                                    prompt_subject("apples"),
                                    prompt_subject("pears"),
                                    resource_subject("test://ask/apples"),
                                    resource_subject("test://ask/pears")};
      std::vector<std::string> states;
      for (const Subject& subject : subjects) {
        states.push_back(state_of(ask_it, subject));
      }
      for (std::size_t i = 0; i < subjects.size(); ++i) {
        for (std::size_t j = 0; j < subjects.size(); ++j) {
          CAPTURE(i);
          CAPTURE(j);
          if (i != j) {
            check_refused(ask_it, subjects[i], states[j]);
          }
        }
        check_accepted(ask_it, subjects[i], states[i]);
      }
      // Also where the arguments say the same and one more thing.
      Subject more = subjects[0];
      more.params["arguments"]["wait_ms"] = 1;
      check_refused(ask_it, more, states[0]);
      // A tool that never asked takes no state at all.
      check_refused(ask_it, tool_subject("test_echo", "apples"), states[0]);
    }
  }

  TEST_CASE("what was given to a person, an agent or a client of HTTP is no other's") {
    World world;
    std::vector<Ask> all{world.socket(), World::over(world.agent), world.http()};
    for (const Subject& subject : {tool_subject("test_ask", "apples"),
                                   prompt_subject("pears"),
                                   resource_subject("test://ask/plums")}) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::string state = state_of(all[i], subject);
        for (std::size_t j = 0; j < all.size(); ++j) {
          CAPTURE(i);
          CAPTURE(j);
          if (i != j) {
            check_refused(all[j], subject, state);
          }
        }
        check_accepted(all[i], subject, state);
      }
    }
  }

  TEST_CASE("a modern client may go on over another connection, as there is no session") {
    World world;
    Subject subject = tool_subject("test_ask", "apples");
    std::string state = state_of(world.http(), subject);
    check_accepted(world.http(), subject, state);
    state = state_of(World::over(world.agent), subject);
    check_accepted(World::over(world.other_agent), subject, state);
  }

  TEST_CASE("a legacy client cannot bring a state, nor answers that it was not asked for") {
    World world;
    Subject subject = tool_subject("test_ask", "apples");
    std::string state = state_of(world.socket(), subject);
    Client client(world.daemon.socket());
    client.send(legacy_hello());
    client.line();
    json params = subject.params;
    params.update(answered(state));
    client.send(legacy_message(1, "tools/call", params).dump() + "\n");
    std::string answer = client.line(); // it can not be asked either
    CHECK(answer.find("Ann asked") == std::string::npos);
    CHECK(json::parse(answer)["id"] == 1);
  }

  TEST_CASE("the answers to a legacy client's questions are taken from nobody else") {
    World world;
    HttpClient hello(world.place);
    std::vector<std::string> sessions;
    for (int i = 0; i < 2; ++i) {
      HttpAnswer answer =
          hello.call(http_legacy(world.place, {}, legacy_initialize(k_can_be_asked)));
      sessions.push_back(answer.field("Mcp-Session-Id"));
      REQUIRE(!sessions.back().empty());
    }
    HttpClient asked(world.place);
    Subject subject = tool_subject("test_ask", "apples");
    asked.send(
        http_legacy(world.place, sessions[0], legacy_message(1, "tools/call", subject.params))
            .text());
    REQUIRE(asked.receive_head().is_stream());
    json question = asked.event();
    CHECK(question["method"] == "elicitation/create");
    auto reply = [&](const std::string& name) {
      return json{{"jsonrpc", "2.0"},
                  {"id", question["id"]},
                  {"result", {{"action", "accept"}, {"content", {{"name", name}}}}}};
    };
    CHECK(hello.call(http_legacy(world.place, sessions[1], reply("Mallory"))).status == 202);
    Client person(world.daemon.socket());
    person.send(reply("Mallory").dump() + "\n");
    ask(person, "status");
    CHECK_FALSE(asked.has_something());
    CHECK(hello.call(http_legacy(world.place, sessions[0], reply("Ann"))).status == 202);
    CHECK(text_of(asked.event()) == "Ann asked about apples");
  }

  TEST_CASE("a state does not outlive the daemon that gave it") {
    TemporaryFolder home;
    Subject subject = tool_subject("test_ask", "apples");
    std::string state;
    Ask ask_it;
    {
      DaemonProcess daemon(home.path());
      Client client(daemon.socket());
      ask_it = [&](const json& message) {
        client.send(message.dump() + "\n");
        return json::parse(client.line());
      };
      state = state_of(ask_it, subject);
      check_accepted(ask_it, subject, state);
    }
    DaemonProcess daemon(home.path());
    Client client(daemon.socket());
    ask_it = [&](const json& message) {
      client.send(message.dump() + "\n");
      return json::parse(client.line());
    };
    check_refused(ask_it, subject, state);
  }

  TEST_CASE("a task is shown, told and cancelled by whoever began it, and by no other agent") {
    World world;
    const json can_have_tasks = {
        {"extensions", {{"io.modelcontextprotocol/tasks", json::object()}}}};
    auto begin = [&](const Ask& ask_it) {
      json answer = ask_it(modern_message(
          1, "tools/call", tool_params("test_task", {{"text", "secret"}}), can_have_tasks));
      REQUIRE_MESSAGE(answer.value("/result/resultType"_json_pointer, "") == "task", answer.dump());
      return answer["result"]["taskId"].get<std::string>();
    };
    auto get = [&](const Ask& ask_it, const std::string& method, const std::string& id) {
      json params = {{"taskId", id}};
      if (method == "tasks/update") {
        params["inputResponses"] = {{"name", {{"action", "accept"}}}};
      }
      return ask_it(modern_message(2, method, params, can_have_tasks));
    };
    std::vector<Ask> agents{World::over(world.agent), world.http()};
    for (std::size_t i = 0; i < agents.size(); ++i) {
      std::string id = begin(agents[i]);
      CHECK(id.size() >= 32);
      for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
        json other = get(agents[1 - i], method, id);
        CAPTURE(other.dump());
        CHECK(other.value("/error/code"_json_pointer, 0) == -32602);
        CHECK(other.dump().find("secret") == std::string::npos);
        // No more is told of one that there is than of one that there is not.
        std::string unknown = id;
        unknown.back() = unknown.back() == '0' ? '1' : '0';
        json none = get(agents[1 - i], method, unknown);
        std::string told = other["error"].dump();
        std::size_t at = told.find(id);
        CHECK((at == std::string::npos ? told : told.replace(at, id.size(), unknown))
              == none["error"].dump());
        // By its resource, too.
        json read =
            agents[1 - i](modern_message(3, "resources/read", {{"uri", "upskill://job/" + id}}));
        CHECK(read.value("/error/code"_json_pointer, 0) == -32602);
        CHECK(read.dump().find("secret") == std::string::npos);
      }
      CHECK(becomes_true([&] {
        return get(agents[i], "tasks/get", id).dump().find("secret") != std::string::npos;
      }));
    }
  }
}
