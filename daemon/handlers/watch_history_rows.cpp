#include "daemon/handlers/watch_history_rows.h"

#include "daemon/handlers/watch_record.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"
#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"
#include "skills/regression/verdict.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_least_digits = 4;
constexpr std::size_t k_named = 5; // candidates in an error

template <class T> std::optional<T> read_kept(const std::string& json) {
  rpc::JsonParser parser;
  std::optional<T> kept;
  Result<void> read = parser.read(json, "what is kept", [&](JsonReader& reader) {
    if (Result<T> decoded = decode<T>(reader, "kept")) {
      kept = std::move(*decoded);
    }
  });
  return read ? std::move(kept) : std::nullopt;
}

WatchMeasure measure_of(const EvalModelReport& model) {
  return model.trigger             ? WatchMeasure::trigger
         : model.student == "chat" ? WatchMeasure::forced
                                   : WatchMeasure::end_to_end;
}

void add_accepted(HistoryVersion& version, const store::AcceptedRow& row) {
  version.accepted_at = rfc3339(row.accepted_ms);
  Result<AcceptedRecord> record = read_record(row.record);
  if (!record) {
    return;
  }
  for (const RecordedSubject& one : record->subjects) {
    AcceptedSubjectReport report = report_of(one, 0);
    HistorySubject& subject = version.subjects.emplace_back();
    subject.source = HistorySource::accept;
    subject.model = report.model;
    subject.student = report.student;
    subject.measure = report.measure;
    subject.rate = report.rate;
    subject.samples = report.samples;
    subject.at = version.accepted_at;
  }
}

HistorySubject subject_of(const store::VerdictRow& row, const WatchedSubject& told) {
  HistorySubject subject;
  subject.model = told.model;
  subject.student = told.student;
  subject.measure = told.measure;
  subject.verdict = told.verdict;
  subject.reason = told.reason;
  subject.why = told.why;
  subject.rate = told.rate;
  subject.accepted_rate = told.accepted_rate;
  if (told.rate && told.accepted_rate) {
    subject.change = told.rate->value - *told.accepted_rate;
  }
  subject.samples = row.samples;
  subject.tokens = row.tokens;
  subject.cost = row.cost;
  subject.at = rfc3339(row.finished_ms);
  return subject;
}

// Of the tests against the version that it was held against last.
void add_verdicts(HistoryVersion& version, const std::vector<store::VerdictRow>& rows) {
  std::vector<regression::SubjectVerdict> verdicts;
  std::set<std::array<std::string, 3>> seen;
  const Digest& against = rows.back().key.accepted;
  version.against = against.hex();
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    std::optional<WatchedSubject> told = read_kept<WatchedSubject>(row->record);
    if (row->key.accepted != against || !told
        || !seen.insert({row->key.model, row->key.student, row->key.measure}).second) {
      continue; // of other cases than it has now
    }
    version.subjects.push_back(subject_of(*row, *told));
    std::string name = in_backticks(told->model.empty() ? told->student : told->model);
    name += told->student == "chat" ? "" : " (" + told->student + ")";
    name += told->measure == WatchMeasure::trigger ? ", triggers" : "";
    verdicts.push_back({std::move(name), told->verdict, told->reason, told->why});
  }
  if (verdicts.empty()) {
    return;
  }
  regression::VersionVerdict verdict = regression::verdict_of_version(verdicts);
  version.verdict = verdict.verdict;
  version.reason = verdict.reason;
  version.why = std::move(verdict.why);
}

void add_evaluation(HistoryVersion& version,
                    const EvalResult& result,
                    const std::string& at,
                    std::set<std::array<std::string, 3>>& seen) {
  if (!result.combinations.empty()) {
    return; // of several skills: none of them alone
  }
  for (const EvalModelReport& model : result.models) {
    WatchMeasure measure = measure_of(model);
    if (!seen.insert({model.model, model.student, std::string(enum_name(measure))}).second) {
      continue;
    }
    HistorySubject& subject = version.subjects.emplace_back();
    subject.source = HistorySource::eval;
    subject.model = model.model;
    subject.student = model.student;
    subject.measure = measure;
    const EvalArmReport& arm = model.with_skill;
    if (arm.rate && arm.low && arm.high) {
      subject.rate = EvalShare{*arm.rate, *arm.low, *arm.high};
    }
    if (model.baseline && result.against.empty()) { // else it is another version
      subject.baseline = model.baseline->rate;
      subject.lift = model.lift;
    }
    subject.samples = arm.samples;
    subject.tokens = arm.tokens.total;
    subject.cost = arm.cost;
    subject.at = at;
  }
}

} // namespace

void add_evaluations(std::vector<VersionRows>& versions,
                     const std::vector<store::EvaluationRow>& evaluations) {
  std::map<std::pair<std::string, Digest>, std::vector<store::EvaluationRow>> by_version;
  for (const store::EvaluationRow& row : evaluations) {
    std::optional<Digest> version = Digest::from_hex(row.skill_hash);
    if (version && row.finished_ms) {
      by_version[{row.skill, *version}].push_back(row);
    }
  }
  std::set<std::pair<std::string, Digest>> known;
  for (VersionRows& rows : versions) {
    auto found = by_version.find({rows.skill.second, rows.version});
    if (found != by_version.end()) {
      rows.evaluations = found->second;
      known.insert(found->first);
    }
  }
  for (auto& [version, rows] : by_version) {
    if (!known.contains(version)) {
      VersionRows& added = versions.emplace_back();
      added.skill.second = version.first;
      added.version = version.second;
      added.first_ms = rows.back().started_ms;
      added.is_only_evaluated = true;
      added.evaluations = std::move(rows);
    }
  }
  std::ranges::sort(versions, [](const VersionRows& a, const VersionRows& b) {
    return std::tie(b.first_ms, a.skill, a.version) < std::tie(a.first_ms, b.skill, b.version);
  });
}

HistoryVersion told_of(const VersionRows& rows) {
  HistoryVersion version;
  version.skill = to_valid_utf8(rows.skill.second);
  version.project = to_valid_utf8(rows.skill.first);
  version.hash = rows.version.hex();
  version.is_accepted = rows.is_accepted;
  version.first_seen = rows.first_ms == 0 ? std::string() : rfc3339(rows.first_ms);
  std::int64_t last_ms = 0;
  if (rows.accepted) {
    add_accepted(version, *rows.accepted);
    last_ms = rows.accepted->accepted_ms;
  }
  if (!rows.verdicts.empty()) {
    add_verdicts(version, rows.verdicts);
    last_ms = std::max(last_ms, rows.verdicts.back().finished_ms);
  }
  std::set<std::array<std::string, 3>> seen;
  for (const store::EvaluationRow& row : rows.evaluations) {
    last_ms = std::max(last_ms, row.finished_ms.value_or(row.started_ms));
    if (std::optional<EvalResult> result = read_kept<EvalResult>(row.result)) {
      add_evaluation(version, *result, rfc3339(row.started_ms), seen);
    }
  }
  version.last_tested = last_ms == 0 ? std::string() : rfc3339(last_ms);
  return version;
}

Result<Digest> version_called(const std::string& digits, const std::vector<Digest>& known) {
  const bool is_hex = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hex || digits.size() < k_least_digits) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(utf8_prefix(digits, 80)) + " names no version",
                "say the first digits of a hash, at least 4, or `accepted`, or `now`; `upskill "
                "runs --history --skill NAME` lists them");
  }
  std::set<Digest> found;
  for (const Digest& one : known) {
    if (one.hex().starts_with(digits)) {
      found.insert(one);
    }
  }
  if (found.empty()) {
    return fail(ErrorCode::not_found,
                "no version's hash begins with " + in_backticks(utf8_prefix(digits, 80)),
                "`upskill runs --history --skill NAME` lists them");
  }
  if (found.size() > 1) {
    std::string message =
        std::to_string(found.size()) + " versions begin with " + in_backticks(digits) + ": ";
    std::size_t named = 0;
    for (auto one = found.begin(); one != found.end() && named < k_named; ++one, ++named) {
      message += (named == 0 ? "`" : ", `")
                 + one->brief(std::max<std::size_t>(12, digits.size() + 4)) + "`";
    }
    message += found.size() > k_named ? ", ..." : "";
    return fail(ErrorCode::invalid_argument, std::move(message), "say more of its digits");
  }
  return *found.begin();
}

} // namespace upskill::daemon
