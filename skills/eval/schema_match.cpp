#include "protocol/base/utf8.h"
#include "skills/eval/json_schema.h"
#include "skills/eval/json_text.h"
#include "skills/eval/schema_matcher.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace upskill::eval {

using nlohmann::json;

namespace {

// The library compares 18446744073709551615 as -1; as a double it is what it says.
void widen(json& value) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
    value = static_cast<double>(value.get<std::uint64_t>());
  } else if (value.is_structured()) {
    for (json& one : value) {
      widen(one);
    }
  }
}

} // namespace

Result<SchemaVerdict> match_schema(std::string_view schema, std::string_view document) {
  TRY(check_schema(schema));
  if (document.size() > k_max_checked_document) {
    return fail(ErrorCode::too_large,
                "the document has more than " + std::to_string(k_max_checked_document) + " bytes");
  }
  json root = parse_shallow(schema);
  json value = parse_shallow(document);
  if (value.is_discarded()) {
    return SchemaVerdict{false, "it is not JSON"};
  }
  widen(root);
  widen(value);
  SchemaMatcher matcher(root);
  bool valid = matcher.matches(root, value, "");
  if (matcher.spent()) {
    return fail(ErrorCode::too_large,
                "the schema takes too long on this document",
                "look for a `$ref` that leads back to itself");
  }
  return SchemaVerdict{valid, valid ? "" : matcher.problem()};
}

} // namespace upskill::eval
