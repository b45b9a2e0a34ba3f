#include "protocol/rpc/json_text.h"
#include "protocol/rpc/message.h"
#include "protocol/rpc/simdjson_reader.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using namespace upskill::rpc;

TEST_SUITE("Message: responses") {
  TEST_CASE("a response has an id and one outcome") {
    MessageParser parser;
    const Message& good =
        parser.parse(R"({"jsonrpc":"2.0","id":"a","result":{"b": [1]}})").messages.front();
    CHECK(good.kind == Message::Kind::response);
    CHECK(good.error_code == 0);
    CHECK(good.id == "\"a\"");
    CHECK(good.result.raw == R"({"b": [1]})");
    CHECK(good.result.kind == JsonKind::object);
    CHECK(good.failure.raw.empty());
    const Message& failed =
        parser.parse(R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})").messages.front();
    CHECK(failed.error_code == 0);
    CHECK(failed.failure.raw == R"({"code":1})");
    CHECK(failed.result.raw.empty());
  }

  TEST_CASE("anything else is a response still, so that nothing answers it, but a bad one") {
    MessageParser parser;
    for (const char* bad : {R"({"jsonrpc":"2.0","result":{}})",
                            R"({"jsonrpc":"2.0","id":null,"result":{}})",
                            R"({"jsonrpc":"2.0","id":1.5,"result":{}})",
                            R"({"id":1,"result":{}})",
                            R"({"jsonrpc":"1.0","id":1,"result":{}})",
                            R"({"jsonrpc":"2.0","id":1,"result":{},"result":{}})",
                            R"({"jsonrpc":"2.0","id":1,"id":1,"result":{}})",
                            R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})"}) {
      CAPTURE(bad);
      const Message& message = parser.parse(bad).messages.front();
      CHECK(message.kind == Message::Kind::response);
      CHECK(message.error_code != 0);
    }
    CHECK(parser.parse(R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})").messages.front().kind
          == Message::Kind::request);
    // What the message before had is gone.
    CHECK(parser.parse(R"({"jsonrpc":"2.0","id":1,"method":"m"})")
              .messages.front()
              .result.raw.empty());
  }
}

TEST_SUITE("JsonText") {
  TEST_CASE("keys of objects whose values are alike") {
    using Keys = std::vector<std::string>;
    CHECK(uniform_keys("{}", JsonKind::string) == Keys{});
    CHECK(uniform_keys(R"({"a":"1","b\u0063":"2"})", JsonKind::string) == Keys{"a", "bc"});
    CHECK(uniform_keys(R"( {"a": {"b":1}} )", JsonKind::object) == Keys{"a"});
    for (const char* bad : {"[]",
                            "7",
                            R"({"a":1})",
                            R"({"a":null})",
                            R"({"a":"1","b":{}})",
                            R"({"a":"1","a":"2"})",
                            R"({"a":"1","\u0061":"2"})"}) {
      CAPTURE(bad);
      CHECK_FALSE(uniform_keys(bad, JsonKind::string));
    }
    std::string many = "{";
    for (int i = 0; i < 65; ++i) {
      many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"\"";
    }
    CHECK_FALSE(uniform_keys(many + "}", JsonKind::string));
  }

  TEST_CASE("line ends between tokens become spaces, and the parser has room") {
    std::string line = with_padding("{\n\"a\\n\":\r\n[1]}");
    CHECK(line == "{ \"a\\n\":  [1]}");
    CHECK(line.capacity() - line.size() >= k_json_padding);
  }

  TEST_CASE(
      "what is long is kept without the blanks between its tokens, and nothing else changes") {
    std::string blanks(5000, ' ');
    std::string strings = R"("a \" , b":["\\ ","\\\" : ",""])";
    std::string line =
        with_padding("{" + blanks + "\r\n" + strings + "\t, \"n\" : -1.5e3 , \"t\":true}");
    CHECK(line == "{" + strings + R"(,"n":-1.5e3,"t":true})");
    CHECK(line.capacity() - line.size() >= k_json_padding);
    CHECK(line.capacity() < 1000);
    std::string text = "[\"" + blanks + "\", 1]";
    CHECK(with_padding(text) == "[\"" + blanks + "\",1]");
  }
}
