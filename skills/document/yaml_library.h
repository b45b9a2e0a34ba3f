#pragma once
#include "skills/document/yaml.h"

namespace upskill::document {

// The whole of YAML 1.2, by libfyaml's events: about 20 us for a usual front matter. Aliases are
// expanded here, within the bounds of yaml.h, so that a few bytes cannot become gigabytes.
Result<YamlDocument> parse_with_library(std::string_view text, std::size_t first_line = 1);

} // namespace upskill::document
