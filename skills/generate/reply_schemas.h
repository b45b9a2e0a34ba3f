#pragma once
#include <string_view>

// JSON Schemas of replies. Members stand in the order of the alphabet, in which they are sent:
// models write them in that order.
namespace upskill::generate {

// upskill's test file.
inline constexpr std::string_view k_cases_schema = R"({
  "type": "object",
  "properties": {
    "cases": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "expected": {
            "type": "object",
            "properties": {"contains": {"type": "array", "items": {"type": "string"}}},
            "required": ["contains"],
            "additionalProperties": false
          },
          "input": {"type": "string"}
        },
        "required": ["expected", "input"],
        "additionalProperties": false
      }
    }
  },
  "required": ["cases"],
  "additionalProperties": false
})";

inline constexpr std::string_view k_queries_schema = R"({
  "type": "object",
  "properties": {
    "queries": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "query": {"type": "string"},
          "should_trigger": {"type": "boolean"}
        },
        "required": ["query", "should_trigger"],
        "additionalProperties": false
      }
    }
  },
  "required": ["queries"],
  "additionalProperties": false
})";

inline constexpr std::string_view k_description_schema = R"({
  "type": "object",
  "properties": {"description": {"type": "string"}},
  "required": ["description"],
  "additionalProperties": false
})";

} // namespace upskill::generate
