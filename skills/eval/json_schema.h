#pragma once
#include "protocol/base/result.h"

#include <string>
#include <string_view>

namespace upskill::eval {

// JSON Schema, the keywords of draft 7 and 2020-12 that README.md lists. References stay in the
// document, patterns are RE2's, `format` says nothing. Both texts may be hostile: a schema that
// does not end, or takes too long, is an error and no verdict.

inline constexpr std::size_t k_max_schema = 256u << 10;         // bytes
inline constexpr std::size_t k_max_schema_nesting = 256;        // schemas within each other
inline constexpr std::size_t k_max_schema_steps = 5'000'000;    // less than a second
inline constexpr std::size_t k_max_checked_document = 4u << 20; // bytes

// Whether it can be used; the error is the end of a sentence.
Result<void> check_schema(std::string_view schema);

struct SchemaVerdict {
  bool valid = false;
  std::string problem = {}; // the first one: "`/items/0` must be of type `string`"
};

// Whether the document is JSON, nothing around it but white space, and as the schema wants it.
Result<SchemaVerdict> match_schema(std::string_view schema, std::string_view document);

// True for JSON (RFC 8259) of up to k_max_json_depth levels and nothing else, such as a code fence.
bool is_json_text(std::string_view text);

} // namespace upskill::eval
