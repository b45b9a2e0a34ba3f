#include "protocol/mcp/origin.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using mcp::Origin;

namespace {

Origin origin_of(const std::string& meta) {
  rpc::MessageParser parser;
  std::string line =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":)" + meta
      + "}}";
  const rpc::Parsed& parsed = parser.parse(line);
  REQUIRE(parsed.messages.size() == 1);
  return mcp::read_origin(parsed.messages[0].meta);
}

} // namespace

TEST_CASE("Codex names its thread, as an object or as a string that holds one") {
  std::string id = "0198f3a2-5c1e-7d60-9b4f-2e6a1c8d7f30";
  Origin wanted{id, ""};
  CHECK(origin_of(R"({"x-codex-turn-metadata":{"thread_id":")" + id + R"(","turn_id":"t"}})")
        == wanted);
  CHECK(origin_of(R"({"x-codex-turn-metadata":{"session_id" : ")" + id + "\"}}") == wanted);
  CHECK(origin_of(R"({"x-codex-turn-metadata":"{\"turn_id\":\"t\",\"thread_id\":\")" + id
                  + R"(\"}"})")
        == wanted);
}

TEST_CASE("a helper of Codex is not its parent, in whatever order they are named") {
  Origin wanted{"bbbb-2", ""};
  for (const char* members :
       {R"({"parent_thread_id":"aaaa-1","thread_id":"bbbb-2"})",
        R"({"thread_id":"bbbb-2","parent_thread_id":"aaaa-1"})",
        R"({"cwd":"/home/thread_id","git":{"thread_id":"x"},"thread_id":"bbbb-2"})",
        R"("{\"cwd\":\"a \\\"thread_id\\\":\\\"x\\\"\",\"thread_id\":\"bbbb-2\"}")"}) {
    CHECK(origin_of(std::string(R"({"x-codex-turn-metadata":)") + members + "}") == wanted);
  }
}

TEST_CASE("Claude Code names the use of the tool") {
  CHECK(origin_of(R"({"claudecode/toolUseId":"toolu_01AbC"})") == Origin{"", "toolu_01AbC"});
}

TEST_CASE("what is no id is none") {
  CHECK(origin_of("{}").empty());
  CHECK(origin_of(R"({"progressToken":1})").empty());
  CHECK(origin_of(R"({"claudecode/toolUseId":7})").empty());
  CHECK(origin_of(R"({"claudecode/toolUseId":""})").empty());
  CHECK(origin_of(R"({"claudecode/toolUseId":")" + std::string(129, 'a') + "\"}").empty());
  CHECK(origin_of(R"({"x-codex-turn-metadata":{"thread_id":null}})").empty());
  CHECK(origin_of(R"({"x-codex-turn-metadata":"thread_id"})").empty());
  CHECK(origin_of(R"({"x-codex-turn-metadata":{"thread_id":"../../etc/passwd"}})").empty());
}
