#include "protocol/catalog.h"
#include "protocol/mcp/session.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::mcp;
using Json = nlohmann::json;

namespace {

ServerInfo test_info() {
  ServerInfo info;
  info.version = "1.2.3";
  return info;
}

const std::string k_meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                           R"("io.modelcontextprotocol/clientCapabilities":{}})";

std::string call(const std::string& id, const std::string& tool = "status") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":")" + tool
         + R"(",)" + k_meta + "}}";
}

std::vector<Json> messages(const std::string& output) {
  std::vector<Json> found;
  for (std::size_t at = 0; at < output.size();) {
    std::size_t end = output.find('\n', at);
    REQUIRE(end != std::string::npos);
    found.push_back(Json::parse(output.substr(at, end - at)));
    at = end + 1;
  }
  return found;
}

int error_code(const std::string& output) {
  auto found = messages(output);
  REQUIRE(found.size() == 1);
  return found.front().contains("error") ? found.front()["error"]["code"].get<int>() : 0;
}

ToolAnswer echo(const Call& call_of) {
  return {R"({"for":)" + call_of.client_id + "}"};
}

} // namespace

TEST_SUITE("Session") {
  TEST_CASE("clients that use the same ids get their own answers only") {
    Server server(test_info());
    std::vector<Session> sessions;
    std::vector<Outcome> outcomes(8);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      sessions.emplace_back(server, Audience::agents);
    }
    for (int id = 0; id < 20; ++id) {
      for (std::size_t i = 0; i < sessions.size(); ++i) {
        sessions[i].receive(call(std::to_string(id)), outcomes[i]);
      }
    }
    // Answered backwards and interleaved; each says whose it is.
    for (int id = 19; id >= 0; --id) {
      for (std::size_t i = 0; i < sessions.size(); ++i) {
        const Call& mine = outcomes[i].calls[static_cast<std::size_t>(id)];
        ToolAnswer answer{R"({"session":)" + std::to_string(i) + R"(,"id":)" + mine.client_id
                          + "}"};
        sessions[i].answer(mine.id, Answer(answer), outcomes[i].output);
      }
    }
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      auto answers = messages(outcomes[i].output);
      REQUIRE(answers.size() == 20);
      for (const Json& answer : answers) {
        CHECK(answer["result"]["structuredContent"]["session"] == i);
        CHECK(answer["result"]["structuredContent"]["id"] == answer["id"]);
      }
    }
  }

  TEST_CASE("a client of our own is not told the same twice, and an agent that says so is") {
    Server server(test_info());
    for (Audience audience : {Audience::people, Audience::agents}) {
      const bool is_ours = audience == Audience::people;
      Session session(server, audience);
      Outcome out;
      std::string request = call("1");
      request.insert(request.find("\"_meta\":{") + 9, R"("upskill/context":{},)");
      session.receive(request, out);
      session.receive(call("2"), out); // without context: anybody
      session.receive(call("3"), out);
      REQUIRE(out.calls.size() == 3);
      session.answer(out.calls[0].id, Answer(echo(out.calls[0])), out.output);
      session.answer(out.calls[1].id, Answer(echo(out.calls[1])), out.output);
      ToolAnswer failed{R"({"why":"it"})", "said"};
      failed.is_error = true;
      session.answer(out.calls[2].id, Answer(failed), out.output);
      auto answers = messages(out.output);
      REQUIRE(answers.size() == 3);
      CHECK(answers[0]["result"]["structuredContent"]["for"] == 1);
      CHECK(answers[0]["result"]["content"].size() == (is_ours ? 0 : 1));
      CHECK(answers[1]["result"]["content"][0]["text"] == R"({"for":2})");
      CHECK(answers[2]["result"]["content"][0]["text"] == "said");
    }
  }

  TEST_CASE("a burst of good, bad and unknown messages: every request is answered once") {
    Server server(test_info());
    Session session(server, Audience::agents);
    std::mt19937 random(5);
    Outcome out;
    std::set<int> requested;
    std::size_t bad_lines = 0;
    for (int id = 0; id < 2000; ++id) {
      switch (random() % 6) {
      case 0:
        session.receive(call(std::to_string(id)), out);
        requested.insert(id);
        break;
      case 1:
        session.receive(call(std::to_string(id), "no_such_tool"), out);
        requested.insert(id);
        break;
      case 2:
        session.receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(id)
                            + R"(,"method":"what","params":{}})",
                        out);
        requested.insert(id);
        break;
      case 3:
        session.receive("{\"broken\":", out);
        ++bad_lines;
        break;
      case 4:
        session.receive(R"({"jsonrpc":"2.0","method":"notifications/unheard"})", out);
        break;
      default:
        for (const Call& started : out.calls) {
          session.answer(started.id, Answer(echo(started)), out.output);
        }
        out.calls.clear();
      }
    }
    for (const Call& started : out.calls) {
      session.answer(started.id, Answer(echo(started)), out.output);
    }
    CHECK(session.in_flight() == 0);
    std::size_t without_id = 0;
    for (const Json& message : messages(out.output)) {
      if (!message.contains("id")) {
        CHECK(message["error"]["code"] == -32700);
        ++without_id;
      } else {
        CHECK(requested.erase(message["id"].get<int>()) == 1);
      }
    }
    CHECK(requested.empty());
    CHECK(without_id == bad_lines);
  }

  TEST_CASE("a call is answered once, whoever insists") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    session.receive(call("1"), out);
    CallId id = out.calls.front().id;
    std::string output;
    session.answer(id, Answer(ToolAnswer{"{}"}), output);
    CHECK(messages(output).size() == 1);
    output.clear();
    session.answer(id, Answer(ToolAnswer{"{}"}), output);
    session.answer(id + 1, Answer(ToolAnswer{"{}"}), output);
    session.answer(0, fail(ErrorCode::io, "late"), output);
    session.progress(id, 1, std::nullopt, "", output);
    CHECK(output.empty());
  }

  TEST_CASE("an answer of the wrong kind is an internal error, not a lie") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    session.receive(call("1"), out);
    session.answer(out.calls.front().id, Answer(ResourcePage{}), out.output);
    CHECK(error_code(out.output) == -32603);
  }

  TEST_CASE("the 257th call in flight is told to wait") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    for (int id = 0; id < 256; ++id) {
      session.receive(call(std::to_string(id)), out);
    }
    CHECK(out.output.empty());
    CHECK(session.in_flight() == 256);
    session.receive(call("256"), out);
    CHECK(error_code(out.output) == -31001);
    CHECK(out.calls.size() == 256);
    out.output.clear();
    session.answer(out.calls[7].id, Answer(ToolAnswer{"{}"}), out.output);
    out.output.clear();
    session.receive(call("256"), out);
    CHECK(out.output.empty());
    CHECK(out.calls.size() == 257);
  }

  TEST_CASE("subscriptions are bounded in both eras") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    auto listen = [&](int id) {
      out.clear();
      session.receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(id)
                          + R"(,"method":"subscriptions/listen","params":{"notifications":{},)"
                          + k_meta + "}}",
                      out);
      return error_code(out.output);
    };
    for (int id = 0; id < 16; ++id) {
      CHECK(listen(id) == 0);
    }
    CHECK(listen(16) == -31001);
    session.receive(
        R"({"jsonrpc":"2.0","id":99,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})",
        out);
    auto subscribe = [&](int id) {
      out.clear();
      session.receive(
          R"({"jsonrpc":"2.0","id":100,"method":"resources/subscribe","params":{"uri":"a:)"
              + std::to_string(id) + R"("}})",
          out);
      return error_code(out.output);
    };
    for (int id = 0; id < 1000; ++id) {
      REQUIRE(subscribe(id) == 0);
    }
    CHECK(subscribe(1000) == -31001);
    CHECK(subscribe(999) == 0);
  }

  TEST_CASE("a URI that is asked for twice is granted and told once") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    session.receive(
        R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":)"
        R"({"resourceSubscriptions":["skill://b/x","skill://a/x","skill://b/x"]},)"
            + k_meta + "}}",
        out);
    auto acknowledged = messages(out.output);
    REQUIRE(acknowledged.size() == 1);
    CHECK(acknowledged[0]["params"]["notifications"]["resourceSubscriptions"]
          == Json({"skill://a/x", "skill://b/x"}));
    std::string output;
    session.tell({Change::resources, "skill://b/"}, output);
    auto told = messages(output);
    REQUIRE(told.size() == 1);
    CHECK(told[0]["params"]["uri"] == "skill://b/x");
  }

  TEST_CASE("the answer of a batch is not held up by what is already there") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    session.receive(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}})",
        out);
    out.clear();
    session.receive(
        R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status"}}])", out);
    CHECK(out.output.empty());
    session.receive(R"({"jsonrpc":"2.0","id":2,"method":"ping"})", out);
    CHECK(messages(out.output).size() == 1);
  }

  TEST_CASE("arguments come out as they went in, with room for the parser") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    session.receive(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"skill_read",)"
        R"("arguments": {"skill" : "a\ud83d\u00e9", "n":1e999} ,)"
            + k_meta + "}}",
        out);
    REQUIRE(out.calls.size() == 1);
    CHECK(out.calls[0].arguments == R"({"skill" : "a\ud83d\u00e9", "n":1e999})");
    CHECK(out.calls[0].arguments.capacity() >= out.calls[0].arguments.size() + 64);
    CHECK(out.calls[0].method->name == "skill_read");
  }

  TEST_CASE("answers may hold anything and still are one line of valid JSON") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    session.receive(call("1"), out);
    session.answer(out.calls[0].id, fail(ErrorCode::io, "a\nb\xFF\"\x01", "c\r\n"), out.output);
    auto found = messages(out.output);
    REQUIRE(found.size() == 1);
    CHECK(found[0]["result"]["content"][0]["text"] == "a\nb\uFFFD\"\x01\nhint: c\r\n");
  }

  TEST_CASE("bytes that claim to be text and are not are sent as bytes") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    session.receive(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b",)"
                        + k_meta + "}}",
                    out);
    REQUIRE(out.calls.size() == 1);
    ResourceContents contents{"a:b", "text/plain", "\xFF", true};
    session.answer(out.calls[0].id, Answer(contents), out.output);
    auto found = messages(out.output);
    CHECK(found[0]["result"]["contents"][0]["blob"] == "/w==");
  }

  TEST_CASE("an oversized line is answered, and only while the session is open") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    session.oversized_line(out);
    CHECK(error_code(out.output) == -32600);
    out.clear();
    session.close(out.output);
    session.oversized_line(out);
    CHECK(out.output.empty());
  }

  TEST_CASE("the tools come in pages that end") {
    Server server(test_info(), {}, 5);
    for (Audience audience : {Audience::agents, Audience::people}) {
      Session session(server, audience);
      std::vector<std::string> names;
      std::string cursor;
      for (int page = 0; page < 100; ++page) {
        Outcome out;
        session.receive(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":)"
                            + Json(cursor).dump() + "," + k_meta + "}}",
                        out);
        Json result = messages(out.output).front()["result"];
        CHECK(result["tools"].size() <= 5);
        CHECK(result["cacheScope"] == "public");
        for (const Json& tool : result["tools"]) {
          names.push_back(tool["name"]);
        }
        if (!result.contains("nextCursor")) {
          break;
        }
        cursor = result["nextCursor"];
      }
      std::vector<std::string> expected;
      for (const MethodInfo& method : catalog()) {
        if (audience == Audience::people || method.audience == Audience::agents) {
          expected.emplace_back(method.name);
        }
      }
      CHECK(names == expected);
    }
  }

  TEST_CASE("a list is the same bytes every time, on every connection") {
    Server server(test_info());
    std::string line =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{)" + k_meta + "}}";
    Outcome first;
    Outcome second;
    Session(server, Audience::agents).receive(line, first);
    Session(server, Audience::agents).receive(line, second);
    CHECK(first.output == second.output);
    CHECK(first.output.size() > 1000);
  }

  TEST_CASE("a session without a change saves the same, and state_changed says when not") {
    Server server(test_info());
    Session session(server, Audience::agents);
    std::string saved = session.save();
    auto send = [&](const std::string& line) {
      Outcome out;
      session.receive(line, out);
      bool differs = session.save() != saved;
      saved = session.save();
      CHECK((out.state_changed || !differs));
      return out.state_changed;
    };
    CHECK(session.era() == Era::undecided);
    CHECK_FALSE(send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"));
    CHECK(send(R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{)" + k_meta + "}}"));
    CHECK(session.era() == Era::modern);
    CHECK_FALSE(send(call("3")));
    CHECK(send(
        R"({"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})"));
    CHECK(session.era() == Era::legacy);
    CHECK(send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
    CHECK_FALSE(send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
    CHECK(
        send(R"({"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"a:b"}})"));
    auto restored = Session::restore(server, Audience::agents, saved);
    REQUIRE(restored);
    CHECK(restored->save() == saved);
    CHECK(restored->era() == Era::legacy);
    CHECK(restored->is_subscribed("a:b"));
    CHECK_FALSE(restored->is_subscribed("a:c"));
    CHECK(restored->in_flight() == 0);
  }

  TEST_CASE("of resources that begin so, exactly those are told that were subscribed to") {
    Server server(test_info());
    Session session(server, Audience::agents);
    Outcome out;
    session.receive(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})",
        out);
    session.receive(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", out);
    for (const char* uri :
         {"skill://a/scripts/a.sh", "skill://a/SKILL.md", "skill://ab/SKILL.md"}) {
      session.receive(R"({"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":")"
                          + std::string(uri) + R"("}})",
                      out);
    }
    std::string output;
    session.tell({Change::resources, "skill://a/"}, output);
    auto told = messages(output);
    REQUIRE(told.size() == 2);
    CHECK(told[0]["params"]["uri"] == "skill://a/scripts/a.sh");
    CHECK(told[1]["params"]["uri"] == "skill://a/SKILL.md");
    output.clear();
    session.tell({Change::resources, "skill://c/"}, output);
    CHECK(output.empty());
  }

  TEST_CASE("damaged state is refused") {
    Server server(test_info());
    for (const char* bad : {"",
                            "garbage",
                            "[]",
                            "{}",
                            R"({"era":"later"})",
                            R"({"era":"legacy","version":"1999-01-01"})",
                            R"({"era":"legacy","version":"2026-07-28"})",
                            R"({"era":"legacy","subscriptions":["no uri"]})",
                            R"({"era":"modern","listens":[{"id":null}]})",
                            R"({"era":"modern","listens":[{"id":1.5}]})",
                            R"({"era":"modern","listens":[{"id":1},{"id":1}]})",
                            R"({"era":"modern","listens":[{"id":1,"uris":[7]}]})"}) {
      CAPTURE(bad);
      auto restored = Session::restore(server, Audience::agents, bad);
      REQUIRE_FALSE(restored);
      CHECK(restored.error().code == ErrorCode::corrupt);
    }
    // What a newer daemon adds is no damage.
    CHECK(Session::restore(server, Audience::agents, R"({"era":"modern","later":{"a":1}})"));
  }

  TEST_CASE("a lost call is told only to an id") {
    Server server(test_info());
    Session session(server, Audience::agents);
    std::string output;
    for (const char* bad : {"", "null", "1,\"x\":2", "{}", "\"open", "1\n2"}) {
      session.answer_lost(bad, output);
    }
    CHECK(output.empty());
    session.answer_lost("\"a\"", output);
    CHECK(messages(output).front()["id"] == "a");
    CHECK(error_code(output) == -32603);
  }
}
