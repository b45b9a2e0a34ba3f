#pragma once
#include "protocol/types/skills.h"

#include <string_view>
#include <vector>

namespace upskill::document {

// What each loader whose behaviour we know does with the bytes of a SKILL.md in a folder of that
// name (skills facts, section 5): `valid`, `repaired` or `skipped`, with the reason. In the order
// of the table in loaders.cpp. Behaviour was read in code and documents of the loaders, not
// observed live; a loader we know nothing of (Cursor's, for one) has no row rather than a guess.
std::vector<LoaderReport> report_loaders(std::string_view bytes, std::string_view folder_name);

} // namespace upskill::document
