#pragma once
#include "protocol/base/result.h"

#include <string>
#include <string_view>

namespace upskill::eval {

inline constexpr std::size_t k_max_case_path = 1024; // bytes

// A path of a test case, which belongs to a workspace or a skill's folder and must not lead out of
// it: relative, at most k_max_case_path bytes, no `..`, no `~` in front, no backslash and no
// control character. Gives it without `.` and repeated slashes. The error is the end of a sentence,
// such as "must be relative". What links in the workspace do is for whoever opens it.
Result<std::string> inside_path(std::string_view path);

} // namespace upskill::eval
