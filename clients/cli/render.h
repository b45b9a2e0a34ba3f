#pragma once
#include "clients/cli/page.h"
#include "clients/cli/parse.h"
#include "clients/connect/text_reader.h"
#include "protocol/types/danger.h"
#include "protocol/types/eval_changed.h"
#include "protocol/types/eval_history.h"
#include "protocol/types/eval_reports.h"
#include "protocol/types/find.h"
#include "protocol/types/inbox.h"
#include "protocol/types/install.h"
#include "protocol/types/runs.h"
#include "protocol/types/server.h"
#include "protocol/types/setup.h"
#include "protocol/types/trace_changes.h"
#include "protocol/types/update.h"
#include "protocol/types/watch_reports.h"

namespace upskill::cli {

// Whether there is a picture for people of this method's result.
bool has_renderer(std::string_view method);

// Puts a method's result on the page. Fails where the result is not what the catalogue says, which
// a daemon of another version may cause.
Result<void> render(Page& page, const Invocation& invocation, const connect::TextReader& result);

// One for each type of result, by the file they lie in.
// render_status.cpp
void show(Page& page, const Invocation& invocation, const StatusResult& result);
void show(Page& page, const Invocation& invocation, const DaemonStatusResult& result);
void show(Page& page, const Invocation& invocation, const DaemonStopResult& result);
void show(Page& page, const Invocation& invocation, const DaemonLogsResult& result);
// Why sync is stopped, and what to do about it.
void print_stopped(Page& page, const std::string& reason, const std::string& hint);
// render_skills.cpp
void show(Page& page, const Invocation& invocation, const SkillListResult& result);
void show(Page& page, const Invocation& invocation, const SkillShowResult& result);
void show(Page& page, const Invocation& invocation, const SkillValidateResult& result);
// render_sync.cpp
void show(Page& page, const Invocation& invocation, const SyncStatusResult& result);
void show(Page& page, const Invocation& invocation, const SyncLogResult& result);
void show(Page& page, const Invocation& invocation, const WaitIdleResult& result);
// render_plan.cpp
void show(Page& page, const Invocation& invocation, const SyncPlanResult& result);
void show(Page& page, const Invocation& invocation, const SyncNowResult& result);
// render_conflicts.cpp
void show(Page& page, const Invocation& invocation, const SyncConflictsResult& result);
// render_evals.cpp
void show(Page& page, const Invocation& invocation, const EvalResult& result);
// render_watch.cpp
void show(Page& page, const Invocation& invocation, const EvalAcceptResult& result);
void show(Page& page, const Invocation& invocation, const WatchResult& result);
// render_history.cpp
void show(Page& page, const Invocation& invocation, const EvalHistoryResult& result);
// render_changed.cpp
void show(Page& page, const Invocation& invocation, const EvalChangedResult& result);
// render_generate.cpp
void show(Page& page, const Invocation& invocation, const GenerateResult& result);
// render_inbox.cpp
void show(Page& page, const Invocation& invocation, const ProposeResult& result);
void show(Page& page, const Invocation& invocation, const InboxListResult& result);
void show(Page& page, const Invocation& invocation, const InboxAcceptResult& result);
void show(Page& page, const Invocation& invocation, const InboxDeclineResult& result);
// render_runs.cpp
void show(Page& page, const Invocation& invocation, const RunsResult& result);
// render_traces.cpp
void show(Page& page, const Invocation& invocation, const TraceListResult& result);
void show(Page& page, const Invocation& invocation, const TraceSearchResult& result);
void show(Page& page, const Invocation& invocation, const TraceReadResult& result);
void show(Page& page, const Invocation& invocation, const TraceShowResult& result);
// render_trace_changes.cpp
void show(Page& page, const Invocation& invocation, const TraceImportResult& result);
void show(Page& page, const Invocation& invocation, const TraceExportResult& result);
void show(Page& page, const Invocation& invocation, const TraceDistillResult& result);
void show(Page& page, const Invocation& invocation, const TracePurgeResult& result);
void show(Page& page, const Invocation& invocation, const TraceCaptureResult& result);
void show(Page& page, const Invocation& invocation, const TraceAllowResult& result);
void show(Page& page, const Invocation& invocation, const HookEventResult& result);
// render_install.cpp
void show(Page& page, const Invocation& invocation, const InstallResult& result);
// render_update.cpp
void show(Page& page, const Invocation& invocation, const UpdateResult& result);
// render_remove.cpp
void show(Page& page, const Invocation& invocation, const RemoveResult& result);
void show(Page& page, const Invocation& invocation, const RollbackResult& result);
// render_scan.cpp
void show(Page& page, const Invocation& invocation, const ScanResult& result);
// render_find.cpp
void show(Page& page, const Invocation& invocation, const FindResult& result);
void show(Page& page, const Invocation& invocation, const PackResult& result);
void show(Page& page, const Invocation& invocation, const InitResult& result);
// render_setup.cpp
void show(Page& page, const Invocation& invocation, const SetupResult& result);
// render_agents.cpp
void show(Page& page, const Invocation& invocation, const AgentListResult& result);
void show(Page& page, const Invocation& invocation, const DoctorResult& result);

} // namespace upskill::cli
