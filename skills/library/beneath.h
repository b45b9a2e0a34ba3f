#pragma once
#include "protocol/base/unique_fd.h"

// Opening what belongs to a skill, and nothing else: whoever wrote the skill put the links there.
namespace upskill::library {

// Opens what lies at a path below the open folder of a skill. Links may be followed as long as what
// is opened in the end lies in that folder and under no name that is ignored_in_skill(); the path
// itself is the caller's to check. It is decided by what was opened, so nothing that is swapped in
// meanwhile gets through. Empty on failure, with errno set: EXDEV or ELOOP for a link that leads to
// what is none of the skill's.
UniqueFd open_beneath(int folder, const char* path, int flags);

// The same where the system has no openat2 or no /proc: part by part, and no link at all.
UniqueFd open_beneath_by_parts(int folder, const char* path, int flags);

} // namespace upskill::library
