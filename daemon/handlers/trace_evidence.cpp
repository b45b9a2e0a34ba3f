#include "daemon/handlers/trace_evidence.h"

#include "skills/trace/copies.h"

#include <utility>

namespace upskill::daemon {
namespace {

std::int64_t number(std::uint64_t count) {
  return static_cast<std::int64_t>(count);
}

} // namespace

Result<Evidence> gather(archive::Archive& archive,
                        TraceSource source,
                        trace::RecentIds* seen,
                        std::stop_token stop) {
  Evidence evidence;
  TRY_ASSIGN(trace::Format format, format_of(source));
  evidence.filter = std::make_unique<SecretFilter>(archive.rules());
  evidence.distiller = std::make_unique<distill::Distiller>(format, evidence.filter.get());
  Result<TraceReading> reading = fail(ErrorCode::internal, "nothing was read");
  if (seen != nullptr) {
    trace::DropCopies drop(format, *seen, *evidence.distiller);
    reading = read_source(archive, source, drop, std::move(stop));
  } else {
    reading = read_source(archive, source, *evidence.distiller, std::move(stop));
  }
  TRY(reading);
  evidence.format = reading->format;
  evidence.bytes = reading->bytes;
  evidence.removed = reading->counts.definite;
  evidence.problems = std::move(reading->problems);
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
