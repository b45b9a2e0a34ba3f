#pragma once
#include "skills/document/yaml.h"

#include <optional>

namespace upskill::document {

// The subset that nearly all skills keep to: block mappings with simple keys, sequences of scalars,
// single-line plain and quoted scalars, block scalars without an indentation indicator. About 1 us.
// Nothing where the text leaves the subset or is wrong: then the library decides, which also words
// the error. Never accepts what the library refuses, and never reads it differently.
std::optional<Yaml> scan_yaml(std::string_view text);

} // namespace upskill::document
