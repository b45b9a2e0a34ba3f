#pragma once
#include "protocol/base/result.h"
#include "skills/sync/new_version.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::install {

struct Packed {
  std::string bytes = {};                 // of the `.skill` file
  std::vector<std::string> files = {};    // within it, in order
  std::vector<std::string> left_out = {}; // of the skill
};

// A `.skill` file (skills facts, section 10): a zip whose entries are below `NAME/`, without
// `__pycache__`, `node_modules`, `*.pyc`, `.DS_Store`, and `evals/` at the skill's root. The same
// files make the same bytes, on every machine and at every time. Errors: invalid_argument for what
// is no skill, or one that skill-creator would not pack (quick_validate), or has links.
Result<Packed> pack(std::string_view name, const sync::NewFiles& files);

} // namespace upskill::install
