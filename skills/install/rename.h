#pragma once
#include "protocol/base/result.h"
#include "skills/sync/new_version.h"

#include <string>
#include <string_view>

namespace upskill::install {

// The same skill under another name: the `name` of its front matter, and nothing else, is another.
// Every version of a source is treated alike, so that updates go on. Errors: invalid_argument where
// the name is no skill's, or there is no plain `name:` line to change.
Result<sync::NewFiles> renamed(sync::NewFiles files, std::string_view name);

} // namespace upskill::install
