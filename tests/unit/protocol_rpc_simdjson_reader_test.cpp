#include "protocol/codec/nlohmann_reader.h"
#include "protocol/rpc/simdjson_reader.h"
#include "protocol/types/server.h"
#include "protocol/types/skills.h"
#include "protocol/types/sync.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace upskill;
using namespace upskill::rpc;

namespace {

template <class T> Result<T> from_text(std::string_view text) {
  JsonParser parser;
  Result<T> decoded = fail(ErrorCode::internal, "nothing was read");
  TRY(parser.read(
      text, "params", [&](JsonReader& reader) { decoded = decode<T>(reader, "params"); }));
  return decoded;
}

// Every kind of value a reader may meet.
struct Everything {
  bool flag = false;
  std::int64_t number = 0;
  double real = 0;
  std::string text = {};
  std::vector<std::string> list = {};
  std::map<std::string, std::int64_t> table = {};
  std::optional<std::string> maybe = {};
  JsonText raw = {};

  static void describe(auto& f) {
    f.optional(&Everything::flag, "flag", "");
    f.optional(&Everything::number, "number", "");
    f.optional(&Everything::real, "real", "");
    f.optional(&Everything::text, "text", "");
    f.optional(&Everything::list, "list", "");
    f.optional(&Everything::table, "table", "");
    f.optional(&Everything::maybe, "maybe", "");
    f.optional(&Everything::raw, "raw", "");
  }
};

} // namespace

TEST_SUITE("JsonParser") {
  TEST_CASE("every kind of value is decoded") {
    auto got = from_text<Everything>(
        R"( {"flag":true,"number":-7,"real":2.5,"text":"a\u00e9\n","list":["x","y"],)"
        R"("table":{"one":1},"maybe":"m","raw":{"a" : [1, 2.50, "b"]} } )");
    REQUIRE(got);
    CHECK(got->flag);
    CHECK(got->number == -7);
    CHECK(got->real == 2.5);
    CHECK(got->text == "a\u00e9\n");
    CHECK(got->list == std::vector<std::string>{"x", "y"});
    CHECK(got->table == std::map<std::string, std::int64_t>{{"one", 1}});
    CHECK(got->maybe == "m");
    CHECK(got->raw.text == R"({"a" : [1, 2.50, "b"]})");
  }

  TEST_CASE("errors name the place, as with the other reader") {
    for (const char* text : {R"({"agent":["a",7]})",
                             R"({"policy":"both"})",
                             R"({"surprise":{"a":[1]},"agent":1})",
                             R"({"accept":"yes"})",
                             R"({"accept":1})",
                             "[]",
                             "7",
                             "\"x\""}) {
      CAPTURE(text);
      auto document = nlohmann::json::parse(text);
      auto theirs = decode_document<SyncEnableParams>(document, "params");
      auto ours = from_text<SyncEnableParams>(text);
      REQUIRE_FALSE(ours);
      REQUIRE_FALSE(theirs);
      CHECK(ours.error().code == ErrorCode::invalid_argument);
    }
    CHECK(from_text<SyncEnableParams>(R"({"agent":["a",7]})").error().message
          == "params.agent[1]: expected a string");
    CHECK(from_text<SkillReadParams>("{}").error().message == "params.skill: is missing");
  }

  TEST_CASE("numbers that do not fit are refused, not rounded") {
    CHECK_FALSE(from_text<Everything>(R"({"number":9223372036854775808})"));
    CHECK_FALSE(from_text<Everything>(R"({"number":123456789012345678901234567890})"));
    CHECK_FALSE(from_text<Everything>(R"({"number":1.5})"));
    CHECK_FALSE(from_text<Everything>(R"({"real":1e999})"));
    CHECK(from_text<Everything>(R"({"number":9223372036854775807})")->number == INT64_MAX);
    CHECK(from_text<Everything>(R"({"real":3})")->real == 3);
    CHECK(from_text<Everything>(R"({"raw":1e999})")->raw.text == "1e999");
  }

  TEST_CASE("text that was cut inside an emoji is still text") {
    CHECK(from_text<Everything>(R"({"text":"a\ud83d"})")->text == "a\uFFFD");
    CHECK(from_text<Everything>(R"({"list":["\ude00","b"]})")->list
          == std::vector<std::string>{"\uFFFD", "b"});
    CHECK_FALSE(from_text<Everything>(R"({"\ud83d":1})"));
  }

  TEST_CASE("raw text is one line") {
    auto got = from_text<Everything>("{\"raw\":{\"a\":\r\n[1,\n2]}}");
    REQUIRE(got);
    CHECK(got->raw.text.find_first_of("\r\n") == std::string::npos);
    CHECK(nlohmann::json::parse(got->raw.text) == nlohmann::json::parse(R"({"a":[1,2]})"));
  }

  TEST_CASE("what nobody reads is checked all the same") {
    CHECK_FALSE(from_text<CallContext>(R"({"unknown":[1,]})"));
    CHECK_FALSE(from_text<CallContext>(R"({"cwd":"/"} trailing)"));
    CHECK_FALSE(from_text<CallContext>("{\"cwd\":\"\xFF\"}"));
    CHECK_FALSE(from_text<CallContext>(R"({"unknown":)" + std::string(70, '[')
                                       + std::string(70, ']') + "}"));
    CHECK_FALSE(from_text<CallContext>(""));
    CHECK(from_text<CallContext>(R"({"unknown":[1,{"a":null}],"cwd":"/"})")->cwd == "/");
  }

  TEST_CASE("arguments with and without spare capacity decode the same") {
    JsonParser parser;
    std::string tight = R"({"skill":"review","offset":3})";
    tight.shrink_to_fit();
    std::string roomy;
    roomy.reserve(tight.size() + k_json_padding);
    roomy = tight;
    for (const std::string& arguments : {tight, roomy}) {
      auto params = decode_arguments<SkillReadParams>(parser, arguments);
      REQUIRE(params);
      CHECK(params->skill == "review");
    }
  }

  TEST_CASE("a member given twice is refused by name, in whatever way it is written") {
    JsonParser parser;
    for (const std::string& arguments : {R"({"skill":"a","skill":"b"})",
                                         R"({"skill":"a","skill":"a"})",
                                         R"({"skill":"a","\u0073kill":"b"})",
                                         R"({"skill":"a","offset":1,"skill":null})"}) {
      CAPTURE(arguments);
      auto params = decode_arguments<SkillReadParams>(parser, arguments);
      REQUIRE_FALSE(params);
      CHECK(params.error().code == ErrorCode::invalid_argument);
      CHECK(params.error().message == "params.skill: is given twice");
    }
    CHECK(decode_arguments<SkillReadParams>(parser, R"({"skill":"a","file":null,"file":"x"})")
              .error()
              .message
          == "params.file: is given twice");
    CHECK_FALSE(from_text<CallContext>(R"({"environment":{"A":"1","\u0041":"2"}})"));
    CHECK_FALSE(from_text<CallContext>(R"({"cwd":"/a","cwd":"/b"})"));
  }

  TEST_CASE("the parser survives bad documents and serves the next") {
    JsonParser parser;
    int reads = 0;
    auto use = [&](JsonReader& reader) {
      reader.each_element(
          [&](std::size_t, JsonReader& value) { reads += value.boolean() ? 1 : 0; });
    };
    CHECK_FALSE(parser.read("[true", "x", use));
    CHECK(parser.read("[true]", "x", use));
    CHECK_FALSE(parser.read("", "x", use));
    CHECK(parser.read("[true,true]", "x", use));
    CHECK(reads == 3);
  }
}
