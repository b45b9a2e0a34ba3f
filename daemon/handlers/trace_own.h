#pragma once
#include "protocol/base/result.h"
#include "protocol/mcp/origin.h"
#include "skills/archive/archive.h"

#include <stop_token>

namespace upskill::daemon {

// Claude Code, which tells the use of a tool and not its session.
inline constexpr std::string_view k_tells_its_call = "claude-code";

// The session that an agent's call comes from, by what its client tells. invalid_argument: it tells
// nothing; not_found: that session is not kept.
Result<store::SessionRow>
find_own(archive::Archive& archive, const mcp::Origin& origin, const std::stop_token& stop);

} // namespace upskill::daemon
