#include "protocol/catalog.h"
#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/requests.h"
#include "protocol/mcp/server_state.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <set>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::mcp;
using Json = nlohmann::json;

namespace {

constexpr std::array<MethodInfo, 3> k_tools{{
    {"raw_schema",
     "",
     "Has a schema of its own.",
     "Described.",
     Effect::writes,
     Audience::agents,
     Pace::quick,
     [] { return std::string(R"({"$schema":"https://json-schema.org/draft/2020-12/schema"})"); },
     [] { return std::string(); }},
    {"status",
     "",
     "Not the one of the catalogue.",
     "",
     Effect::reads,
     Audience::agents,
     Pace::quick,
     [] { return std::string(); },
     [] { return std::string(); }},
    {"for_people",
     "",
     "Changes something.",
     "",
     Effect::destructive,
     Audience::people,
     Pace::quick,
     [] { return std::string(); },
     [] { return std::string(); }},
}};

Offer everything() {
  Offer offer;
  offer.tools = k_tools;
  offer.prompts = {{"a", "", "First.", {}}, {"b", "", "Second.", {}}, {"c", "", "Third.", {}}};
  offer.completion = offer.skills = offer.tasks = true;
  return offer;
}

const std::string k_meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                           R"("io.modelcontextprotocol/clientCapabilities":{"extensions":)"
                           R"({"io.modelcontextprotocol/tasks":{}}}})";

// What the server answers to one modern request; null where it becomes a call.
Json answer_to(const Server& server, const std::string& method, const std::string& params = "") {
  Session session(server, Audience::agents);
  Outcome out;
  session.receive(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params
                      + (params.empty() ? "" : ",") + k_meta + "}}",
                  out);
  return out.output.empty() ? Json() : Json::parse(out.output);
}

int code_of_answer(const Server& server,
                   const std::string& method,
                   const std::string& params = "") {
  Json answer = answer_to(server, method, params);
  return answer.contains("error") ? answer["error"]["code"].get<int>() : 0;
}

} // namespace

TEST_SUITE("Offer") {
  TEST_CASE("what is not offered is not declared, and its methods do not exist") {
    Offer nothing;
    nothing.resources = false;
    Server none(ServerInfo{}, nothing);
    Server all(ServerInfo{}, everything());
    Json few = Json::parse(none.state().discover())["capabilities"];
    Json many = Json::parse(all.state().discover())["capabilities"];
    CHECK(few == Json::parse(R"({"logging":{},"tools":{}})"));
    CHECK(
        many
        == Json::parse(R"({"completions":{},"extensions":{"io.modelcontextprotocol/skills":)"
                       R"({"directoryRead":true},"io.modelcontextprotocol/tasks":{}},"logging":{},)"
                       R"("prompts":{},"resources":{"subscribe":true,"listChanged":true},)"
                       R"("tools":{}})"));
    const std::vector<std::pair<std::string, std::string>> k_methods{
        {"prompts/list", ""},
        {"prompts/get", R"("name":"a")"},
        {"completion/complete",
         R"("ref":{"type":"ref/resource","uri":"a:{b}"},"argument":{"name":"b","value":""})"},
        {"skills/list", ""},
        {"skills/get", R"("uri":"a:b")"},
        {"resources/directory/read", R"("uri":"a:b")"},
        {"resources/list", ""},
        {"resources/templates/list", ""},
        {"resources/read", R"("uri":"a:b")"},
        {"tasks/get", R"("taskId":"a")"},
        {"tasks/update", R"("taskId":"a","inputResponses":{})"},
        {"tasks/cancel", R"("taskId":"a")"}};
    for (const auto& [method, params] : k_methods) {
      CAPTURE(method);
      CHECK(code_of_answer(none, method, params) == -32601);
      CHECK(code_of_answer(all, method, params) == 0);
    }
  }

  TEST_CASE("each revision is told what it knows") {
    Offer offer = everything();
    offer.list_changes = true;
    Server server(ServerInfo{}, offer);
    for (std::size_t i = 0; i + 1 < k_version_names.size(); ++i) {
      auto version = static_cast<Version>(i);
      CAPTURE(name_of(version));
      Json capabilities = Json::parse(server.state().initialize(version))["capabilities"];
      CHECK(capabilities.contains("completions") == (version >= Version::v2025_03_26));
      CHECK(capabilities.contains("extensions") == (version >= Version::v2025_11_25));
      CHECK(capabilities["tools"]["listChanged"] == true);
      CHECK(capabilities["prompts"]["listChanged"] == true);
    }
    Json newest = Json::parse(server.state().initialize(k_newest_legacy))["capabilities"];
    CHECK(newest["extensions"]
          == Json::parse(R"({"io.modelcontextprotocol/skills":{"directoryRead":true}})"));
  }

  TEST_CASE(
      "tools are found by name, the catalogue's first, people's writing ones by people only") {
    Server server(ServerInfo{}, everything());
    for (const MethodInfo& method : catalog()) {
      CAPTURE(method.name);
      CHECK(server.find_tool(method.name, Audience::people) == find_method(method.name));
      bool is_hidden = method.audience == Audience::people_only
                       || (method.audience == Audience::people && method.effect != Effect::reads);
      CHECK((server.find_tool(method.name, Audience::agents) == nullptr) == is_hidden);
    }
    CHECK(server.find_tool("sync_log", Audience::agents) != nullptr);
    // With `--log verbose` the log has what other clients say.
    CHECK(server.find_tool("daemon_logs", Audience::agents) == nullptr);
    CHECK(server.find_tool("raw_schema", Audience::agents) == &k_tools[0]);
    CHECK(server.find_tool("for_people", Audience::people) == &k_tools[2]);
    CHECK(server.find_tool("for_people", Audience::agents) == nullptr);
    CHECK(server.find_tool("", Audience::people) == nullptr);
    CHECK(server.find_tool("Status", Audience::people) == nullptr);
  }

  TEST_CASE("a tool beside the catalogue is listed after it, with the schemas that it has") {
    Server server(ServerInfo{}, everything());
    Json tools = answer_to(server, "tools/list")["result"]["tools"];
    Json last;
    for (const Json& tool : tools) {
      if (tool["name"] == "raw_schema") {
        last = tool;
      }
      CHECK(tool["name"] != "for_people");
      CHECK(tool["annotations"]["title"] == tool["title"]);
    }
    CHECK(tools.front()["name"] == catalog().front().name);
    CHECK(last["inputSchema"]["$schema"] == "https://json-schema.org/draft/2020-12/schema");
    CHECK_FALSE(last.contains("outputSchema"));
    CHECK(last["title"] == "Has a schema of its own");
    CHECK(tools.back()["inputSchema"] == Json::parse(R"({"type":"object"})"));
  }

  TEST_CASE("prompts come in pages that end") {
    Server server(ServerInfo{}, everything(), 2);
    Json first = answer_to(server, "prompts/list")["result"];
    REQUIRE(first["prompts"].size() == 2);
    Json second =
        answer_to(server, "prompts/list", R"("cursor":)" + first["nextCursor"].dump())["result"];
    REQUIRE(second["prompts"].size() == 1);
    CHECK(second["prompts"][0]["name"] == "c");
    CHECK_FALSE(second.contains("nextCursor"));
  }

  TEST_CASE("the icon is shown once, not with every result") {
    ServerInfo info;
    info.icon = "data:image/svg+xml;base64,PHN2Zy8+";
    Server server(info, everything());
    Json icons = Json::parse(
        R"([{"src":"data:image/svg+xml;base64,PHN2Zy8+","mimeType":"image/svg+xml","sizes":["any"]}])");
    CHECK(Json::parse(server.state().initialize(k_newest_legacy))["serverInfo"]["icons"] == icons);
    CHECK_FALSE(Json::parse(server.state().initialize(Version::v2025_06_18))["serverInfo"].contains(
        "icons"));
    Json discover = Json::parse(server.state().discover());
    CHECK(discover["_meta"][std::string(k_meta_server_info)]["icons"] == icons);
    CHECK(server.state().meta.find("icons") == std::string::npos);
  }

  TEST_CASE("the error codes of MCP are where its registry says") {
    CHECK(k_header_mismatch == -32020);
    CHECK(k_missing_capability == -32021);
    CHECK(k_unsupported_version == -32022);
    Refusal refusal = missing_capability(R"({"sampling":{}})");
    CHECK(refusal.code == -32021);
    CHECK(Json::parse(refusal.data)["requiredCapabilities"]["sampling"].is_object());
    CHECK(Json::parse(text_block("a\"\n")) == Json::parse(R"({"type":"text","text":"a\"\n"})"));
  }
}

TEST_SUITE("Completion") {
  TEST_CASE("at most 100 values are sent, and it is said that there are more") {
    Server server(ServerInfo{}, everything());
    Session session(server, Audience::agents);
    for (std::int64_t total : {0, 150, 900}) {
      Outcome out;
      session.receive(R"({"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":)"
                      R"({"type":"ref/resource","uri":"a:{b}"},"argument":{"name":"b","value":""},)"
                          + k_meta + "}}",
                      out);
      REQUIRE(out.calls.size() == 1);
      Completion completion;
      completion.values.assign(150, "v");
      completion.total = total;
      session.answer(out.calls[0].id, Answer(completion), out.output);
      Json sent = Json::parse(out.output)["result"]["completion"];
      CHECK(sent["values"].size() == 100);
      CHECK(sent["total"] == std::max<std::int64_t>(total, 150));
      CHECK(sent["hasMore"] == true);
    }
  }
}

TEST_SUITE("Capabilities") {
  TEST_CASE("each revision lets a client be asked what it knows") {
    std::string all = R"({"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{},)"
                      R"("extensions":{"io.modelcontextprotocol/tasks":{}}})";

    struct Row {
      Version version;
      ClientCapabilities expected;
    };

    for (const Row& row : {Row{Version::v2024_11_05, {false, false, true, false, true, false}},
                           Row{Version::v2025_03_26, {false, false, true, false, true, false}},
                           Row{Version::v2025_06_18, {true, false, true, false, true, false}},
                           Row{Version::v2025_11_25, {true, true, true, true, true, false}},
                           Row{Version::v2026_07_28, {true, true, true, true, true, true}}}) {
      CAPTURE(name_of(row.version));
      CHECK(read_capabilities(all, row.version) == row.expected);
    }
    CHECK(read_capabilities("{}", k_modern) == ClientCapabilities{});
    CHECK(read_capabilities(R"({"elicitation":{}})", k_modern)->form);
    CHECK(read_capabilities(R"({"elicitation":{"url":{}}})", k_modern)->url);
    CHECK_FALSE(read_capabilities(R"({"elicitation":{"url":{}}})", k_modern)->form);
    CHECK(read_capabilities(R"({"elicit\u0061tion":{}})", k_modern)->form);
    CHECK_FALSE(read_capabilities("[]", k_modern));
  }

  TEST_CASE("what is missing is exactly what is asked for and not declared") {
    InputRequired form{{{"a", InputKind::elicitation, R"({"message":"m"})"}}, ""};
    InputRequired url{{{"a", InputKind::elicitation, R"({"mode":"url"})"}}, ""};
    InputRequired roots{{{"a", InputKind::roots, ""}}, ""};
    ClientCapabilities none;
    ClientCapabilities some;
    some.form = true;
    CHECK(missing_for(form, none) == R"({"elicitation":{"form":{}}})");
    CHECK(missing_for(form, some).empty());
    CHECK(missing_for(url, some) == R"({"elicitation":{"url":{}}})");
    CHECK(missing_for(roots, some) == R"({"roots":{}})");
    CHECK(missing_for(InputRequired{}, none).empty());
  }
}

TEST_SUITE("Session: what it remembers") {
  TEST_CASE("log level, capabilities and listens survive, and a newer daemon's words do no harm") {
    Offer offer = everything();
    offer.list_changes = true;
    Server server(ServerInfo{}, offer);
    Session session(server, Audience::agents);
    Outcome out;
    auto send = [&](const std::string& line) {
      out.clear();
      session.receive(line, out);
      return out.state_changed;
    };
    CHECK_FALSE(session.legacy_version());
    send(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
        R"("capabilities":{"sampling":{},"elicitation":{"url":{}}}}})");
    CHECK(session.legacy_version() == Version::v2025_11_25);
    CHECK(
        send(R"({"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"alert"}})"));
    CHECK_FALSE(
        send(R"({"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"alert"}})"));
    CHECK_FALSE(session.is_listening());
    CHECK(send(R"({"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":)"
               R"({"notifications":{"toolsListChanged":true},)"
               + k_meta + "}}"));
    CHECK(session.is_listening());
    auto restored = Session::restore(server, Audience::agents, session.save());
    REQUIRE(restored);
    CHECK(restored->save() == session.save());
    CHECK(restored->is_listening());
    out.clear();
    restored->receive(
        R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"status"}})", out);
    REQUIRE(out.calls.size() == 1);
    CHECK(out.calls[0].client == ClientCapabilities{false, true, true, false, false, false});
    std::string output;
    restored->log(out.calls[0].id, LogLevel::critical, "", "1", output);
    CHECK(output.empty());
    restored->log(out.calls[0].id, LogLevel::alert, "", "1", output);
    CHECK_FALSE(output.empty());
    output.clear();
    restored->tell({Change::tool_list}, output);
    CHECK(output.find("tools/list_changed") != std::string::npos);
    out.clear();
    restored->receive(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}})", out);
    CHECK_FALSE(restored->is_listening());
    CHECK(Session::restore(server,
                           Audience::agents,
                           R"({"era":"legacy","version":"2025-11-25","log_level":"whisper",)"
                           R"("client":{"form":true,"telepathy":true}})"));
  }

  TEST_CASE("a modern request is not answered by what an earlier one declared") {
    Server server(ServerInfo{}, everything());
    Session session(server, Audience::agents);
    auto client_of = [&](const std::string& capabilities) {
      Outcome out;
      session.receive(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status",)"
                      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                      R"("io.modelcontextprotocol/clientCapabilities":)"
                          + capabilities + "}}}",
                      out);
      REQUIRE(out.calls.size() == 1);
      session.answer(out.calls[0].id, Answer(ToolAnswer{"{}"}), out.output);
      return out.calls[0].client;
    };
    ClientCapabilities sampling;
    sampling.sampling = true;
    for (int time = 0; time < 2; ++time) {
      CHECK(client_of(R"({"sampling":{}})") == sampling);
      CHECK(client_of("{}") == ClientCapabilities{});
      CHECK(client_of(R"({"x":")" + std::string(5000, 'x') + R"("})") == ClientCapabilities{});
    }
  }

  TEST_CASE("whole progress is written as an integer, however large") {
    Server server(ServerInfo{});
    Session session(server, Audience::agents);
    Outcome out;
    session.receive(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status",)"
                    R"("_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":)"
                    R"("2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})",
                    out);
    auto progress = [&](double done, double total) {
      std::string output;
      session.progress(out.calls.at(0).id, done, total, "", output);
      return output.substr(output.find("\"progress\""));
    };
    CHECK(progress(0, 100) == "\"progress\":0,\"total\":100}}\n");
    CHECK(progress(50, 100) == "\"progress\":50,\"total\":100}}\n");
    CHECK(progress(50.5, 100) == "\"progress\":50.5,\"total\":100}}\n");
    CHECK(progress(1000000, 5e9) == "\"progress\":1000000,\"total\":5000000000}}\n");
  }

  TEST_CASE("parameters that were written over several lines are handed on as one") {
    Server server(ServerInfo{}, everything());
    Session session(server, Audience::agents);
    Outcome out;
    session.receive("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                    "\"status\",\"arguments\":{\n\"a\":\r\n1},\"inputResponses\":{\"k\":{\n}},"
                        + k_meta + "}}",
                    out);
    REQUIRE(out.calls.size() == 1);
    CHECK(out.calls[0].arguments == "{ \"a\":  1}");
    CHECK(out.calls[0].input_responses == "{\"k\":{ }}");
  }
}
