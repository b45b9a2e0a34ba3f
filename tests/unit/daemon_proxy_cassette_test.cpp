#include "daemon/proxy/agent_cassette.h"
#include "daemon/proxy/normalise.h"
#include "protocol/base/atomic_file.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

using namespace upskill;
using namespace upskill::proxy;

namespace {

std::string normal(std::string_view text) {
  std::vector<std::string> ids;
  return normalised_text(text, {{"/tmp/run-1/work", "{workspace}"}, {"/tmp/run-1", "{run}"}}, ids);
}

std::string only_file(const std::string& folder) {
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    CHECK(found.empty());
    found = entry.path();
  }
  return found;
}

} // namespace

TEST_SUITE("normalised requests of agents") {
  TEST_CASE("what changes from run to run is gone") {
    CHECK(normal("in /tmp/run-1/work/src of /tmp/run-1") == "in {workspace}/src of {run}");
    CHECK(normal("Today's date: 2026-11-25.") == "Today's date: {date}.");
    CHECK(normal("at 2026-11-25T10:20:30.123Z, 2026-11-25 10:20:30+01:00") == "at {date}, {date}");
    CHECK(normal("Wed Nov 25 2026 and Wednesday, November 5, 2026") == "{date} and {date}");
    CHECK(normal("10:20:30") == "{time}");
    CHECK(normal("session 123e4567-e89b-12d3-a456-426614174000") == "session {uuid}");
    CHECK(normal("toolu_01AbCdEf call_9999999 toolu_01AbCdEf") == "{id1} {id2} {id1}");
    CHECK(
        normal("msg_123e4567-e89b-12d3-a456-426614174000 fco_123e4567-e89b-12d3-a456-426614174001")
        == "{id1} {id2}");
    CHECK(normal("activate_skill_1795696060520_0, activate_skill_1795696060520_1")
          == "{id1}, {id2}");
    CHECK(normal("Chunk ID: 4c7e96\nWall time: 0.0123 seconds\nProcess exited with code 0")
          == "{run}\n{run} seconds\nProcess exited with code 0");
    CHECK(normal("x-anthropic-billing-header: cc_version=2.1.329;\nYou are") == "\nYou are");
  }

  TEST_CASE("what is asked stays") {
    for (std::string_view text : {"1.2.3 and 2026",
                                  "May 2026",
                                  "March on",
                                  "call_me",
                                  "abcdefab-1234",
                                  "msg_abc",
                                  "_1795696060520_0",
                                  "skill_179569606052_0",
                                  "skill_1795696060520_",
                                  "skill_1795696060520",
                                  "Chunk ID: ",
                                  "Wall time: long",
                                  "12345-12-12-1",
                                  "12:30",
                                  "",
                                  "a 2026-1-2",
                                  "Marching 5 2026x"}) {
      CHECK(normal(text) == text);
    }
  }

  TEST_CASE("two runs that ask the same have one name, and others another") {
    auto name = [](std::string_view body, std::string_view target = "/v1/messages") {
      return request_digest(normalised_request("POST", target, body, {{"/tmp/a", "{a}"}}));
    };
    Digest one = name(R"({"model":"m","metadata":{"user_id":"u1"},"x":"in /tmp/a at 2026-01-01"})");
    CHECK(one == name(R"({"x":"in /tmp/a at 2027-02-02","metadata":{},"model":"m"})"));
    CHECK(one
          == name(R"({"model":"m","x":"in /tmp/a at 2027-02-02"})", "/v1/messages?key=sk-secret"));
    CHECK(one != name(R"({"model":"m","x":"in /tmp/b at 2026-01-01"})"));
    CHECK(one != name(R"({"model":"n","x":"in /tmp/a at 2026-01-01"})"));
    CHECK(one != name(R"({"model":"m","x":"in /tmp/a at 2026-01-01"})", "/v1/responses"));
    CHECK(name("no json") != name("other"));
  }
}

TEST_SUITE("AgentCassette") {
  TEST_CASE("what was kept is found, by request and sample") {
    tests::TemporaryFolder folder;
    AgentCassette cassette(folder.path());
    nlohmann::json asked = normalised_request("POST", "/v1/messages", R"({"a":1})", {});
    RecordedAnswer first{200, "text/event-stream", "data: {}\n\n"};
    RecordedAnswer second{200, "application/json", "{\"b\":\"\xC3\xA4\"}"};
    REQUIRE(cassette.add(asked, 1, first));
    REQUIRE(cassette.add(asked, 2, second));
    CHECK(cassette.find(asked, 1) == first);
    CHECK(cassette.find(asked, 2) == second);
    CHECK(cassette.find(asked, 3).error().code == ErrorCode::not_found);
    nlohmann::json other = normalised_request("POST", "/v1/messages", R"({"a":2})", {});
    Result<RecordedAnswer> none = cassette.find(other, 1);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
    CHECK(none.error().message.find(request_digest(other).hex()) != std::string::npos);
  }

  TEST_CASE("files that are none are told") {
    tests::TemporaryFolder folder;
    AgentCassette cassette(folder.path());
    nlohmann::json asked = normalised_request("POST", "/v1/messages", R"({"a":1})", {});
    REQUIRE(cassette.add(asked, 1, {200, "text/plain", "x"}));
    std::string path = only_file(folder.path());
    std::string text = *read_file(path, 1u << 20);
    auto find_in = [&](const std::string& bytes) {
      tests::put_file(path, bytes);
      return cassette.find(asked, 1);
    };
    auto changed = [&](std::string_view what, std::string_view into) {
      std::string bytes = text;
      bytes.replace(bytes.find(what), what.size(), into);
      return bytes;
    };
    CHECK(find_in(text));
    for (const std::string& bytes : {std::string("{}"),
                                     std::string("garbage"),
                                     changed("\"a\": 1", "\"a\": 2"),
                                     changed("\"format\": 1", "\"format\": 2"),
                                     changed("\"status\": 200", "\"status\": \"x\""),
                                     changed("\"sample\": 1", "\"sample\": -1")}) {
      Result<RecordedAnswer> found = find_in(bytes);
      REQUIRE_FALSE(found);
      CHECK(found.error().code == ErrorCode::corrupt);
    }
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/etc/passwd", path);
    CHECK_FALSE(cassette.find(asked, 1));
  }
}
