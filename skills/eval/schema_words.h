#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace upskill::eval {

// What stands behind a keyword of JSON Schema.
enum class SchemaWord {
  schema,
  schemas,
  items, // either
  named_schemas,
  count,
  number,
  positive,
  flag,
  names,
  values,
  value,
  pattern,
  type,
  dependencies,
  reference,
  unsupported, // would change a verdict, and is not read
  annotation   // says nothing about a document
};

SchemaWord schema_word(std::string_view key);

// The part of the schema that `#` or `#/a/b` names (RFC 6901); null where there is none, and for
// another document.
const nlohmann::json* find_reference(const nlohmann::json& root, const std::string& reference);

} // namespace upskill::eval
