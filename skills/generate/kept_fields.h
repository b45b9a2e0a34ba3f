#pragma once
#include <string>
#include <string_view>

namespace upskill::generate {

// The fields of a front matter (its YAML) beside name and description, as they are written there: a
// skill that is improved keeps its licence and the tools it is allowed. Empty where they cannot be
// told apart line by line.
std::string kept_fields(std::string_view yaml);

} // namespace upskill::generate
