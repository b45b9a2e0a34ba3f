#pragma once
#include "skills/config/config.h"
#include "skills/document/yaml.h"

#include <string>
#include <vector>

namespace upskill::config {

// The mapping `watch` of a configuration. Of a project, what would run programs is left out with a
// warning. Errors (invalid_argument) name line and key.
Result<Watch>
read_watch(const document::Yaml& mapping, Trust trust, std::vector<std::string>& warnings);

} // namespace upskill::config
