#pragma once
#include "daemon/models/http_message.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace upskill::models {

inline constexpr int k_most_attempts = 5;
// Where there is no server, one on this machine will not come up within seconds, and one elsewhere
// may have been out of reach for a moment: one more try.
inline constexpr int k_most_attempts_at_nobody = 2;
// A server that wants a longer pause is not waited for.
inline constexpr std::chrono::milliseconds k_longest_wait = std::chrono::minutes(5);

// How long the server asks to wait: `retry-after-ms`, `retry-after` in seconds or as a date, else
// the longest reset of a limit that has nothing remaining (`x-ratelimit-reset-*` as a duration,
// `anthropic-ratelimit-*-reset` as a moment).
std::optional<std::chrono::milliseconds> asked_wait(const Headers& headers, std::int64_t unix_ms);

// `1s`, `6m0s`, `1h2m`, `20ms`, `1.5s`.
std::optional<std::chrono::milliseconds> read_duration(std::string_view text);

// Before the try after `attempt` (1: the first) failed: full jitter, at most 1 s doubled each time
// up to 30 s; what the server asked for is kept, with up to a tenth more. `random` is in [0, 1).
std::chrono::milliseconds
pause_after(int attempt, std::optional<std::chrono::milliseconds> asked, double random);

} // namespace upskill::models
