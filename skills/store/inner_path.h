#pragma once
#include "protocol/base/result.h"

#include <string_view>

namespace upskill::store {

// invalid_argument unless the path can only mean a file inside the folder that it is relative to:
// UTF-8, no empty part, `.` or `..`, nothing absolute, no control character, parts of at most 255
// bytes, at most k_max_skill_depth folders.
Result<void> check_inner_path(std::string_view path);

} // namespace upskill::store
