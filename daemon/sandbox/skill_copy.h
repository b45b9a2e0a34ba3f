#pragma once
#include "daemon/sandbox/private_folder.h"
#include "protocol/base/result.h"

#include <string>
#include <vector>

namespace upskill::sandbox {

// Copies a skill, an open folder, into `into` as a folder `name`, without what it is graded by
// (`evals/`, `skill_meta.json`, test files by any of their names, and `left_out`: paths relative to
// the skill), and without what skills leave out (.git, caches). `SKILL.md` is called so whatever
// its case was. Links to files of the skill become those files, other links are left out; the copy
// cannot be written to. The folder's absolute path.
// Errors: not_found, permission, io, no_space; too_large beyond the bounds of a skill.
Result<std::string> copy_skill(int skill,
                               const PrivateFolder& into,
                               const std::string& name,
                               const std::vector<std::string>& left_out = {});

} // namespace upskill::sandbox
