#pragma once
#include "daemon/handlers/trace_evidence.h"
#include "daemon/request_context.h"
#include "protocol/base/result.h"
#include "protocol/types/generate.h"

#include <cstddef>
#include <string>
#include <vector>

namespace upskill::daemon {

// Sessions as evidence: what a teacher reads, and what only test cases are made of.
struct GatheredEvidence {
  std::vector<std::string> texts = {}; // one each, without secrets
  std::string held_out = {};
  std::vector<GenerateEvidence> told = {};
  std::vector<std::string> warnings = {};
};

// Distils each session within `tokens`. Of its beats a third at most is held out: such as nothing
// went wrong in, since a teacher must see every failure with what mended it.
// not_found; unsupported: no session; refused: what may be a secret is in one, and nobody allowed
// it. `last` is the caller's own session, where its client tells, else the newest that is kept, in
// the caller's folder before others.
Result<GatheredEvidence> gather_evidence(archive::Archive& archive,
                                         const std::vector<std::string>& sessions,
                                         std::size_t tokens,
                                         const RequestContext& context);

} // namespace upskill::daemon
