#pragma once
#include "protocol/base/result.h"
#include "skills/sync/new_version.h"

#include <string>

namespace upskill::install {

// The `computedHash` of `npx skills`: SHA-256, in lower-case hexadecimal, over path and bytes of
// all regular files, without separators, in the order of JavaScript's localeCompare; links and what
// lies in `.git` and `node_modules` left out. For telling others; two versions may share one.
std::string computed_hash(const sync::NewFiles& files);
// The same of a folder as it lies there (absolute): all its files. Blocks. Errors: io, too_large.
Result<std::string> computed_hash_of(const std::string& folder);

} // namespace upskill::install
