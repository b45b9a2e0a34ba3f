#include "protocol/http/header_value.h"
#include "protocol/http/param_headers.h"
#include "protocol/http/reading.h"
#include "protocol/http/said.h"
#include "protocol/mcp/output.h"
#include "protocol/methods.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::http;

namespace {

std::string query_schema() {
  return R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},)"
         R"("limit":{"type":"integer","x-mcp-header":"Limit"},)"
         R"("dry":{"type":"boolean","x-mcp-header":"Dry"},)"
         R"("where":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}},)"
         R"("list":{"type":"array","items":{"properties":{"a":{"x-mcp-header":"Not-This"}}}},)"
         R"("bad":{"type":"string","x-mcp-header":"no token"},"plain":{"type":"string"}}})";
}

std::string no_schema() {
  return "{}";
}

const MethodInfo k_query{
    "query", "", "", "", Effect::reads, Audience::agents, Pace::quick, &query_schema, &no_schema};

const mcp::Server& server() {
  static mcp::Offer offer = [] {
    mcp::Offer made;
    made.tools = {&k_query, 1};
    return made;
  }();
  static mcp::Server made({}, offer);
  return made;
}

constexpr std::string_view k_meta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

std::string request(std::string_view method, std::string_view params = {}) {
  std::string text = R"({"jsonrpc":"2.0","id":7,"method":")" + std::string(method)
                     + R"(","params":{)" + std::string(params);
  text += params.empty() ? "" : ",";
  return text + std::string(k_meta) + "}}";
}

Reading read(std::vector<Field> fields, const std::string& body) {
  static MessageReader reader(server(), Audience::agents);
  return reader.read({"POST", "/mcp", fields}, body);
}

// A modern POST: the version and the method are given, `more` is added.
Reading
read_modern(std::string_view method, std::string_view params = {}, std::vector<Field> more = {}) {
  more.push_back({"MCP-Protocol-Version", "2026-07-28"});
  more.push_back({"Mcp-Method", method});
  return read(std::move(more), request(method, params));
}

int code_of(const Reading& reading) {
  return reading.kind == Reading::Kind::refused ? look_at(reading.answer).code : 0;
}

} // namespace

TEST_SUITE("reading") {
  TEST_CASE("the era follows from the body, then from the header") {
    Reading modern = read_modern("tools/list");
    CHECK(modern.kind == Reading::Kind::request);
    CHECK(modern.era == mcp::Era::modern);
    Reading legacy = read({}, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
    CHECK(legacy.kind == Reading::Kind::request);
    CHECK(legacy.era == mcp::Era::legacy);
    CHECK_FALSE(legacy.is_initialize);
    Reading initialize = read({{"MCP-Protocol-Version", "2025-11-25"}},
                              R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
    CHECK(initialize.era == mcp::Era::legacy);
    CHECK(initialize.is_initialize);
    // `_meta` wins over the method.
    CHECK(read_modern("initialize").era == mcp::Era::modern);
    CHECK_FALSE(read_modern("initialize").is_initialize);
  }

  TEST_CASE("what is no request") {
    CHECK(read({}, R"({"jsonrpc":"2.0","method":"notifications/initialized"})").kind
          == Reading::Kind::notification);
    CHECK(read({}, R"({"jsonrpc":"2.0","id":1,"result":{}})").kind == Reading::Kind::response);
    CHECK(read({}, R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])").kind == Reading::Kind::batch);
    Field version{"MCP-Protocol-Version", "2026-07-28"};
    CHECK(read({version}, R"({"jsonrpc":"2.0","method":"notifications/x"})").kind
          == Reading::Kind::notification);
    CHECK(code_of(read({version}, R"({"jsonrpc":"2.0","id":1,"result":{}})")) == -32600);
    CHECK(code_of(read({version}, R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])")) == -32600);
  }

  TEST_CASE("what cannot be read is 400 in both eras") {
    for (std::vector<Field> fields :
         {std::vector<Field>{}, std::vector<Field>{{"MCP-Protocol-Version", "2026-07-28"}}}) {
      CHECK(read(fields, "").status == 400);
      CHECK(code_of(read(fields, "{")) == -32700);
      CHECK(code_of(read(fields, "\xff")) == -32700);
      CHECK(code_of(read(fields, "7")) == -32600);
      CHECK(code_of(read(fields, R"({"id":1,"method":"ping"})")) == -32600);
      CHECK(code_of(read(fields, R"({"jsonrpc":"2.0","id":null,"method":"ping"})")) == -32600);
    }
  }

  TEST_CASE("the version of header and body") {
    Field modern{"MCP-Protocol-Version", "2026-07-28"};
    Field method{"Mcp-Method", "server/discover"};
    std::string bare = R"({"jsonrpc":"2.0","id":101,"method":"server/discover","params":{}})";
    Reading missing = read({modern, method}, bare);
    CHECK(code_of(missing) == -32602);
    CHECK(missing.status == 400);
    CHECK(missing.answer.find(R"("id":101)") != std::string::npos);
    CHECK(code_of(read({method}, request("server/discover"))) == -32020);
    CHECK(
        code_of(read({{"MCP-Protocol-Version", "2025-11-25"}, method}, request("server/discover")))
        == -32020);
    CHECK(code_of(read({modern, modern, method}, request("server/discover"))) == -32020);
    std::string newer = R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":)"
                        R"({"io.modelcontextprotocol/protocolVersion":"v999.0.0"}}})";
    CHECK(code_of(read({modern, method}, newer)) == -32020);
    // Both the same and unknown: the session says what it supports.
    CHECK(code_of(read({{"MCP-Protocol-Version", "v999.0.0"}, method}, newer)) == 0);
    std::string incomplete =
        R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":)"
        R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";
    CHECK(code_of(read({modern, method}, incomplete)) == -32602);
  }

  TEST_CASE("`_meta` of another form than the schema's is 400, as a missing one is") {
    auto read_meta = [](const std::string& capabilities, const std::string& more = "") {
      return read({{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/list"}},
                  R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":)"
                  R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                  R"("io.modelcontextprotocol/clientCapabilities":)"
                      + capabilities + more + "}}}");
    };
    for (const char* capabilities : {R"({"elicitation":5})",
                                     R"({"elicitation":{"form":true}})",
                                     R"({"sampling":[]})",
                                     R"({"extensions":"all"})",
                                     "[]",
                                     "null"}) {
      CAPTURE(capabilities);
      Reading malformed = read_meta(capabilities);
      CHECK(code_of(malformed) == -32602);
      CHECK(malformed.status == 400);
      CHECK(malformed.answer.find("clientCapabilities") != std::string::npos);
      CHECK(malformed.answer.find(R"("id":7)") != std::string::npos);
    }
    for (const char* level : {R"("loud")", "3"}) {
      CAPTURE(level);
      std::string more = R"(,"io.modelcontextprotocol/logLevel":)" + std::string(level);
      Reading malformed = read_meta("{}", more);
      CHECK(code_of(malformed) == -32602);
      CHECK(malformed.status == 400);
    }
    CHECK(code_of(read_meta(R"({"elicitation":{"form":{}},"sampling":{},"more":1})",
                            R"(,"io.modelcontextprotocol/logLevel":"info")"))
          == 0);
  }

  TEST_CASE("a legacy request names a legacy version, or none") {
    std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
    for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
      CHECK(code_of(read({{"mcp-protocol-version", version}}, list)) == 0);
    }
    CHECK(code_of(read({{"MCP-Protocol-Version", "2025-01-01"}}, list)) == -32600);
    CHECK(code_of(read({{"MCP-Protocol-Version", ""}}, list)) == -32600);
    Field twice{"MCP-Protocol-Version", "2025-11-25"};
    CHECK(code_of(read({twice, twice}, list)) == -32600);
  }

  TEST_CASE("Mcp-Method and Mcp-Name repeat the body") {
    Field version{"MCP-Protocol-Version", "2026-07-28"};
    CHECK(code_of(read({version}, request("tools/list"))) == -32020);
    CHECK(code_of(read({version, {"Mcp-Method", "TOOLS/LIST"}}, request("tools/list"))) == -32020);
    CHECK(code_of(read({version, {"MCP-METHOD", "tools/list"}}, request("tools/list"))) == 0);
    Field method{"Mcp-Method", "tools/list"};
    CHECK(code_of(read({version, method, method}, request("tools/list"))) == -32020);
    std::string_view named = R"("name":"status")";
    CHECK(code_of(read_modern("tools/call", named)) == -32020);
    CHECK(code_of(read_modern("tools/call", named, {{"Mcp-Name", "other"}})) == -32020);
    CHECK(code_of(read_modern("tools/call", named, {{"mcp-name", "status"}})) == 0);
    CHECK(code_of(read_modern("tools/call", named, {{"Mcp-Name", "=?base64?c3RhdHVz?="}})) == 0);
    CHECK(code_of(read_modern("prompts/get", named, {{"Mcp-Name", "x"}})) == -32020);
    CHECK(code_of(read_modern("resources/read", R"("uri":"a:b")", {{"Mcp-Name", "a:b"}})) == 0);
    CHECK(code_of(read_modern("tasks/get", R"("taskId":"t")", {{"Mcp-Name", "u"}})) == -32020);
    CHECK(code_of(read_modern("tasks/get", R"("taskId":"t")", {{"Mcp-Name", "t"}})) == 0);
    CHECK(code_of(read_modern("tasks/result", R"("taskId":"t")")) == 0);
    CHECK(code_of(read_modern("tools/call")) == 0); // the request itself fails
    Reading wrong = read_modern("tools/call", named, {{"Mcp-Name", "other"}});
    CHECK(wrong.status == 400);
    CHECK(wrong.answer.find(R"("id":7)") != std::string::npos);
  }

  TEST_CASE("annotated parameters are repeated in headers") {
    auto call = [](std::string_view arguments, std::vector<Field> fields) {
      fields.push_back({"Mcp-Name", "query"});
      std::string params = R"("name":"query","arguments":)" + std::string(arguments);
      return code_of(read_modern("tools/call", params, std::move(fields)));
    };
    CHECK(call("{}", {}) == 0);
    CHECK(call(R"({"region":"eu"})", {{"mcp-param-region", "eu"}}) == 0);
    CHECK(call(R"({"region":"eu"})", {}) == -32020);
    CHECK(call(R"({"region":"eu"})", {{"Mcp-Param-Region", "EU"}}) == -32020);
    CHECK(call(R"({"region":"eu"})", {{"Mcp-Param-Region", "eu"}, {"Mcp-Param-Region", "eu"}})
          == -32020);
    CHECK(call("{}", {{"Mcp-Param-Region", "eu"}}) == -32020);
    CHECK(call(R"({"region":null})", {}) == 0);
    CHECK(call(R"({"region":null})", {{"Mcp-Param-Region", "null"}}) == -32020);
    CHECK(call(R"({"limit":42})", {{"Mcp-Param-Limit", "42.0"}}) == 0);
    CHECK(call(R"({"limit":42})", {{"Mcp-Param-Limit", "43"}}) == -32020);
    CHECK(call(R"({"limit":42})", {{"Mcp-Param-Limit", "42x"}}) == -32020);
    CHECK(call(R"({"limit":9007199254740993})", {{"Mcp-Param-Limit", "9007199254740992"}})
          == -32020);
    CHECK(call(R"({"dry":true})", {{"Mcp-Param-Dry", "true"}}) == 0);
    CHECK(call(R"({"dry":true})", {{"Mcp-Param-Dry", "True"}}) == -32020);
    CHECK(call(R"({"where":{"zone":"a"}})", {{"Mcp-Param-Zone", "a"}}) == 0);
    CHECK(call(R"({"where":{"zone":"a"}})", {}) == -32020);
    CHECK(call(R"({"region":{}})", {}) == 0); // the tool refuses it
    CHECK(call(R"({"plain":"x","bad":"y","list":[{"a":1}]})", {}) == 0);
    CHECK(call(R"({"region":"Gr\u00fc\u00dfe"})", {{"Mcp-Param-Region", "=?base64?R3LDvMOfZQ==?="}})
          == 0);
  }
}

TEST_SUITE("header value") {
  TEST_CASE("base64 only between its marks, and in one spelling") {
    CHECK(*decode_mirrored("=?base64?SGVsbG8=?=") == "Hello");
    CHECK(decode_mirrored("=?base64?"
                          "?=")
          == "");
    CHECK(*decode_mirrored("SGVsbG8=") == "SGVsbG8=");
    CHECK(*decode_mirrored("=?base64?SGVsbG8=") == "=?base64?SGVsbG8=");
    CHECK(*decode_mirrored("=?BASE64?SGVsbG8=?=") == "=?BASE64?SGVsbG8=?=");
    CHECK(*decode_mirrored("=?base64?=") == "=?base64?=");
    for (std::string_view wrong : {"=?base64?SGVsbG8?=",
                                   "=?base64?SGVs!!!bG8=?=",
                                   "=?base64?SGVsbG9=?=",
                                   "=?base64?====?=",
                                   "=?base64?SGVs bG8=?=",
                                   "a\x01",
                                   "a\x7f",
                                   "\xc3\xbc"}) {
      CAPTURE(wrong);
      CHECK_FALSE(decode_mirrored(wrong));
    }
  }
}

TEST_SUITE("said") {
  TEST_CASE("an answer is told from its first bytes") {
    std::string line;
    mcp::write_error(line, R"("a\",\"result\":1")", -32601, "no");
    CHECK(look_at(line).kind == Said::Kind::error);
    CHECK(look_at(line).code == -32601);
    line.clear();
    mcp::write_error(line, {}, -32700, "no");
    CHECK(look_at(line).code == -32700);
    line.clear();
    mcp::write_result(line, "-12", R"({"error":{"code":1}})");
    CHECK(look_at(line).kind == Said::Kind::result);
    line.clear();
    mcp::write_notification(line, "notifications/progress", R"({"result":1})");
    CHECK(look_at(line).kind == Said::Kind::message);
    CHECK(look_at(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create"})").kind
          == Said::Kind::message);
    CHECK(look_at("").kind == Said::Kind::message);
    CHECK(look_at(R"({"jsonrpc":"2.0","id":"\)").kind == Said::Kind::message);
  }

  TEST_CASE("the status of a modern error follows from its code, and a legacy one is 200") {
    auto status = [](int code) { return status_of(mcp::Era::modern, {Said::Kind::error, code}); };
    CHECK(status(-32601) == 404);
    for (int code : {-32020, -32021, -32022, -32600, -32700}) {
      CHECK(status(code) == 400);
    }
    for (int code : {-32602, -32603, -31001}) {
      CHECK(status(code) == 200);
    }
    CHECK(status_of(mcp::Era::modern, {Said::Kind::result}) == 200);
    CHECK(status_of(mcp::Era::legacy, {Said::Kind::error, -32601}) == 200);
  }
}
