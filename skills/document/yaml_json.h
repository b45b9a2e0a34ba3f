#pragma once
#include "skills/document/yaml.h"

#include <string>
#include <string_view>

namespace upskill::document {

enum class Typing {
  core,   // YAML 1.2 core schema (1.2.2, 10.3): what MCP's `frontmatter` must be, field by field
  strings // every scalar a string, an absent value an empty one: what the validator reads
};

// What a plain scalar is under the core schema. Dates are strings there, and so is `yes`.
enum class CoreType { null, boolean, integer, real, string };

CoreType core_type(const Yaml& node);

// One line of JSON (RFC 8259), keys in the order of the file. Numbers that JSON or a double cannot
// hold (`.inf`, `.nan`, `1e999`) stay strings, so that every reader accepts the text.
std::string to_json(const Yaml& node, Typing typing);

// `text` as a JSON string with quotes, appended; ill-formed UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

} // namespace upskill::document
