#include "protocol/catalog.h"
#include "protocol/mcp/requests.h"
#include "tests/transcripts/coverage.h"
#include "tests/transcripts/stand_in.h"
#include "tests/transcripts/transcript.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::transcripts;

namespace {

std::vector<std::string> transcript_paths() {
  // Not from __FILE__, which may be relative to wherever a compiler cache first saw it.
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(UPSKILL_TRANSCRIPTS)) {
    if (entry.path().extension() == ".jsonl") {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

mcp::ServerInfo test_info() {
  mcp::ServerInfo info;
  info.version = "1.2.3";
  return info;
}

std::vector<std::string> problems_of(const std::string& text) {
  std::istringstream in(text);
  Transcript transcript = parse_transcript("test", in);
  mcp::Server server(test_info(), stand_in_offer(transcript.lists_change));
  StandIn wire(transcript, server);
  return Runner(transcript, wire).run();
}

// Of those that are played to the real daemon, or of all.
Coverage coverage_of(bool by_stand_in_too) {
  Coverage coverage;
  for (const std::string& path : transcript_paths()) {
    Transcript transcript = load_transcript(path);
    if (by_stand_in_too || !transcript.needs_stand_in) {
      coverage.add(transcript);
    }
  }
  return coverage;
}

constexpr std::array<mcp::Version, 5> k_versions{mcp::Version::v2024_11_05,
                                                 mcp::Version::v2025_03_26,
                                                 mcp::Version::v2025_06_18,
                                                 mcp::Version::v2025_11_25,
                                                 mcp::Version::v2026_07_28};
static_assert(k_versions.size() == mcp::k_version_names.size());

// What a client may tell. `initialized` and `cancelled` are heeded, the rest is to be ignored, as
// is all of another era.
constexpr std::array<std::string_view, 4> k_client_notifications{
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed"};

// What the server says of itself, and asks (MCP facts, sections 3 and 4).
struct ServerMessage {
  std::string_view method;
  mcp::Spoken spoken = mcp::Spoken::both;
};

constexpr std::array<ServerMessage, 11> k_server_messages{
    {{"notifications/cancelled"},
     {"notifications/message"},
     {"notifications/progress"},
     {"notifications/prompts/list_changed"},
     {"notifications/resources/list_changed"},
     {"notifications/resources/updated"},
     {"notifications/subscriptions/acknowledged", mcp::Spoken::modern},
     {"notifications/tools/list_changed"},
     {"elicitation/create"},
     {"roots/list"},
     {"sampling/createMessage"}}};

bool is_spoken(mcp::Spoken spoken, bool in_modern) {
  return spoken == mcp::Spoken::both || (spoken == mcp::Spoken::modern) == in_modern;
}

} // namespace

TEST_SUITE("Transcripts") {
  TEST_CASE("every session goes as written") {
    std::vector<std::string> paths = transcript_paths();
    REQUIRE(paths.size() >= 20);
    for (const std::string& path : paths) {
      CAPTURE(path);
      Transcript transcript = load_transcript(path);
      if (transcript.needs_daemon) {
        CHECK(transcript.problems.empty());
        MESSAGE("skipped: ", transcript.name, " is played to the daemon only (e2e_upskill)");
        continue;
      }
      mcp::Server server(test_info(), stand_in_offer(transcript.lists_change));
      StandIn wire(transcript, server);
      for (const std::string& problem : Runner(transcript, wire).run()) {
        FAIL_CHECK(problem);
      }
    }
  }

  TEST_CASE("every method of the catalogue is called in one that runs against a daemon") {
    std::set<std::string> called;
    for (const std::string& path : transcript_paths()) {
      Transcript transcript = load_transcript(path);
      for (const Step& step : transcript.steps) {
        Json message = Json::parse(step.text, nullptr, false);
        if (!transcript.needs_stand_in && step.kind == Step::Kind::send && message.is_object()
            && message.value("method", "") == "tools/call") {
          const Json& params = message["params"];
          called.insert(params.contains("name") && params["name"].is_string()
                            ? params["name"].get<std::string>()
                            : std::string());
        }
      }
    }
    for (const MethodInfo& method : catalog()) {
      CAPTURE(method.name);
      CHECK(called.contains(std::string(method.name)));
    }
  }

  TEST_CASE("every request of MCP is answered in every revision, by the real daemon") {
    const Coverage coverage = coverage_of(false);
    for (const mcp::Request& request : mcp::requests()) {
      for (mcp::Version version : k_versions) {
        CAPTURE(request.method);
        CAPTURE(mcp::name_of(version));
        bool is_known = is_spoken(request.spoken, mcp::is_modern(version));
        VersionedMethod method(version, request.method);
        CHECK(coverage.results().contains(method) == is_known);
        CHECK((is_known || coverage.unknown().contains(method)));
      }
    }
  }

  TEST_CASE("every notification of a client is sent in every revision, to the real daemon") {
    const Coverage coverage = coverage_of(false);
    for (std::string_view method : k_client_notifications) {
      for (mcp::Version version : k_versions) {
        CAPTURE(method);
        CAPTURE(mcp::name_of(version));
        CHECK(coverage.notified().contains({version, std::string(method)}));
      }
    }
  }

  TEST_CASE("whatever the server says of itself occurs in each era that has it, and in no other") {
    using InEra = std::pair<bool, std::string>; // modern?
    const Coverage coverage = coverage_of(true);
    std::set<InEra> found;
    for (const auto& [version, method] : coverage.of_server()) {
      found.emplace(mcp::is_modern(version), method);
    }
    std::set<InEra> known;
    for (const ServerMessage& message : k_server_messages) {
      for (bool is_modern : {false, true}) {
        if (is_spoken(message.spoken, is_modern)) {
          known.emplace(is_modern, message.method);
        }
      }
    }
    for (const auto& [is_modern, method] : known) {
      CAPTURE(method);
      CAPTURE(is_modern);
      CHECK(found.contains({is_modern, method}));
    }
    for (const auto& [is_modern, method] : found) {
      CAPTURE(method);
      CAPTURE(is_modern);
      CHECK(known.contains({is_modern, method}));
    }
  }

  TEST_CASE("a value that was met stands for itself later") {
    const std::string ping = R"({"jsonrpc":"2.0","id":"a\"b","method":"ping"})";
    const std::string kept = "> " + ping + "\n< " + R"({"id":"<keep:id>","...":true})" + "\n";
    const std::string again = R"(> {"jsonrpc":"2.0","id":"again: <id>","method":"ping"})"
                              "\n";
    CHECK(problems_of(kept + again + R"(< {"jsonrpc":"2.0","id":"again: a\"b","result":{}})")
              .empty());
    CHECK(problems_of(kept + again + R"(< {"jsonrpc":"2.0","id":"again: <id>","result":{}})")
              .empty());
    CHECK_FALSE(
        problems_of(kept + again + R"(< {"jsonrpc":"2.0","id":"<id>","result":{}})").empty());
    CHECK_FALSE(problems_of("> " + ping + "\n< " + R"({"id":"<id>","...":true})").empty());
  }

  TEST_CASE("what a session covers is what it has sent and got") {
    auto covered = [](const std::string& text) {
      std::istringstream in(text);
      Coverage coverage;
      coverage.add(parse_transcript("test", in));
      return coverage;
    };
    const std::string hello = "> {\"id\":0,\"method\":\"initialize\"}\n"
                              "< {\"id\":0,\"result\":{\"protocolVersion\":\"2025-06-18\"}}\n";
    const std::string ping = "> {\"id\":1,\"method\":\"ping\"}\n";
    const VersionedMethod legacy(mcp::Version::v2025_06_18, "ping");
    CHECK(covered(hello + ping + "< {\"id\":1,\"result\":{}}").results().contains(legacy));
    CHECK_FALSE(covered(ping + "< {\"id\":1,\"result\":{}}").results().contains(legacy));
    CHECK_FALSE(covered(hello + ping).results().contains(legacy));
    CHECK_FALSE(covered(hello + ping + "< {\"id\":2,\"result\":{}}").results().contains(legacy));
    CHECK(covered(hello + ping + "< {\"id\":1,\"error\":{\"code\":-32601}}")
              .unknown()
              .contains(legacy));
    CHECK(covered(hello + ping + "< {\"id\":1,\"error\":{\"code\":-32602}}").unknown().empty());
    CHECK(covered(hello + "> {\"method\":\"note\"}").notified().contains({legacy.first, "note"}));
    CHECK(covered(hello + "< {\"method\":\"note\"}").of_server().contains({legacy.first, "note"}));
  }

  TEST_CASE("a session that goes otherwise is noticed") {
    const std::string ping = "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    CHECK(problems_of(ping + R"(< {"jsonrpc":"2.0","id":1,"result":{}})").empty());
    CHECK_FALSE(problems_of(ping).empty());
    CHECK_FALSE(problems_of(ping + R"(< {"jsonrpc":"2.0","id":2,"result":{}})").empty());
    CHECK_FALSE(problems_of(ping + R"(< {"jsonrpc":"2.0","id":"1","result":{}})").empty());
    CHECK_FALSE(problems_of(ping + R"(< {"jsonrpc":"2.0","id":1})").empty());
    CHECK_FALSE(problems_of(ping + R"(< {"jsonrpc":"2.0","id":1,"result":{"a":1}})").empty());
    CHECK_FALSE(problems_of(ping + "< {}\n" + ping).empty());
    CHECK_FALSE(problems_of("? {}").empty());
    CHECK_FALSE(problems_of("< {}").empty());
    CHECK_FALSE(problems_of("! no-such-command").empty());
    CHECK_FALSE(problems_of("! stand-in\n! daemon\n" + ping).empty());
  }

  TEST_CASE("patterns match what they say and nothing else") {
    auto fits = [](const char* pattern, const char* message) {
      return mismatch(Json::parse(pattern), Json::parse(message)).empty();
    };
    CHECK(fits(R"("<any>")", "null"));
    CHECK(fits(R"("<integer>")", "7"));
    CHECK_FALSE(fits(R"("<integer>")", "7.5"));
    CHECK_FALSE(fits(R"("<string>")", "7"));
    CHECK(fits(R"("<has>b c")", R"("a b c d")"));
    CHECK_FALSE(fits(R"("<has>x")", R"("a")"));
    CHECK(fits(R"({"a":1,"...":true})", R"({"a":1,"b":2})"));
    CHECK_FALSE(fits(R"({"a":1})", R"({"a":1,"b":2})"));
    CHECK(fits(R"([1,"..."])", "[1,2,3]"));
    CHECK_FALSE(fits(R"([1,"..."])", "[2]"));
    CHECK(fits(R"(["<includes>",3])", "[1,2,3]"));
    CHECK_FALSE(fits(R"(["<includes>",4])", "[1,2,3]"));
    CHECK(fits(R"({"<json>":{"a":"<keep:a>"}})", R"("{\"a\":\"x\"}")"));
    CHECK_FALSE(fits(R"({"<json>":{"a":1}})", R"("{\"a\":2}")"));
    CHECK_FALSE(fits(R"({"<json>":{"a":1}})", R"("{")"));
    CHECK_FALSE(fits(R"({"<json>":{"a":1}})", R"({"a":1})"));
    CHECK_FALSE(fits(R"("<keep:a>")", "7"));
    CHECK_FALSE(fits("1", "1.0"));
    CHECK_FALSE(fits("1", "true"));
  }
}
