#pragma once
#include "skills/redact/redactor.h"

#include <string_view>
#include <vector>

namespace upskill::redact {

// Turns places in what append_json_unescaped makes of `raw` into places in `raw`, whole escapes
// each. They lie in order and apart; afterwards two of them may share an escape.
void map_to_source(std::string_view raw, std::vector<Finding>& findings);

} // namespace upskill::redact
