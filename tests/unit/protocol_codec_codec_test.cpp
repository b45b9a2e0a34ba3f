#include "protocol/catalog.h"
#include "protocol/codec/codec.h"
#include "protocol/codec/nlohmann_reader.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace upskill;

namespace {

template <class T> Result<T> from_text(std::string_view text) {
  auto document = parse_json(text, "test");
  if (!document) {
    return fail(document.error());
  }
  return decode_document<T>(*document, "params");
}

} // namespace

TEST_SUITE("Codec") {
  TEST_CASE("a described struct survives encode and decode") {
    SyncEnableParams params;
    params.policy = SyncPolicy::mirror;
    params.agents = {"codex", "cursor"};
    params.dry_run = true;
    auto back = from_text<SyncEnableParams>(encode(params));
    REQUIRE(back);
    CHECK(back->policy == SyncPolicy::mirror);
    CHECK(back->agents == params.agents);
    CHECK(back->dry_run);
  }

  TEST_CASE("errors name the place") {
    CHECK(from_text<SyncEnableParams>(R"({"agent":["a",7]})").error().message
          == "params.agent[1]: expected a string");
    CHECK(from_text<SkillReadParams>("{}").error().message == "params.skill: is missing");
    CHECK(from_text<SkillReadParams>(R"({"skill":"x","surprise":1})").error().message
          == "params.surprise: is not a known field");
    CHECK(from_text<SyncEnableParams>(R"({"policy":"both"})").error().message
          == "params.policy: expected one of `cover`, `mirror`");
    CHECK(from_text<SkillReadParams>("[]").error().message == "params: expected an object");
  }

  TEST_CASE("a null for an optional field is as if it were absent") {
    auto params = from_text<SkillReadParams>(R"({"skill":"x","file":null,"limit":null})");
    REQUIRE(params);
    CHECK(params->limit == 20'000);
  }

  TEST_CASE("what is written is always valid JSON on one line") {
    SkillShowParams params;
    params.skill = "a\n\"b\"\x01\xFF";
    std::string text = encode(params);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(nlohmann::json::parse(text)["skill"] == "a\n\"b\"\x01\xEF\xBF\xBD");
  }

  TEST_CASE("every method's schemas are objects") {
    for (const MethodInfo& method : catalog()) {
      CAPTURE(method.name);
      CHECK(nlohmann::json::parse(method.params_schema())["type"] == "object");
      CHECK(nlohmann::json::parse(method.result_schema())["type"] == "object");
    }
    CHECK(catalog().size() >= 21);
    CHECK(find_method("sync_undo") != nullptr);
    CHECK(find_method("no_such") == nullptr);
  }

  TEST_CASE("what is no JSON is told in our words, by line and column") {
    auto message = [](std::string_view text) { return parse_json(text, "`x`").error().message; };
    CHECK(message("{\"a\": 1,\n  \"b\" 2}") == "`x` is not valid JSON at line 2, column 7");
    CHECK(message("") == "`x` is not valid JSON at line 1, column 1");
    CHECK(message("[1,") == "`x` is not valid JSON at line 1, column 4");
    CHECK(message("\n\n}") == "`x` is not valid JSON at line 3, column 1");
    CHECK(message("[\"\u00e4\u00f6\" ?]") == "`x` is not valid JSON at line 1, column 7");
    CHECK(message("[1e999]") == "`x` holds a number that is out of range");
    CHECK(parse_json("]", "`x`").error().code == ErrorCode::corrupt);
    CHECK_FALSE(parse_json("]", "`x`").error().hint.empty());
  }

  TEST_CASE("nesting beyond the bound is refused") {
    CHECK(parse_json(std::string(63, '[') + std::string(63, ']'), "test").has_value());
    CHECK(parse_json(std::string(100'000, '['), "test").error().code != ErrorCode::internal);
    CHECK(parse_json(std::string(70, '[') + std::string(70, ']'), "test").error().code
          == ErrorCode::too_large);
  }
}
