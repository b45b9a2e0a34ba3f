#pragma once
#include "protocol/base/result.h"
#include "skills/install/source.h"

#include <string_view>

namespace upskill::install {

// A source at an `http://` or `https://` address: a repository, a folder of one, an archive, a
// SKILL.md, or a host that publishes an index. A user name before the host is left out. Errors:
// invalid_argument.
Result<Source> parse_hosted(std::string_view address);

// An MCP server, as `mcp:` has it behind it: its address, and with `#` that of a skill there.
Result<Source> parse_server(std::string_view address);

} // namespace upskill::install
