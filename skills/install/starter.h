#pragma once
#include "protocol/base/result.h"
#include "skills/sync/new_version.h"

#include <string_view>

namespace upskill::install {

// The files of a new skill: a SKILL.md that is valid as it stands, and `evals/evals.json` with a
// test case to change. Without a description it has one to change, too. Errors: invalid_argument
// for a name or description that is not valid.
Result<sync::NewFiles> starter(std::string_view name, std::string_view description);

} // namespace upskill::install
