#pragma once
#include "protocol/base/result.h"
#include "skills/generate/prompts.h"

#include <string>
#include <vector>

namespace upskill::daemon {

// The tools that `FILE#NAME` names, or all of FILE (at most 20): a file of JSON as tools/list
// answers, a list of tools, or one tool. Blocks. not_found: no such file or tool; invalid_argument:
// it holds no tools; too_large: over 1 MiB.
Result<std::vector<generate::ToolSchema>> read_tools(const std::string& named,
                                                     const std::string& cwd);

} // namespace upskill::daemon
