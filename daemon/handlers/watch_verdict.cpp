#include "daemon/handlers/watch_verdict.h"

#include "protocol/base/utf8.h"
#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"
#include "skills/regression/verdict.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

std::string words_of(const regression::ChangedParts& changed) {
  std::string words;
  for (regression::SkillPart part : changed.parts) {
    words += (words.empty() ? "" : ", ") + std::string(regression::part_word(part));
  }
  return words;
}

} // namespace

WatchedSubject subject_of(const RecordedSubject& recorded) {
  WatchedSubject told;
  told.model = recorded.model;
  told.student = recorded.student;
  told.measure = recorded.measure;
  return told;
}

void tell(WatchedSubject& told, const regression::TestReport& report) {
  told.verdict = report.verdict;
  told.reason = report.reason;
  told.why = report.why;
  told.accepted_rate = report.accepted_rate;
  if (report.rate) {
    told.rate = EvalShare{*report.rate, report.interval.low, report.interval.high};
  }
  told.samples = static_cast<std::int64_t>(report.samples);
  told.most = static_cast<std::int64_t>(report.most);
  told.errors = static_cast<std::int64_t>(report.errors);
  told.alpha = report.alpha;
}

Result<WatchedSubject> read_kept(const std::string& json) {
  rpc::JsonParser parser;
  Result<WatchedSubject> told = fail(ErrorCode::corrupt, "nothing was read");
  TRY(parser.read(json, "the verdict", [&](JsonReader& reader) {
    told = decode<WatchedSubject>(reader, "verdict");
  }));
  return told;
}

std::string subject_words(const WatchedSubject& one) {
  std::string name = in_backticks(one.model.empty() ? one.student : one.model);
  name += one.student == "chat" ? "" : " (" + one.student + ")";
  return name + (one.measure == WatchMeasure::trigger ? ", triggers" : "");
}

WatchedSkill first_report(const WatchExam& exam) {
  WatchedSkill told{exam.skill.second, exam.skill.first};
  told.hash = exam.version.hash.hex();
  told.problems = exam.seen.problems;
  told.errors = static_cast<std::int64_t>(exam.seen.errors);
  told.gains = exam.seen.gains;
  if (!exam.accepted) {
    told.reason = WatchReason::nothing_accepted;
    told.why = "no version of it was accepted, so there is nothing to hold it against";
    return told;
  }
  told.accepted = exam.accepted->hex();
  told.mode = regression::mode_word(exam.settings.mode.value_or(regression::WatchMode::ask));
  for (regression::SkillPart part : exam.changed.parts) {
    told.changed.emplace_back(regression::part_word(part));
  }
  if (!exam.changed.problems.empty()) { // nothing is known of its cases then
    told.reason = WatchReason::no_cases;
    told.why = exam.changed.problems.front().message;
  } else if (exam.version.hash == *exam.accepted || exam.needed.none()) {
    told.verdict = WatchVerdict::ok;
    told.reason = WatchReason::held;
    told.why = exam.version.hash == *exam.accepted ? "it is the accepted version"
               : exam.changed.has(regression::SkillPart::cases)
                   ? "only its test cases were changed, and none of them asks something new"
                   : "nothing was changed that an agent notices";
  } else if (exam.settings.mode == regression::WatchMode::off) {
    told.reason = WatchReason::waiting;
    told.why = "it is not watched: its mode is `off`";
  } else {
    told.state = WatchState::testing;
    told.why = words_of(exam.changed) + " changed";
  }
  const bool tests_triggers = std::ranges::any_of(
      exam.record.subjects, [](const auto& one) { return one.measure == WatchMeasure::trigger; });
  if (exam.changed.has(regression::SkillPart::description) && !tests_triggers) {
    told.problems.emplace_back("its description was changed, and no trigger queries test that");
  }
  return told;
}

void put_verdict(WatchedSkill& told, const WatchExam& exam) {
  std::vector<regression::SubjectVerdict> verdicts;
  for (const WatchedSubject& one : told.subjects) {
    verdicts.push_back({subject_words(one), one.verdict, one.reason, one.why});
  }
  regression::VersionVerdict verdict = regression::verdict_of_version(verdicts);
  told.verdict = verdict.verdict;
  told.reason = verdict.reason;
  told.why = std::move(verdict.why);
  told.look = exam.look;
  const bool is_waiting =
      std::ranges::find(told.subjects, WatchReason::waiting, &WatchedSubject::reason)
      != told.subjects.end();
  told.state = is_waiting ? WatchState::waiting : WatchState::idle;
  if (is_waiting && exam.seen.errors > 0 && !exam.was_told_to) {
    told.why = "it cannot be used as it is, so none is asked without a word: "
               + exam.seen.problems.front();
  } else if (is_waiting && exam.together > 0) {
    told.why = std::to_string(exam.together)
               + " skills were changed at once, more than `watch.ask_above`: none is tested "
                 "without a word";
  }
}

} // namespace upskill::daemon
