#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "protocol/types/watch_reports.h"
#include "skills/danger/widening.h"
#include "skills/eval/case.h"
#include "skills/eval/report.h"
#include "skills/regression/accepted.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What evals.db keeps of watched skills, as JSON that only we read.
namespace upskill::daemon {

struct RecordedFile {
  std::string path;
  std::string hash; // hexadecimal
  bool executable = false;

  static void describe(auto& f) {
    f.required(&RecordedFile::path, "path", "");
    f.required(&RecordedFile::hash, "hash", "");
    f.optional(&RecordedFile::executable, "executable", "");
  }
};

struct RecordedText {
  std::string path;
  std::string text;

  static void describe(auto& f) {
    f.required(&RecordedText::path, "path", "");
    f.required(&RecordedText::text, "text", "");
  }
};

struct RecordedCase {
  std::string id;
  std::string outcomes; // `1` for each sample that passed, `0` for each that failed, run by run

  static void describe(auto& f) {
    f.required(&RecordedCase::id, "id", "");
    f.required(&RecordedCase::outcomes, "outcomes", "");
  }
};

// One model, student and measure.
struct RecordedSubject {
  std::string model;
  std::string student;
  WatchMeasure measure = WatchMeasure::forced;
  std::vector<RecordedCase> cases = {};
  std::optional<double> usd = {};    // of a sample in the mean; none: not known
  std::optional<double> tokens = {}; // likewise

  static void describe(auto& f) {
    f.required(&RecordedSubject::model, "model", "");
    f.required(&RecordedSubject::student, "student", "");
    f.required(&RecordedSubject::measure, "measure", "");
    f.optional(&RecordedSubject::cases, "cases", "");
    f.optional(&RecordedSubject::usd, "usd", "");
    f.optional(&RecordedSubject::tokens, "tokens", "");
  }
};

// Something that it may do (skills/danger).
struct RecordedCapability {
  danger::CapabilityKind kind = danger::CapabilityKind::command;
  std::string what;

  static void describe(auto& f) {
    f.required(&RecordedCapability::kind, "kind", "");
    f.required(&RecordedCapability::what, "what", "");
  }
};

// The accepted version: what it was, and what it did.
struct AcceptedRecord {
  std::string document = {};            // SKILL.md
  std::vector<RecordedFile> files = {}; // by path
  std::vector<RecordedText> tests = {}; // its test files
  std::vector<RecordedSubject> subjects = {};
  std::string judge_model = {};
  std::string base_url = {};
  bool no_sandbox = false;       // as the person said who accepted it
  bool has_capabilities = false; // else they are too many, or were not looked for
  std::vector<RecordedCapability> capabilities = {};

  static void describe(auto& f) {
    f.required(&AcceptedRecord::document, "document", "");
    f.optional(&AcceptedRecord::files, "files", "");
    f.optional(&AcceptedRecord::tests, "tests", "");
    f.optional(&AcceptedRecord::subjects, "subjects", "");
    f.optional(&AcceptedRecord::judge_model, "judge_model", "");
    f.optional(&AcceptedRecord::base_url, "base_url", "");
    f.optional(&AcceptedRecord::no_sandbox, "no_sandbox", "");
    f.optional(&AcceptedRecord::has_capabilities, "has_capabilities", "");
    f.optional(&AcceptedRecord::capabilities, "capabilities", "");
  }
};

std::string write_record(const AcceptedRecord& record);
// corrupt where it is none of ours.
Result<AcceptedRecord> read_record(std::string_view json);

// What samples say of each case, in the order of the suite.
std::vector<RecordedCase> recorded_cases(const eval::CaseSuite& suite,
                                         const std::vector<EvalSample>& samples);
// The same as a test wants it, for the cases of `suite`; nothing of those that it does not know or
// that are among `never_asked`.
regression::CaseOutcomes outcomes_of(const RecordedSubject& subject,
                                     const eval::CaseSuite& suite,
                                     const std::vector<std::string>& never_asked);

// What a sample took in the mean, of those that say so.
void put_means(RecordedSubject& subject, const std::vector<EvalSample>& samples);

// What people are told of it.
AcceptedSubjectReport report_of(const RecordedSubject& subject, std::int64_t errors);

} // namespace upskill::daemon
