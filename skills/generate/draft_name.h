#pragma once
#include <string_view>

namespace upskill::generate {

// By the rules of the specification that every loader shares: 1 to 64 of a-z, 0-9 and single
// hyphens between them.
bool is_skill_name(std::string_view name);

} // namespace upskill::generate
