#pragma once
#include "daemon/handlers/trace_source.h"
#include "protocol/types/traces.h"
#include "skills/distill/distiller.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace upskill::daemon {

// One session that was distilled.
struct Evidence {
  TraceSource source = {};
  std::string format = {};
  std::uint64_t bytes = 0;
  std::int64_t removed = 0; // secrets of a file, before its events were looked at
  std::unique_ptr<SecretFilter> filter = {};
  std::unique_ptr<distill::Distiller> distiller = {};
  std::vector<std::string> problems = {};
};

// Reads a source into evidence, its secrets removed. Only what the distiller keeps is cleaned, text
// by text; a file in which a secret turns out to stand in two of them is read once more, cleaned as
// a whole. Drops what stands in an earlier source too, as forks do, where `seen` is given.
Result<Evidence>
gather(archive::Archive& archive, TraceSource source, trace::RecentIds* seen, std::stop_token stop);

TraceCounts counts_of(const distill::Distilled& distilled, const Evidence& evidence);

// Rules that found something in any session that a person has allowed.
Result<std::vector<std::string>> allowed_rules(archive::Archive& archive,
                                               const TraceSource& source);

} // namespace upskill::daemon
