#include "protocol/catalog.h"
#include "tests/transcripts/stand_in.h"
#include "tests/transcripts/transcript.h"

#include <doctest/doctest.h>

#include <algorithm>
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
