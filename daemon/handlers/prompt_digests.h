#pragma once
#include "protocol/base/result.h"
#include "skills/archive/archive.h"
#include "skills/generate/propose.h"
#include "skills/store/trace_rows.h"
#include "skills/trace/recent_ids.h"

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

// What people said in kept sessions, for finding what comes up again and again.
namespace upskill::daemon {

inline constexpr std::size_t k_most_digested = 500;         // sessions, the newest
inline constexpr std::size_t k_most_digested_prompts = 200; // of one

// The newest of those that match; helpers' own files are none of a person's. Without states.
Result<std::vector<store::SessionRow>> sessions_to_digest(archive::Archive& archive,
                                                          const store::SessionFilter& filter);

// What was read of one session, and what was not.
struct PromptReading {
  generate::SessionDigest digest = {}; // its id is the session's key: `agent/id`
  std::size_t flagged = 0;             // prompts that may hold a secret, and are left out
  std::string problem = {};
};

// Reads a session's prompts, without secrets. What a session that was read before has too, as forks
// do, is left out; `seen` knows it. Errors: cancelled, those of the store.
Result<PromptReading> read_prompts(archive::Archive& archive,
                                   const store::SessionRow& row,
                                   trace::RecentIds& seen,
                                   std::stop_token stop);

} // namespace upskill::daemon
