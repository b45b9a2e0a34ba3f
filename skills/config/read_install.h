#pragma once
#include "skills/config/config.h"
#include "skills/document/yaml.h"

#include <string>
#include <vector>

namespace upskill::config {

// The mapping `install` of a user's configuration. Errors (invalid_argument) name line and key.
Result<Install> read_install(const document::Yaml& mapping, std::vector<std::string>& warnings);

} // namespace upskill::config
