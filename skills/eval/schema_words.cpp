#include "skills/eval/schema_words.h"

#include <nlohmann/json.hpp>

#include <map>

namespace upskill::eval {

using nlohmann::json;

SchemaWord schema_word(std::string_view key) {
  using enum SchemaWord;
  static const std::map<std::string_view, SchemaWord> words = {
      {"$ref", reference},
      {"$defs", named_schemas},
      {"definitions", named_schemas},
      {"properties", named_schemas},
      {"patternProperties", named_schemas},
      {"dependentSchemas", named_schemas},
      {"dependentRequired", dependencies},
      {"dependencies", dependencies},
      {"additionalProperties", schema},
      {"propertyNames", schema},
      {"additionalItems", schema},
      {"contains", schema},
      {"not", schema},
      {"if", schema},
      {"then", schema},
      {"else", schema},
      {"items", items},
      {"prefixItems", schemas},
      {"allOf", schemas},
      {"anyOf", schemas},
      {"oneOf", schemas},
      {"maxLength", count},
      {"minLength", count},
      {"maxItems", count},
      {"minItems", count},
      {"maxContains", count},
      {"minContains", count},
      {"maxProperties", count},
      {"minProperties", count},
      {"maximum", number},
      {"minimum", number},
      {"exclusiveMaximum", number},
      {"exclusiveMinimum", number},
      {"multipleOf", positive},
      {"uniqueItems", flag},
      {"required", names},
      {"enum", values},
      {"const", value},
      {"pattern", SchemaWord::pattern},
      {"type", type},
      {"$dynamicRef", unsupported},
      {"$recursiveRef", unsupported},
      {"unevaluatedItems", unsupported},
      {"unevaluatedProperties", unsupported},
  };
  auto at = words.find(key);
  return at == words.end() ? annotation : at->second;
}

const json* find_reference(const json& root, const std::string& reference) {
  if (!reference.starts_with('#')) {
    return nullptr;
  }
  try {
    json::json_pointer pointer(reference.substr(1));
    return root.contains(pointer) ? &root.at(pointer) : nullptr;
  } catch (const json::exception&) {
    return nullptr; // no pointer at all
  }
}

} // namespace upskill::eval
