#pragma once
#include "skills/regression/changed_parts.h"

#include <set>
#include <string>
#include <vector>

namespace upskill::regression {

// The cases of both uses, by id, and what of it cannot be read. `changed_files` are those whose
// content is another: a case that needs one of them asks something else. Their paths that some case
// needs are put into `needed`.
void compare_cases(const VersionView& before,
                   const VersionView& after,
                   const std::set<std::string, std::less<>>& changed_files,
                   std::set<std::string, std::less<>>& needed,
                   ChangedParts& changed);

} // namespace upskill::regression
