#pragma once
#include "protocol/base/result.h"

#include <string_view>

namespace upskill::fetch {

// What git complained about on its standard error, as an error of ours: not_found, permission (a
// login, an unknown host key), unavailable, too_large, no_space, refused. `name` is what the source
// is called, `host` whom git has asked. Pure; what it says is a stranger's text.
Error git_failure(std::string_view said, std::string_view name, std::string_view host);

} // namespace upskill::fetch
