#pragma once
#include "skills/redact/redactor.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::redact {

// Appends what `raw` says once the escapes of JSON strings in it are read, wherever it is from;
// what is no escape stays as it is, and half a surrogate pair becomes U+FFFD.
void append_unescaped(std::string& out, std::string_view raw);

// Turns places in what append_unescaped makes of `raw` into places in `raw`, whole escapes each.
// They lie in order and apart; afterwards two of them may share an escape.
void map_to_source(std::string_view raw, std::vector<Finding>& findings);

} // namespace upskill::redact
