#pragma once
#include <cstdint>
#include <string>

namespace upskill {

// Unix milliseconds as RFC 3339 in UTC, to the millisecond: `2026-11-21T05:56:10.123Z`. Years 0 to
// 9999; what lies outside is held at the nearest.
std::string rfc3339(std::int64_t unix_ms);

} // namespace upskill
