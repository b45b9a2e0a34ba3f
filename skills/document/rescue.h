#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace upskill::document {

// Name and description found line by line, without YAML: what Gemini CLI falls back to (skills
// facts, 5), and what we know of a skill whose front matter nobody can read.
struct RescuedFields {
  std::optional<std::string> name = {};
  std::optional<std::string> description = {};
};

// `name:` and `description:` at the start of a line, indented or not; the last of each counts;
// indented lines after a description go on with it. Quotes stay.
RescuedFields rescue_fields(std::string_view yaml);

} // namespace upskill::document
