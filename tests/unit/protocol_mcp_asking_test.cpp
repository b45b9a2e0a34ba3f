#include "protocol/mcp/questions.h"
#include "protocol/mcp/session.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace upskill;
using namespace upskill::mcp;
using Json = nlohmann::json;

namespace {

// A legacy client that can be asked, and what it was sent.
struct Client {
  explicit Client(const Server& server, const std::string& version = "2025-11-25")
      : session(server, Audience::agents) {
    receive(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")"
            + version + R"(","capabilities":{"elicitation":{},"sampling":{}}}})");
    out.clear();
  }

  void receive(const std::string& line) { session.receive(line, out); }

  CallId call(const std::string& id, const std::string& arguments = "{}") {
    receive(R"({"jsonrpc":"2.0","id":)" + id
            + R"(,"method":"tools/call","params":{"name":"status",)" + R"("arguments":)" + arguments
            + "}}");
    REQUIRE_FALSE(out.calls.empty());
    CallId started = out.calls.back().id;
    out.calls.clear();
    return started;
  }

  // Answers the call by asking; the ids of the requests that were written.
  std::vector<std::string> ask(CallId call, std::size_t questions = 1) {
    InputRequired required;
    for (std::size_t i = 0; i < questions; ++i) {
      required.requests.push_back({"q" + std::to_string(i), InputKind::sampling, "{}"});
    }
    out.output.clear();
    session.answer(call, Answer(required), out.output);
    std::vector<std::string> ids;
    for (const Json& message : messages()) {
      if (message.value("method", "") == "sampling/createMessage") {
        ids.push_back(message["id"].dump());
      }
    }
    return ids;
  }

  void respond(const std::string& id, const std::string& result = "{}") {
    receive(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}");
  }

  std::vector<Json> messages() const {
    std::vector<Json> found;
    for (std::size_t at = 0; at < out.output.size();) {
      std::size_t end = out.output.find('\n', at);
      REQUIRE(end != std::string::npos);
      found.push_back(Json::parse(out.output.substr(at, end - at)));
      at = end + 1;
    }
    return found;
  }

  Session session;
  Outcome out = {};
};

} // namespace

TEST_SUITE("Asking") {
  TEST_CASE("ids are of one process, never used twice, and not to be guessed") {
    Server server(ServerInfo{});
    Server other(ServerInfo{});
    Client first(server);
    Client second(server);
    Client foreign(other);
    std::string a = first.ask(first.call("1")).at(0);
    std::string b = second.ask(second.call("1")).at(0);
    std::string c = foreign.ask(foreign.call("1")).at(0);
    CHECK(a.size() == std::string("\"upskill-0123456789abcdef-1\"").size());
    CHECK(a.substr(0, 26) == b.substr(0, 26));
    CHECK(a != b);
    CHECK(a.substr(0, 26) != c.substr(0, 26));
    CHECK(a.find_first_not_of("0123456789abcdef", 9) == 25);
  }

  TEST_CASE("one client cannot answer what another was asked") {
    Server server(ServerInfo{});
    Client victim(server);
    Client attacker(server);
    CallId call = victim.call("1");
    std::string id = victim.ask(call).at(0);
    attacker.ask(attacker.call("1"));
    attacker.out.clear();
    attacker.respond(id, R"({"action":"accept"})");
    CHECK(attacker.out.calls.empty());
    CHECK(attacker.out.output.empty());
    CHECK(victim.session.is_asking(call));
  }

  TEST_CASE("the call comes again under its own id, with room for the parser") {
    Server server(ServerInfo{});
    Client client(server);
    CallId call = client.call(R"("x")", R"({"limit": 3})");
    CHECK_FALSE(client.session.is_asking(call));
    auto ids = client.ask(call, 2);
    REQUIRE(ids.size() == 2);
    CHECK(client.session.is_asking(call));
    CHECK(client.session.asking_ids() == std::vector<std::string>{R"("x")"});
    CHECK(client.session.in_flight() == 1);
    client.respond(ids[1], R"({"n":2})");
    client.respond(ids[1], R"({"n":3})");
    CHECK(client.out.calls.empty());
    client.respond(ids[0], R"({"n":1})");
    REQUIRE(client.out.calls.size() == 1);
    const Call& again = client.out.calls[0];
    CHECK(again.id == call);
    CHECK(again.client_id == R"("x")");
    CHECK(again.arguments == R"({"limit": 3})");
    CHECK(again.arguments.capacity() >= again.arguments.size() + 64);
    CHECK(again.input_responses == R"({"q0":{"n":1},"q1":{"n":2}})");
    CHECK_FALSE(client.session.is_asking(call));
    client.out.output.clear();
    client.session.answer(call, Answer(ToolAnswer{"{}"}), client.out.output);
    CHECK(client.messages().at(0)["id"] == "x");
    CHECK(client.session.in_flight() == 0);
  }

  TEST_CASE("while it asks, a call still reports progress, and its owner may end it") {
    Server server(ServerInfo{});
    Client client(server);
    client.receive(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status",)"
                   R"("_meta":{"progressToken":"t"}}})");
    CallId call = client.out.calls.at(0).id;
    auto ids = client.ask(call);
    client.out.clear();
    client.session.progress(call, 1, std::nullopt, "", client.out.output);
    CHECK(client.messages().at(0)["method"] == "notifications/progress");
    client.out.clear();
    client.session.answer(call, fail(ErrorCode::timed_out, "nobody answered"), client.out.output);
    auto sent = client.messages();
    REQUIRE(sent.size() == 2);
    CHECK(sent[0]["method"] == "notifications/cancelled");
    CHECK(sent[0]["params"]["requestId"].dump() == ids.at(0));
    CHECK(sent[1]["result"]["isError"] == true);
    CHECK(client.session.asking_ids().empty());
    client.out.clear();
    client.respond(ids[0]);
    CHECK(client.out.calls.empty());
    CHECK(client.out.output.empty());
  }

  TEST_CASE("a call that is asking is not answered by asking again") {
    Server server(ServerInfo{});
    Client client(server);
    CallId call = client.call("1");
    CHECK(client.ask(call).size() == 1);
    CHECK(client.ask(call).empty());
    CHECK(client.out.output.empty());
    CHECK(client.session.is_asking(call));
  }

  TEST_CASE("eight questions at once and sixteen rounds, no more") {
    Server server(ServerInfo{});
    Client client(server);
    CHECK(client.ask(client.call("1"), 8).size() == 8);
    CHECK(client.ask(client.call("2"), 9).empty());
    CHECK(client.messages().at(0)["error"]["code"] == -32603);
    CallId call = client.call("3");
    for (int round = 0; round < 16; ++round) {
      auto ids = client.ask(call);
      REQUIRE(ids.size() == 1);
      client.respond(ids[0]);
      REQUIRE(client.out.calls.size() == 1);
      client.out.clear();
    }
    CHECK(client.ask(call).empty());
    CHECK(client.messages().at(0)["result"]["isError"] == true);
    CHECK(client.session.in_flight() == 1); // the eight questions of the first
  }

  TEST_CASE("what waits for other answers is bounded") {
    Server server(ServerInfo{});
    Client client(server);
    auto ids = client.ask(client.call("1"), 3);
    std::string large = R"({"t":")" + std::string(7u << 20, 'x') + R"("})";
    client.out.clear();
    client.respond(ids[0], large);
    client.respond(ids[1], large);
    CHECK(client.out.output.empty());
    client.respond(ids[2], large);
    CHECK(client.out.calls.empty());
    CHECK(client.messages().back()["result"]["isError"] == true);
    // and it is given back.
    auto more = client.ask(client.call("2"), 2);
    client.out.clear();
    client.respond(more[0], large);
    client.respond(more[1], large);
    CHECK(client.out.calls.size() == 1);
  }

  TEST_CASE("what a client's calls hold is bounded in bytes, and given back") {
    Server server(ServerInfo{});
    Client client(server);
    std::string large = R"({"t":")" + std::string(12u << 20, 'x') + R"("})";
    auto call = [&](const std::string& id, const std::string& arguments) {
      client.out.clear();
      client.receive(R"({"jsonrpc":"2.0","id":)" + id
                     + R"(,"method":"tools/call","params":{"name":"status","arguments":)"
                     + arguments + "}}");
      return client.out.calls.empty() ? CallId(0) : client.out.calls[0].id;
    };
    auto refused = [&] { return client.messages().at(0)["error"]["code"] == -31001; };
    CallId first = call("1", large);
    CallId second = call("2", large);
    CHECK(first != 0);
    REQUIRE(second != 0);
    CHECK(call("3", large) == 0);
    CHECK(refused());
    CHECK(call("4", "{}") != 0); // an everyday call
    SUBCASE("by an answer") {
      client.session.answer(first, Answer(ToolAnswer{"{}"}), client.out.output);
    }
    SUBCASE("by a cancellation") {
      client.receive(
          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    }
    CHECK(call("3", large) != 0);
    // Answers that wait for others count with them.
    auto ids = client.ask(second, 2);
    client.out.clear();
    client.respond(ids.at(0), large);
    REQUIRE_FALSE(client.out.output.empty());
    CHECK(client.messages().back()["result"]["isError"] == true);
    CHECK(call("5", large) != 0);
  }

  TEST_CASE("a call that goes on although it was cancelled holds what it held") {
    Server server(ServerInfo{});
    auto client = std::make_optional<Client>(server);
    std::string large = R"({"t":")" + std::string(12u << 20, 'x') + R"("})";
    auto call = [&](const std::string& id) {
      client->out.clear();
      client->receive(R"({"jsonrpc":"2.0","id":)" + id
                      + R"(,"method":"tools/call","params":{"name":"status","arguments":)" + large
                      + "}}");
      return std::exchange(client->out.calls, {});
    };
    std::vector<Call> first = call("1");
    std::vector<Call> second = call("2");
    client->receive(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    CHECK(client->out.cancelled.size() == 1);
    CHECK(call("3").empty());
    first.clear();
    CHECK(call("4").size() == 1);
    client.reset(); // its calls may be left
  }

  TEST_CASE("what the calls of all clients hold is bounded as well") {
    Server server(ServerInfo{});
    std::vector<Session> sessions;
    Outcome out;
    int id = 0;
    // One that can be asked nothing, so that the test does not hold it all.
    auto call = [&](Session& session, std::size_t bytes) {
      out.clear();
      session.receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(++id)
                          + R"(,"method":"tools/call","params":{"name":"status","arguments":{"t":")"
                          + std::string(bytes, 'x') + R"("}}})",
                      out);
      return out.calls.size() == 1;
    };
    for (int i = 0; i < 9; ++i) {
      sessions.emplace_back(server, Audience::agents);
      sessions.back().receive(
          R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})",
          out);
    }
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(call(sessions[i], 15u << 20));
    }
    CHECK_FALSE(call(sessions[8], 15u << 20));
    CHECK(out.output.find("-31001") != std::string::npos);
    CHECK(call(sessions[8], 4000));
    sessions.erase(sessions.begin());
    CHECK(call(sessions.back(), 15u << 20));
  }

  TEST_CASE("a question asked by a name that is taken, or by none, is a bug of ours") {
    for (const auto& keys : {std::vector<std::string>{"a", "a"}, std::vector<std::string>{""}}) {
      InputRequired required;
      for (const std::string& key : keys) {
        required.requests.push_back({key, InputKind::roots, ""});
      }
      CHECK_FALSE(fault_of(required).empty());
    }
    CHECK_FALSE(fault_of(InputRequired{}).empty());
    CHECK(fault_of(InputRequired{{}, "state"}).empty());
    CHECK(fault_of(InputRequired{{{"a"}, {"b"}}, ""}).empty());
  }

  TEST_CASE("a client that can be asked nothing costs no copy of its calls") {
    Server server(ServerInfo{});
    Session session(server, Audience::agents);
    Outcome out;
    session.receive(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})",
        out);
    session.receive(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status"}})",
                    out);
    REQUIRE(out.calls.size() == 1);
    out.output.clear();
    InputRequired required{{{"a", InputKind::roots, ""}}, ""};
    session.answer(out.calls[0].id, Answer(required), out.output);
    CHECK(session.in_flight() == 0);
    CHECK(out.output.find("roots") != std::string::npos);
    CHECK(out.output.find("isError") != std::string::npos);
  }
}
