#pragma once
#include "daemon/handlers/watch_exam.h"
#include "protocol/types/watch_reports.h"
#include "skills/regression/test.h"

#include <string>

namespace upskill::daemon {

// Of which nothing is known yet.
WatchedSubject subject_of(const RecordedSubject& recorded);
// What a test says so far.
void tell(WatchedSubject& told, const regression::TestReport& report);
// As it was kept; corrupt where it is none.
Result<WatchedSubject> read_kept(const std::string& json);

// "`haiku` (agent), triggers".
std::string subject_words(const WatchedSubject& one);

// Where a test begins from: what is known of its version before anybody is asked. Without an exam
// of a watched skill nothing is to be tested; `told.verdict` says so then.
WatchedSkill first_report(const WatchExam& exam);

// The verdict of a version of all its subjects, and what it is waiting for.
void put_verdict(WatchedSkill& told, const WatchExam& exam);

} // namespace upskill::daemon
