#include "protocol/catalog.h"
#include "protocol/mcp/session.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

using namespace upskill;
using namespace upskill::mcp;
using Json = nlohmann::json;

namespace {

const std::string k_meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                           R"("io.modelcontextprotocol/clientCapabilities":{}})";

const std::string k_call =
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status",)" + k_meta + "}}";

// Of the one message that it is; 0 where it is no error.
int error_code(const std::string& output) {
  Json message = Json::parse(output);
  return message.contains("error") ? message["error"]["code"].get<int>() : 0;
}

} // namespace

TEST_SUITE("errors") {
  TEST_CASE("the code of an error tells whose fault it is, and ours are handed back") {
    const std::map<ErrorCode, int> k_codes{{ErrorCode::invalid_argument, -32602},
                                           {ErrorCode::not_found, -32602},
                                           {ErrorCode::already_exists, -32602},
                                           {ErrorCode::too_large, -32602},
                                           {ErrorCode::refused, -32602},
                                           {ErrorCode::busy, -31001},
                                           {ErrorCode::permission, -31002},
                                           {ErrorCode::cancelled, -31002},
                                           {ErrorCode::timed_out, -31002},
                                           {ErrorCode::changed, -31002},
                                           {ErrorCode::unsupported, -31002},
                                           {ErrorCode::unavailable, -31002},
                                           {ErrorCode::no_space, -32603},
                                           {ErrorCode::io, -32603},
                                           {ErrorCode::corrupt, -32603},
                                           {ErrorCode::internal, -32603}};
    CHECK(k_codes.size() == static_cast<std::size_t>(ErrorCode::internal) + 1);
    Server server(ServerInfo{});
    Session modern(server, Audience::agents);
    Session legacy(server, Audience::agents);
    Outcome out;
    legacy.receive(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})",
        out);
    for (const auto& [kind, code] : k_codes) {
      CAPTURE(to_string(kind));
      for (bool is_modern : {true, false}) {
        Session& session = is_modern ? modern : legacy;
        out.clear();
        session.receive(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":)"
                        R"({"uri":"skill://a/x")"
                            + (is_modern ? "," + k_meta : "") + "}}",
                        out);
        REQUIRE(out.calls.size() == 1);
        std::string output;
        auto fault = session.answer(out.calls[0].id, fail(kind, "why"), output);
        bool is_unknown = kind == ErrorCode::not_found && !is_modern;
        CHECK(error_code(output) == (is_unknown ? -32002 : code));
        CHECK(fault.has_value() == (code == -32603));
        CHECK((!fault || *fault == Error{kind, "why"}));
      }
      // What a tool fails at is its answer, but for a bug of ours.
      out.clear();
      modern.receive(k_call, out);
      std::string output;
      auto fault = modern.answer(out.calls[0].id, fail(kind, "why"), output);
      CHECK(error_code(output) == (kind == ErrorCode::internal ? -32603 : 0));
      CHECK(fault.has_value() == (kind == ErrorCode::internal));
    }
    // An answer that fits no request is a bug of whoever gave it.
    out.clear();
    modern.receive(k_call, out);
    std::string output;
    CHECK(modern.answer(out.calls[0].id, Answer(Done{}), output).has_value());
    CHECK(error_code(output) == -32603);
  }
}
