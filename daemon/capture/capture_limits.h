#pragma once
#include "protocol/base/result.h"
#include "skills/archive/archive.h"

#include <cstddef>
#include <cstdint>

namespace upskill::capture {

inline constexpr std::int64_t k_most_days = 36'500;
inline constexpr std::int64_t k_most_megabytes = 1'000'000'000;

// How long sessions are kept, and how much of them. 0: for ever, any.
struct CaptureLimits {
  std::int64_t days = 0;
  std::int64_t megabytes = 4096; // on the disk

  friend bool operator==(const CaptureLimits&, const CaptureLimits&) = default;
};

// What a person said, or the above.
Result<CaptureLimits> read_limits(store::TraceStore& store);
Result<void> write_limits(store::TraceStore& store, const CaptureLimits& limits);

// Forgets what is too old or too much, the oldest first. How many sessions.
Result<std::size_t>
apply_limits(archive::Archive& archive, const CaptureLimits& limits, std::int64_t now_ms);

} // namespace upskill::capture
