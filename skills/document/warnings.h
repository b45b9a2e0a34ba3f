#pragma once
#include "skills/document/document.h"
#include "skills/document/inspect.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::document {

// What is worth mending although a loader may take it, most pressing first: damage, fields, size,
// file references, the limits of MCP's skills extension (512 files, 16 MiB).
std::vector<std::string>
find_warnings(std::string_view bytes, const Document& document, const SkillFolder& folder);

} // namespace upskill::document
