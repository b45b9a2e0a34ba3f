#include "protocol/rpc/json_scanner.h"
#include "protocol/rpc/json_text.h"
#include "protocol/rpc/message.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <random>
#include <string>

using namespace upskill;
using namespace upskill::rpc;
using namespace std::string_view_literals;

namespace {

const Message& only(const Parsed& parsed) {
  REQUIRE(parsed.error_code == 0);
  REQUIRE(parsed.messages.size() == 1);
  return parsed.messages.front();
}

// The error of a line that holds one message or none.
int error_of(std::string_view line) {
  MessageParser parser;
  const Parsed& parsed = parser.parse(line);
  return parsed.error_code != 0 ? parsed.error_code : only(parsed).error_code;
}

std::string id_of(std::string_view line) {
  MessageParser parser;
  return std::string(only(parser.parse(line)).id);
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[')
         + std::string(static_cast<std::size_t>(depth), ']');
}

bool accepts(std::string_view text) {
  JsonScanner scanner(text);
  scanner.value();
  return scanner.at_end();
}

} // namespace

TEST_SUITE("JsonScanner") {
  TEST_CASE("the grammar is RFC 8259, no more and no less") {
    for (const char* good : {"0",
                             "-0",
                             "1.5e+10",
                             "1E9",
                             "\"\"",
                             R"("a\"\\\/\b\f\n\r\t\u00e9")",
                             "[]",
                             " [ 1 , { \"a\" : null } ] ",
                             "{}",
                             "true",
                             "false",
                             "null",
                             "123456789012345678901234567890123456789012345678901234567890",
                             "1e999999"}) {
      CAPTURE(good);
      CHECK(accepts(good));
    }
    for (const char* bad :
         {"",         " ",          "01",          "+1",      "1.",       ".5",
          "1e",       "-",          "0x10",        "NaN",     "nul",      "truex",
          "\"",       "\"\\x\"",    "\"\\u12g4\"", "\"\\u12", "\"\\",     "\"a\tb\"",
          "[1,]",     "[,1]",       "[1 2]",       "[1",      "]",        "{\"a\"}",
          "{\"a\":}", "{\"a\":1,}", "{a:1}",       "{1:1}",   "{\"a\":1", "{} {}",
          "[}",       "'a'"}) {
      CAPTURE(bad);
      CHECK_FALSE(accepts(bad));
    }
  }

  TEST_CASE("it agrees with another parser about damaged documents") {
    const std::string seed =
        R"({"a":[1,-2.5e3,true,null,"x\u00e9\n"],"b":{"c":{},"d":[[]]},"e":"long enough text"})";
    std::mt19937 random(11);
    const std::string_view bytes = "{}[]\",:\\0123456789eE+-.truefalsn u\t";
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
      std::string text = seed;
      for (unsigned change = 0; change <= random() % 3; ++change) {
        std::size_t at = random() % text.size();
        switch (random() % 3) {
        case 0:
          text[at] = bytes[random() % bytes.size()];
          break;
        case 1:
          text.erase(at, 1);
          break;
        default:
          text.insert(at, 1, bytes[random() % bytes.size()]);
        }
      }
      CAPTURE(text);
      bool theirs = nlohmann::json::accept(text);
      CHECK(accepts(text) == theirs);
      accepted += theirs ? 1 : 0;
    }
    CHECK(accepted > 1000);
    CHECK(accepted < 19'000);
  }

  TEST_CASE("depth is bounded exactly") {
    CHECK(accepts(nested(64)));
    JsonScanner scanner(std::string_view("[[[]]]"), 2);
    scanner.value();
    CHECK(scanner.fault() == JsonScanner::Fault::too_deep);
    // Side by side is not deeper.
    CHECK(accepts("[" + nested(63) + "," + nested(63) + "]"));
    CHECK_FALSE(accepts(nested(65)));
  }
}

TEST_SUITE("JsonText") {
  TEST_CASE("escapes become text") {
    CHECK(string_value(R"("plain")") == "plain");
    CHECK(string_value(R"("a\"b\\c\/\n\u0041\u00e9\u20ac")") == "a\"b\\c/\nA\u00e9\u20ac");
    CHECK(string_value(R"("\ud83d\ude00")") == "\U0001F600");
  }

  TEST_CASE("an unpaired surrogate becomes the replacement character") {
    CHECK(string_value(R"("\ud83d")") == "\uFFFD");
    CHECK(string_value(R"("\ude00x")") == "\uFFFDx");
    CHECK(string_value(R"("\ud83d\ud83d\ude00")") == "\uFFFD\U0001F600");
    CHECK(string_value(R"("\ud83d\n")") == "\uFFFD\n");
  }

  TEST_CASE("equal ids have one spelling") {
    CHECK(canonical_scalar(R"("\u0061")") == R"("a")");
    CHECK(canonical_scalar("\"a\"") == "\"a\"");
    CHECK(canonical_scalar("7") == "7");
  }

  TEST_CASE("only strings and integers are request ids") {
    CHECK(is_request_id("0"));
    CHECK(is_request_id("-5"));
    CHECK(is_request_id("\"listen:0\""));
    for (const char* bad : {"", "null", "1.5", "1e3", "{}", "[]", "true", "\"a", "1 2", "1}"}) {
      CAPTURE(bad);
      CHECK_FALSE(is_request_id(bad));
    }
  }
}

TEST_SUITE("MessageParser") {
  TEST_CASE("a request has its id, method, parameters and meta") {
    MessageParser parser;
    const Message& message = only(parser.parse(
        R"( {"jsonrpc":"2.0","id":"x","method":"m","params":{"a":{"b":[1]},"_meta":{"t":7,"u":"v"}}} )"));
    CHECK(message.kind == Message::Kind::request);
    CHECK(message.id == "\"x\"");
    CHECK(message.method == "m");
    REQUIRE(message.params.find("a") != nullptr);
    CHECK(message.params.find("a")->raw == R"({"b":[1]})");
    CHECK(message.params.find("b") == nullptr);
    REQUIRE(message.meta.find("t") != nullptr);
    CHECK(message.meta.find("t")->kind == JsonKind::integer);
    CHECK(message.meta.find("u")->raw == "\"v\"");
  }

  TEST_CASE("the order of members does not matter") {
    MessageParser parser;
    const Message& message =
        only(parser.parse(R"({"method":"m","params":{},"jsonrpc":"2.0","id":0})"));
    CHECK(message.kind == Message::Kind::request);
    CHECK(message.id == "0");
  }

  TEST_CASE("kinds are told apart") {
    MessageParser parser;
    auto kind = [&](std::string_view line) { return only(parser.parse(line)).kind; };
    CHECK(kind(R"({"jsonrpc":"2.0","method":"m"})") == Message::Kind::notification);
    CHECK(kind(R"({"jsonrpc":"2.0","id":1,"result":{}})") == Message::Kind::response);
    CHECK(kind(R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})") == Message::Kind::response);
    CHECK(kind(R"({"jsonrpc":"2.0","id":1})") == Message::Kind::invalid);
  }

  TEST_CASE("names written with escapes are the same names") {
    MessageParser parser;
    const Message& message = only(parser.parse(
        R"({"jsonrpc":"2.0","\u0069d":"\u0061","m\u0065thod":"p\u0069ng","params":{"n\u0061me":1}})"));
    CHECK(message.kind == Message::Kind::request);
    CHECK(message.id == "\"a\"");
    CHECK(message.method == "ping");
    CHECK(message.params.find("name") != nullptr);
  }

  TEST_CASE("ids keep their type") {
    CHECK(id_of(R"({"jsonrpc":"2.0","id":1,"method":"m"})") == "1");
    CHECK(id_of(R"({"jsonrpc":"2.0","id":"1","method":"m"})") == "\"1\"");
    CHECK(id_of(R"({"jsonrpc":"2.0","id":12345678901234567890123,"method":"m"})")
          == "12345678901234567890123");
  }

  TEST_CASE("what is not JSON is a parse error") {
    CHECK(error_of("{") == k_parse_error);
    CHECK(error_of("hello") == k_parse_error);
    CHECK(error_of(R"({"jsonrpc":"2.0","id":1,"method":"m"} x)") == k_parse_error);
    CHECK(error_of(R"({"jsonrpc":"2.0","id":1,"method":"m"}{})") == k_parse_error);
    // Not only what is read is checked, but also what is passed over.
    CHECK(error_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":{"b":[1,]}}})")
          == k_parse_error);
    CHECK(error_of(R"({"jsonrpc":"2.0","id":1,"method":"m","extra":{"a":tru}})") == k_parse_error);
    CHECK(error_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}") == k_parse_error);
    CHECK(error_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xED\xA0\x80\"}") == k_parse_error);
    CHECK(error_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\0b\"}"sv) == k_parse_error);
  }

  TEST_CASE("what is JSON and no message is an invalid request") {
    for (const char* line : {
             "1",
             "null",
             "\"text\"",
             "[]",
             "{}",
             R"({"id":1,"method":"m"})",
             R"({"jsonrpc":"1.0","id":1,"method":"m"})",
             R"({"jsonrpc":2.0,"id":1,"method":"m"})",
             R"({"jsonrpc":"2.0","id":1,"method":7})",
             R"({"jsonrpc":"2.0","id":null,"method":"m"})",
             R"({"jsonrpc":"2.0","id":1.5,"method":"m"})",
             R"({"jsonrpc":"2.0","id":1e2,"method":"m"})",
             R"({"jsonrpc":"2.0","id":{},"method":"m"})",
             R"({"jsonrpc":"2.0","id":[1],"method":"m"})",
             R"({"jsonrpc":"2.0","id":true,"method":"m"})",
             R"({"jsonrpc":"2.0","id":1,"id":2,"method":"m"})",
             R"({"jsonrpc":"2.0","id":1,"method":"m","method":"n"})",
             R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"a":2}})",
             R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"a":1,"\u0061":2}}})",
             R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{},"_meta":{}}})",
             R"({"jsonrpc":"2.0","id":1,"method":"m","params":{},"params":{}})",
         }) {
      CAPTURE(line);
      CHECK(error_of(line) == k_invalid_request);
    }
    CHECK(error_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":)" + nested(64) + "}")
          == k_invalid_request);
    CHECK(error_of(R"({"jsonrpc":"2.0","id":")" + std::string(2000, 'x') + R"(","method":"m"})")
          == k_invalid_request);
  }

  TEST_CASE("an id that may be echoed is, one that may not is left out") {
    CHECK(id_of(R"({"id":7,"method":"m"})") == "7");
    CHECK(id_of(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"m"})").empty());
    CHECK(id_of(R"({"jsonrpc":"2.0","id":1.5,"method":"m"})").empty());
  }

  TEST_CASE("parameters must be an object, and null is as if absent") {
    CHECK(error_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1]})") == k_invalid_params);
    CHECK(error_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":7}})")
          == k_invalid_params);
    CHECK(error_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})") == 0);
    CHECK(error_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":null}})") == 0);
  }

  TEST_CASE("a notification with bad parameters stays a notification") {
    MessageParser parser;
    CHECK(only(parser.parse(R"({"jsonrpc":"2.0","method":"m","params":[1]})")).kind
          == Message::Kind::notification);
  }

  TEST_CASE("a batch is read message by message") {
    MessageParser parser;
    const Parsed& parsed =
        parser.parse(R"([{"jsonrpc":"2.0","id":1,"method":"a"},7,{"jsonrpc":"2.0","method":"b"}])");
    CHECK(parsed.error_code == 0);
    CHECK(parsed.is_batch);
    REQUIRE(parsed.messages.size() == 3);
    CHECK(parsed.messages[0].method == "a");
    CHECK(parsed.messages[1].kind == Message::Kind::invalid);
    CHECK(parsed.messages[2].kind == Message::Kind::notification);
    // Buffers are used again, contents are not.
    CHECK(only(parser.parse(R"({"jsonrpc":"2.0","id":2,"method":"c"})")).method == "c");
  }

  TEST_CASE("a batch and an object have limits") {
    std::string batch = "[1";
    for (int i = 0; i < 256; ++i) {
      batch += ",1";
    }
    CHECK(error_of(batch + "]") == k_invalid_request);
    std::string params = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1)";
    for (int i = 0; i < 64; ++i) {
      params += ",\"k" + std::to_string(i) + "\":1";
    }
    CHECK(error_of(params + "}}") == k_invalid_request);
  }

  TEST_CASE("a megabyte of garbage is refused") {
    std::mt19937 random(3);
    std::string garbage(1u << 20, ' ');
    for (char& byte : garbage) {
      byte = static_cast<char>(random());
    }
    CHECK(error_of(garbage) == k_parse_error);
    CHECK(error_of(std::string(1u << 20, '[')) == k_invalid_request);
    CHECK(error_of(std::string(1u << 20, '{')) == k_parse_error);
    CHECK(error_of("\"" + std::string(1u << 20, '\\')) == k_parse_error);
  }
}
