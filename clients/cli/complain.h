#pragma once
#include "protocol/base/result.h"

#include <string_view>

namespace upskill::cli {

// `error: ...` and `hint: ...` on stderr, cleaned; red on a terminal unless `plain`.
void complain(const Error& error, bool plain);
// `warning: ...` likewise.
void warn(std::string_view message, std::string_view hint, bool plain);

} // namespace upskill::cli
