#pragma once
#include "daemon/handlers/watch_exam.h"
#include "protocol/types/watch_reports.h"

namespace upskill::daemon {

// Where a test begins from: what is known of its version before anybody is asked. Without an exam
// of a watched skill nothing is to be tested; `told.verdict` says so then.
WatchedSkill first_report(const WatchExam& exam);

// The verdict of a version of all its subjects, and what it is waiting for.
void put_verdict(WatchedSkill& told, const WatchExam& exam);

} // namespace upskill::daemon
