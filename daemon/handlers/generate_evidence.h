#pragma once
#include "daemon/handlers/trace_evidence.h"
#include "daemon/request_context.h"
#include "protocol/base/result.h"
#include "protocol/types/generate.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

// Sessions as evidence: what a teacher reads, and what only test cases are made of.
struct GatheredEvidence {
  std::vector<std::string> texts = {}; // one each, without secrets
  std::string held_out = {};
  std::vector<GenerateEvidence> told = {};
  std::vector<std::string> warnings = {};
};

// The session that nobody need name.
inline constexpr std::string_view k_last_session = "last";

// Distils each session within `tokens`. Of its beats a third at most is held out: such as nothing
// went wrong in, since a teacher must see every failure with what mended it.
// not_found; unsupported: no session; refused: what may be a secret is in one, and nobody allowed
// it; invalid_argument: several may be meant. `last` is the calling agent's own session (find_own),
// of a person the newest that is kept, in the caller's folder before others.
Result<GatheredEvidence> gather_evidence(archive::Archive& archive,
                                         const std::vector<std::string>& sessions,
                                         std::size_t tokens,
                                         const RequestContext& context,
                                         std::int64_t now_ms);

} // namespace upskill::daemon
