#pragma once
#include "protocol/types/watch_reports.h"

namespace upskill {

struct EvalHistoryParams {
  std::string skill = {};
  std::optional<std::int64_t> limit = {};
  std::string from = {};
  std::string to = {};

  static void describe(auto& f) {
    f.optional(&EvalHistoryParams::skill, "skill", "A skill by its name; all unless told.");
    f.optional(&EvalHistoryParams::limit, "limit", "At most so many versions; 50, 1,000 at most.");
    f.optional(&EvalHistoryParams::from,
               "from",
               "Compare this version, by the first digits of its hash, `accepted` (what `to` alone "
               "is compared with) or `now`.");
    f.optional(&EvalHistoryParams::to, "to", "With this one; `now` where only `from` is told.");
  }
};

// Where a version's numbers are from.
enum class HistorySource { accept, watch, eval };

template <> struct EnumNames<HistorySource> {
  static constexpr std::array<std::string_view, 3> names{"accept", "watch", "eval"};
};

// What one version did, by one model, student and measure.
struct HistorySubject {
  HistorySource source = HistorySource::watch;
  std::string model = {};
  std::string student = {};
  WatchMeasure measure = WatchMeasure::forced;
  std::optional<WatchVerdict> verdict = {};
  std::optional<WatchReason> reason = {};
  std::string why = {};
  std::optional<EvalShare> rate = {};
  std::optional<double> accepted_rate = {};
  std::optional<double> change = {};
  std::optional<double> baseline = {};
  std::optional<EvalLift> lift = {};
  std::int64_t samples = 0;
  std::optional<std::int64_t> tokens = {};
  std::optional<double> cost = {};
  std::string at = {};

  static void describe(auto& f) {
    f.required(&HistorySubject::source,
               "source",
               "`accept`: its samples when it was accepted; `watch`: a test against the accepted "
               "version; `eval`: the newest `upskill eval` of it.");
    f.required(&HistorySubject::model, "model", "Who answered.");
    f.required(&HistorySubject::student, "student", "How it was asked.");
    f.required(&HistorySubject::measure, "measure", "What was measured.");
    f.optional(&HistorySubject::verdict, "verdict", "REGRESSED, OK or UNDECIDED, of a test.");
    f.optional(&HistorySubject::reason, "reason", "Why.");
    f.optional(&HistorySubject::why, "why", "The same for people.");
    f.optional(&HistorySubject::rate, "rate", "Share of passes.");
    f.optional(&HistorySubject::accepted_rate, "accepted_rate", "Of what it was held against.");
    f.optional(&HistorySubject::change, "change", "`rate` minus `accepted_rate`.");
    f.optional(&HistorySubject::baseline, "baseline", "Share of passes without the skill.");
    f.optional(&HistorySubject::lift, "lift", "What the skill adds to that.");
    f.optional(&HistorySubject::samples, "samples", "That say something.");
    f.optional(&HistorySubject::tokens, "tokens", "That it took; unknown where nobody tells.");
    f.optional(&HistorySubject::cost, "cost", "US dollars; unknown where nobody tells.");
    f.optional(&HistorySubject::at, "at", "When.");
  }
};

// A version of a skill that was looked at, accepted, tested or evaluated.
struct HistoryVersion {
  std::string skill = {};
  std::string project = {};
  std::string hash = {};
  bool is_accepted = false;
  std::string accepted_at = {};
  std::string first_seen = {};
  std::string last_tested = {};
  std::string against = {};
  std::optional<WatchVerdict> verdict = {};
  std::optional<WatchReason> reason = {};
  std::string why = {};
  std::vector<HistorySubject> subjects = {};

  static void describe(auto& f) {
    f.required(&HistoryVersion::skill, "skill", "Its name.");
    f.optional(&HistoryVersion::project,
               "project",
               "Where it lies; empty: the user's own, or only evaluated.");
    f.required(&HistoryVersion::hash, "hash", "Of the version.");
    f.optional(&HistoryVersion::is_accepted, "is_accepted", "Later ones are held against it.");
    f.optional(&HistoryVersion::accepted_at, "accepted_at", "When it was accepted last.");
    f.optional(&HistoryVersion::first_seen, "first_seen", "When.");
    f.optional(&HistoryVersion::last_tested, "last_tested", "When.");
    f.optional(&HistoryVersion::against, "against", "Of the version that it was held against.");
    f.optional(&HistoryVersion::verdict, "verdict", "REGRESSED, OK or UNDECIDED; none: no test.");
    f.optional(&HistoryVersion::reason, "reason", "Why.");
    f.optional(&HistoryVersion::why, "why", "The same for people.");
    f.optional(&HistoryVersion::subjects, "subjects", "By source, model, student and measure.");
  }
};

struct HistoryFile {
  std::string path;
  std::string what = {};
  std::string diff = {};

  static void describe(auto& f) {
    f.required(&HistoryFile::path, "path", "Below the skill's folder.");
    f.required(
        &HistoryFile::what, "what", "`added`, `removed` or `changed`, and what else to know.");
    f.optional(&HistoryFile::diff, "diff", "As `diff -u` has it; empty where no text is kept.");
  }
};

// Two versions next to each other.
struct HistoryDiff {
  HistoryVersion from = {};
  HistoryVersion to = {};
  std::vector<HistoryFile> files = {};
  std::int64_t more = 0;
  std::vector<std::string> problems = {};

  static void describe(auto& f) {
    f.required(&HistoryDiff::from, "from", "The one.");
    f.required(&HistoryDiff::to, "to", "The other.");
    f.required(&HistoryDiff::files, "files", "That are not the same in both, SKILL.md first.");
    f.optional(&HistoryDiff::more, "more", "Files that are left out.");
    f.optional(&HistoryDiff::problems, "problems", "Why there is no difference to show.");
  }
};

struct EvalHistoryResult {
  std::string skill = {};
  std::vector<HistoryVersion> versions = {};
  std::int64_t more = 0;
  std::optional<HistoryDiff> diff = {};

  static void describe(auto& f) {
    f.optional(&EvalHistoryResult::skill, "skill", "That was asked for.");
    f.required(&EvalHistoryResult::versions, "versions", "The last that was first seen first.");
    f.optional(&EvalHistoryResult::more, "more", "Older versions that are left out.");
    f.optional(&EvalHistoryResult::diff, "diff", "Where two were to be compared.");
  }
};

} // namespace upskill
