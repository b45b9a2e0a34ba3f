#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

// The folders of trash/ and conflicts/: `<UTC time>-<skill>-<n>`.
namespace upskill::store {

// Tries the names of that time and skill, from n = 1, until `take` claims one; `take` fails with
// already_exists for a name that is in use. Returns the path. The skill's name is made readable in
// it: what is not UTF-8, control characters and what is too long go.
Result<std::string> claim_item_folder(const std::string& folder,
                                      std::int64_t time_ms,
                                      std::string_view skill,
                                      const std::function<Result<void>(const std::string&)>& take);

// Whether claim_item_folder could have made that name; never true of a path with a slash.
bool is_item_name(std::string_view name);

// Renames to a path that must not exist; already_exists, and nothing done, when it does;
// false, and nothing done, when the two lie on different file systems.
Result<bool> rename_to_new(const std::string& from, const std::string& to);

} // namespace upskill::store
