#include "daemon/handlers/watch_record.h"

#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"
#include "skills/eval/interval.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace upskill::daemon {
namespace {

std::vector<bool> bits_of(std::string_view outcomes) {
  std::vector<bool> bits;
  for (char c : outcomes) {
    bits.push_back(c == '1');
  }
  return bits;
}

} // namespace

std::string write_record(const AcceptedRecord& record) {
  return encode(record);
}

Result<AcceptedRecord> read_record(std::string_view json) {
  rpc::JsonParser parser;
  Result<AcceptedRecord> record = fail(ErrorCode::internal, "nothing was read");
  Result<void> read = parser.read(json, "the accepted version", [&](JsonReader& reader) {
    record = decode<AcceptedRecord>(reader, "accepted");
  });
  if (!read || !record) {
    return fail(ErrorCode::corrupt,
                "what is kept of the accepted version cannot be read: "
                    + (read ? record.error() : read.error()).message,
                "`upskill eval accept` says anew which one it is");
  }
  return record;
}

std::vector<RecordedCase> recorded_cases(const eval::CaseSuite& suite,
                                         const std::vector<EvalSample>& samples) {
  std::map<std::string_view, std::map<std::int64_t, char>> known;
  for (const EvalSample& sample : samples) {
    if (sample.outcome != SampleOutcome::error) {
      known[sample.case_id][sample.run] = sample.outcome == SampleOutcome::passed ? '1' : '0';
    }
  }
  std::vector<RecordedCase> cases;
  for (const eval::Case& one : suite.cases) {
    RecordedCase& recorded = cases.emplace_back();
    recorded.id = one.id;
    for (const auto& [run, outcome] : known[one.id]) {
      recorded.outcomes += outcome;
    }
  }
  return cases;
}

regression::CaseOutcomes outcomes_of(const RecordedSubject& subject,
                                     const eval::CaseSuite& suite,
                                     const std::vector<std::string>& never_asked) {
  regression::CaseOutcomes outcomes;
  for (const eval::Case& one : suite.cases) {
    auto found = std::ranges::find(subject.cases, one.id, &RecordedCase::id);
    bool is_known =
        found != subject.cases.end() && std::ranges::find(never_asked, one.id) == never_asked.end();
    outcomes.push_back(is_known ? bits_of(found->outcomes) : std::vector<bool>());
  }
  return outcomes;
}

void put_means(RecordedSubject& subject, const std::vector<EvalSample>& samples) {
  double usd = 0;
  double tokens = 0;
  double priced = 0;
  double counted = 0;
  for (const EvalSample& sample : samples) {
    if (sample.outcome == SampleOutcome::error) {
      continue;
    }
    usd += sample.cost.value_or(0);
    priced += sample.cost ? 1 : 0;
    tokens += static_cast<double>(sample.tokens.total.value_or(0));
    counted += sample.tokens.total ? 1 : 0;
  }
  subject.usd = priced > 0 ? std::optional(usd / priced) : std::nullopt;
  subject.tokens = counted > 0 ? std::optional(tokens / counted) : std::nullopt;
}

AcceptedSubjectReport report_of(const RecordedSubject& subject, std::int64_t errors) {
  regression::CaseOutcomes outcomes;
  for (const RecordedCase& one : subject.cases) {
    outcomes.push_back(bits_of(one.outcomes));
  }
  regression::Accepted accepted = regression::weigh_accepted(outcomes);
  AcceptedSubjectReport report{subject.model, subject.student, subject.measure};
  report.errors = errors;
  for (std::size_t i = 0; i < accepted.cases.size(); ++i) {
    ++report.cases;
    report.samples += static_cast<std::int64_t>(accepted.cases[i].runs);
    if (accepted.cases[i].gate == regression::CaseGate::quarantined) {
      report.flaky.push_back(subject.cases[i].id);
    }
  }
  if (accepted.samples() > 0) {
    eval::Interval interval =
        eval::wilson(static_cast<std::size_t>(std::lround(accepted.passes)),
                     static_cast<std::size_t>(std::lround(accepted.samples())));
    report.rate = EvalShare{accepted.rate(), interval.low, interval.high};
  }
  return report;
}

} // namespace upskill::daemon
