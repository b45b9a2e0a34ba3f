#pragma once
#include "protocol/base/result.h"
#include "skills/eval/case.h"

#include <string>
#include <string_view>

namespace upskill::evals {

// Reads what the cases name in `fixture_files` from the open folder of their skill into their
// `context_files`, so that every student gets them. Links are followed as far as they stay in the
// skill. Blocks. Bounds: 4 MiB a file, 16 MiB a case, 64 MiB in all.
// Errors name the case and the file: not_found, refused (a link that leaves, a folder), too_large,
// invalid_argument for two fixtures of one name.
Result<void> read_fixtures(int skill, eval::CaseSuite& suite);

// The path that a fixture has in the workspace: that in the skill, without `evals/files/` or
// `evals/`, which is where skills keep them and prompts do not.
std::string fixture_path(std::string_view path);

} // namespace upskill::evals
