#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <string_view>

namespace upskill::capture {

// Unix milliseconds of what a person says for a moment: `2026-07-01`, `2026-07-01T10:00:00Z`, or
// how long ago, `12h`, `7d`, `4w`. A day begins at midnight UTC. invalid_argument: `params.NAME:
// ...`.
Result<std::int64_t> moment_of(std::string_view words, std::string_view name, std::int64_t now_ms);

} // namespace upskill::capture
