#include "clients/connect/text_reader.h"

#include <doctest/doctest.h>

#include <vector>

using upskill::JsonKind;
using upskill::JsonReader;
using upskill::connect::indented_json;
using upskill::connect::TextReader;

namespace {

bool is_json(std::string_view text) {
  return TextReader::open(text, "it").has_value();
}

std::string text_of(std::string_view json) {
  auto reader = TextReader::open(json, "it");
  REQUIRE(reader);
  return reader->string().value_or("(no string)");
}

} // namespace

TEST_SUITE("TextReader") {
  TEST_CASE("takes what RFC 8259 takes") {
    for (std::string_view json : {"{}",
                                  "[]",
                                  " [ 1 , 2 ] ",
                                  "null",
                                  "true",
                                  "false",
                                  "0",
                                  "-0",
                                  "-12.5e+3",
                                  "1E9",
                                  "\"\"",
                                  "\"\\u00e9\\n\"",
                                  "{\"a\":{\"b\":[]}}",
                                  "\t{\"a\" : 1}\r\n"}) {
      CAPTURE(json);
      CHECK(is_json(json));
    }
  }

  TEST_CASE("refuses what RFC 8259 refuses") {
    for (std::string_view json :
         {"",         " ",   "{",   "[1,]",    "{\"a\":1,}", "{a:1}", "01",      "1.",
          ".5",       "+1",  "-",   "1e",      "nul",        "\"a",   "\"\\x\"", "\"\\u12g4\"",
          "\"a\nb\"", "1 2", "[1}", "{\"a\"}", "{\"a\":}",   "\"\\"}) {
      CAPTURE(json);
      CHECK_FALSE(is_json(json));
    }
  }

  TEST_CASE("finds what ends a string wherever it stands") {
    // Every byte beside those that a string ends with, or may not have: 0x7F, 0x80 and 0xFF are
    // plain.
    for (std::size_t length = 0; length < 40; ++length) {
      for (std::size_t at = 0; at <= length; ++at) {
        for (char plain : {'!', '#', ' ', '[', ']', '\x7F', '\x80', '\xFF'}) {
          const std::string before(at, plain);
          const std::string after(length - at, plain);
          CAPTURE(length);
          CAPTURE(at);
          CHECK(is_json('"' + before + after + '"'));
          CHECK(is_json('"' + before + R"(\")" + after + '"'));
          CHECK_FALSE(is_json('"' + before + '"' + after + 'x'));
          CHECK_FALSE(is_json('"' + before + '\x1F' + after + '"'));
          CHECK_FALSE(is_json('"' + before + '\0' + after + '"'));
          CHECK_FALSE(is_json('"' + before + "\\!" + after + '"'));
        }
      }
    }
  }

  TEST_CASE("refuses nesting that could exhaust the stack") {
    CHECK(is_json(std::string(64, '[') + std::string(64, ']')));
    CHECK_FALSE(is_json(std::string(100'000, '[') + std::string(100'000, ']')));
  }

  TEST_CASE("unescapes strings") {
    CHECK(text_of(R"("a\"b\\c\/d")") == "a\"b\\c/d");
    CHECK(text_of(R"("\b\f\n\r\t")") == "\b\f\n\r\t");
    CHECK(text_of(R"("\u00e9\u4e2d")") == "é中");
  }

  TEST_CASE("joins surrogate pairs and replaces halves") {
    CHECK(text_of(R"("\ud83d\ude00")") == "😀");
    CHECK(text_of(R"("\ud83dx")") == "\xEF\xBF\xBDx");
    CHECK(text_of(R"("\ude00")") == "\xEF\xBF\xBD");
    CHECK(text_of(R"("\ud83d\u0041")")
          == "\xEF\xBF\xBD"
             "A");
  }

  TEST_CASE("keeps members in the order they were written") {
    auto reader = TextReader::open(R"({"z":1,"a":[2,3],"m":{"k":"v"}})", "it");
    REQUIRE(reader);
    std::vector<std::string> keys;
    reader->each_field([&](std::string_view key, JsonReader&) { keys.emplace_back(key); });
    CHECK(keys == std::vector<std::string>{"z", "a", "m"});
    CHECK(reader->member("m")->text() == R"({"k":"v"})");
    CHECK_FALSE(reader->member("k").has_value());
  }

  TEST_CASE("tells numbers apart") {
    auto whole = TextReader::open("12", "it");
    CHECK(whole->kind() == JsonKind::integer);
    CHECK(whole->integer() == 12);
    CHECK(whole->real() == 12.0);
    auto part = TextReader::open("1.5", "it");
    CHECK(part->kind() == JsonKind::real);
    CHECK_FALSE(part->integer().has_value());
    CHECK_FALSE(TextReader::open("99999999999999999999", "it")->integer().has_value());
  }

  TEST_CASE("answers nothing for another kind") {
    auto reader = TextReader::open("true", "it");
    CHECK_FALSE(reader->string().has_value());
    CHECK_FALSE(reader->each_field([](std::string_view, JsonReader&) {}));
    CHECK_FALSE(reader->each_element([](std::size_t, JsonReader&) {}));
    CHECK_FALSE(reader->member("a").has_value());
  }

  TEST_CASE("indents a document without changing it") {
    CHECK(indented_json(R"({"a":[1,{"b":"x,y: {"}],"c":{},"d":[]})")
          == "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x,y: {\"\n    }\n  ],\n"
             "  \"c\": {},\n  \"d\": []\n}");
  }
}
