#include "daemon/handlers/trace_evidence.h"

#include "skills/trace/copies.h"

#include <optional>
#include <utility>

namespace upskill::daemon {
namespace {

std::int64_t number(std::uint64_t count) {
  return static_cast<std::int64_t>(count);
}

using Reader = decltype(read_source);

Result<Evidence> read_once(archive::Archive& archive,
                           const TraceSource& source,
                           trace::RecentIds* seen,
                           Reader& read,
                           std::stop_token stop) {
  Evidence evidence;
  TRY_ASSIGN(trace::Format format, format_of(source));
  evidence.filter = std::make_unique<SecretFilter>(archive.rules());
  evidence.distiller = std::make_unique<distill::Distiller>(format, evidence.filter.get());
  std::optional<trace::DropCopies> drop;
  trace::EventSink* sink = evidence.distiller.get();
  if (seen != nullptr) {
    sink = &drop.emplace(format, *seen, *evidence.distiller);
  }
  TRY_ASSIGN(TraceReading reading, read(archive, source, *sink, std::move(stop)));
  evidence.format = std::move(reading.format);
  evidence.bytes = reading.bytes;
  evidence.removed = reading.counts.definite;
  evidence.problems = std::move(reading.problems);
  return evidence;
}

} // namespace

Result<Evidence> gather(archive::Archive& archive,
                        TraceSource source,
                        trace::RecentIds* seen,
                        std::stop_token stop) {
  std::optional<trace::RecentIds> seen_before;
  if (seen != nullptr) {
    seen_before = *seen;
  }
  TRY_ASSIGN(Evidence evidence, read_once(archive, source, seen, read_source_raw, stop));
  // What is kept has none: it was cleaned over its borders before it was written.
  if (!source.path.empty() && evidence.filter->met_split()) {
    if (seen != nullptr) {
      *seen = *std::move(seen_before);
    }
    TRY_ASSIGN(evidence, read_once(archive, source, seen, read_source, std::move(stop)));
  }
  evidence.source = std::move(source);
  return evidence;
}

TraceCounts counts_of(const distill::Distilled& distilled, const Evidence& evidence) {
  auto label = [&](distill::Label one) {
    return number(distilled.labels[static_cast<std::size_t>(one)]);
  };
  TraceCounts counts;
  counts.events = number(distilled.events);
  counts.kept = number(distilled.kept);
  counts.left_out = number(distilled.events - distilled.kept);
  counts.beats = number(distilled.beats_in_all);
  counts.interrupts = label(distill::Label::interrupted);
  counts.errors = label(distill::Label::error);
  counts.corrections = label(distill::Label::corrected);
  counts.approvals = label(distill::Label::approved);
  counts.recoveries = label(distill::Label::recovered);
  counts.raw_bytes = number(evidence.bytes);
  counts.redacted =
      evidence.removed + evidence.filter->counts().definite + evidence.source.row.redacted;
  return counts;
}

Result<std::vector<std::string>> allowed_rules(archive::Archive& archive,
                                               const TraceSource& source) {
  std::vector<std::string> allowed;
  if (source.row.id == 0) {
    return allowed;
  }
  TRY_ASSIGN(std::vector<store::FindingRow> findings, archive.store().findings(source.row.id));
  for (const store::FindingRow& finding : findings) {
    if (finding.state == store::FindingState::allowed) {
      allowed.push_back(finding.rule);
    }
  }
  return allowed;
}

} // namespace upskill::daemon
