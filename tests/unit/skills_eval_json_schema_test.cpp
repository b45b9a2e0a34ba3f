#include "skills/eval/json_schema.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::eval;

namespace {

struct Row {
  const char* schema;
  const char* valid;
  const char* invalid;
};

// Each keyword with a document that it takes and one that it does not (JSON Schema 2020-12,
// validation, section 6, and core, section 10).
constexpr Row k_rows[] = {
    {R"(true)", "1", "{"},
    {R"({"type": "integer"})", "1.0", "1.5"},
    {R"({"type": ["null", "string"]})", "null", "1"},
    {R"({"enum": [1, "a", null]})", "\"a\"", "\"b\""},
    {R"({"const": {"a": [1]}})", R"({"a": [1.0]})", R"({"a": [2]})"},
    {R"({"const": false})", "false", "0"},
    {R"({"minimum": 3})", "3", "2.9"},
    {R"({"exclusiveMaximum": 3})", "2.9", "3"},
    {R"({"multipleOf": 0.1})", "0.3", "0.35"},
    {R"({"minLength": 2, "maxLength": 2})", "\"\xC3\xA9\xC3\xA9\"", "\"\xC3\xA9\""},
    {R"({"pattern": "^a+$"})", "\"aa\"", "\"ab\""},
    {R"({"minItems": 1})", "[1]", "[]"},
    {R"({"maxItems": 1})", "[1]", "[1, 2]"},
    {R"({"uniqueItems": true})", "[1, \"1\", [1]]", "[1, 1.0]"},
    {R"({"items": {"type": "string"}})", "[\"a\"]", "[\"a\", 1]"},
    {R"({"prefixItems": [{"const": 1}], "items": false})", "[1]", "[1, 2]"},
    {R"({"items": [{"const": 1}], "additionalItems": {"const": 2}})", "[1, 2, 2]", "[1, 2, 3]"},
    {R"({"contains": {"const": 1}})", "[2, 1]", "[2]"},
    {R"({"contains": {"const": 1}, "minContains": 2, "maxContains": 2})", "[1, 1]", "[1, 1, 1]"},
    {R"({"required": ["a"]})", R"({"a": 1})", R"({"b": 1})"},
    {R"({"properties": {"a": {"type": "string"}}})", R"({"b": 1})", R"({"a": 1})"},
    {R"({"properties": {"a": true}, "additionalProperties": false})", R"({"a": 1})", R"({"b": 1})"},
    {R"({"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false})",
     R"({"x-a": "s"})",
     R"({"x-a": 1})"},
    {R"({"propertyNames": {"maxLength": 1}})", R"({"a": 1})", R"({"ab": 1})"},
    {R"({"minProperties": 1, "maxProperties": 1})", R"({"a": 1})", R"({"a": 1, "b": 2})"},
    {R"({"dependentRequired": {"a": ["b"]}})", R"({"a": 1, "b": 1})", R"({"a": 1})"},
    {R"({"dependencies": {"a": {"required": ["b"]}}})", R"({"c": 1})", R"({"a": 1})"},
    {R"({"allOf": [{"minimum": 1}, {"maximum": 2}]})", "2", "3"},
    {R"({"anyOf": [{"const": 1}, {"const": 2}]})", "2", "3"},
    {R"({"oneOf": [{"minimum": 1}, {"maximum": 5}]})", "9", "3"},
    {R"({"not": {"type": "null"}})", "1", "null"},
    {R"({"if": {"const": 1}, "then": false, "else": true})", "2", "1"},
    {R"({"$defs": {"n": {"type": "number"}}, "items": {"$ref": "#/$defs/n"}})", "[1]", "[null]"},
    {R"({"properties": {"next": {"$ref": "#"}}, "required": ["v"]})",
     R"({"v": 1, "next": {"v": 2}})",
     R"({"v": 1, "next": {"next": {"v": 1}}})"},
};

bool is_valid(std::string_view schema, std::string_view document) {
  Result<SchemaVerdict> verdict = match_schema(schema, document);
  REQUIRE(verdict);
  return verdict->valid;
}

} // namespace

TEST_SUITE("JSON Schema") {
  TEST_CASE("each keyword takes one document and not the other") {
    for (const Row& row : k_rows) {
      CAPTURE(row.schema);
      CAPTURE(row.valid);
      CAPTURE(row.invalid);
      Result<SchemaVerdict> good = match_schema(row.schema, row.valid);
      REQUIRE(good);
      CHECK(good->valid);
      Result<SchemaVerdict> bad = match_schema(row.schema, row.invalid);
      REQUIRE(bad);
      CHECK_FALSE(bad->valid);
      CHECK_FALSE(bad->problem.empty());
    }
  }

  TEST_CASE("a keyword says nothing about a value of another type") {
    for (const char* schema :
         {R"({"minimum": 3, "minLength": 9, "pattern": "x", "multipleOf": 7})",
          R"({"minItems": 9, "required": ["a"], "minProperties": 4})",
          R"({"items": false, "properties": {"a": false}, "contains": false})",
          R"({"format": "date-time", "title": "t", "default": {"type": 1}})"}) {
      CAPTURE(schema);
      for (const char* document : {"null", "true"}) {
        CHECK(is_valid(schema, document));
      }
    }
  }

  TEST_CASE("the first problem is told with its place") {
    auto problem = [](const char* schema, const char* document) {
      return match_schema(schema, document)->problem;
    };
    CHECK(
        problem(R"({"properties": {"a/b": {"items": {"type": "string"}}}})", R"({"a/b": ["x", 1]})")
        == "`/a~1b/1` must be of type `\"string\"`");
    CHECK(problem(R"({"required": ["id"]})", "{}") == "the document must have a member `id`");
    CHECK(problem("{}", "```json\n{}\n```") == "it is not JSON");
  }

  TEST_CASE("what cannot be used is told before anything is graded") {
    for (const char* schema : {"{",
                               "1",
                               R"({"type": "text"})",
                               R"({"minLength": -1})",
                               R"({"minimum": "1"})",
                               R"({"pattern": "("})",
                               R"({"patternProperties": {"(": {}}})",
                               R"({"required": "a"})",
                               R"({"items": 3})",
                               R"({"allOf": []})",
                               R"({"properties": []})",
                               R"({"$ref": "#/nowhere"})",
                               R"({"$ref": "https://example.org/schema"})",
                               R"({"$dynamicRef": "#a"})",
                               R"({"unevaluatedProperties": false})",
                               R"({"properties": {"a": {"type": 1}}})",
                               R"({"$ref": "#/x", "x": {"type": 1}})",
                               R"({"multipleOf": 0})",
                               R"({"enum": 1})",
                               R"({"dependentRequired": {"a": {}}})"}) {
      CAPTURE(schema);
      CHECK_FALSE(check_schema(schema));
      CHECK_FALSE(match_schema(schema, "1"));
    }
  }

  // Each of these ends a validator that recurses freely, or that uses std::regex.
  TEST_CASE("a hostile schema or document is an error or a verdict, and soon") {
    for (const char* schema :
         {R"({"$ref": "#"})",
          R"({"allOf": [{"$ref": "#"}]})",
          R"({"not": {"$ref": "#"}})",
          R"({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
                                   "$ref": "#/$defs/a"})"}) {
      CAPTURE(schema);
      Result<SchemaVerdict> verdict = match_schema(schema, "1");
      REQUIRE_FALSE(verdict);
      CHECK(verdict.error().code == ErrorCode::too_large);
    }
    std::string twice = R"({"$defs": {"d0": {"type": "null"})"; // 2^40 ways to one answer
    for (int i = 1; i <= 40; ++i) {
      std::string last = "{\"$ref\": \"#/$defs/d" + std::to_string(i - 1) + "\"}";
      twice += ", \"d" + std::to_string(i) + "\": {\"anyOf\": [" + last + ", " + last + "]}";
    }
    CHECK_FALSE(match_schema(twice + R"(}, "$ref": "#/$defs/d40"})", "1"));
    std::string deep;
    for (int i = 0; i < 60; ++i) { // the members' keywords are worked off once, not once each
      deep += R"({"a":)";
    }
    deep += "1" + std::string(60, '}');
    CHECK(is_valid(R"({"properties": {"a": {"$ref": "#"}}, "patternProperties": {"^b": false},
                           "additionalProperties": false, "propertyNames": {"maxLength": 1}})",
                   deep));
    std::string text(300'000, 'a');
    CHECK(is_valid(R"({"pattern": "^(a|b)*$"})", '"' + text + '"'));
    CHECK(is_valid(R"({"format": "date"})", '"' + std::string(300'000, '1') + '"'));
    CHECK_FALSE(is_valid(R"({"pattern": "(a*)*b"})", '"' + text + '"'));
    CHECK_FALSE(is_valid("{}", std::string(1'000'000, '[')));
    CHECK_FALSE(check_schema(std::string(1'000'000, '[')));
    CHECK(is_valid(R"({"uniqueItems": true})",
                   "[18446744073709551615, -1, 5, 9223372036854775809, 1e300]"));
  }
}
