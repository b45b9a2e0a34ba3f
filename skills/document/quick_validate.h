#pragma once
#include <string>
#include <string_view>

namespace upskill::document {

// Why skill-creator's quick_validate.py refuses the file, in our words; empty when it passes
// (skills facts, section 5). Stops at the first error, like it. Packaging a `.skill` runs this
// check.
std::string quick_validate(std::string_view bytes);

} // namespace upskill::document
