#pragma once
#include "daemon/binder.h"
#include "daemon/capture/desk.h"
#include "daemon/handlers/skill_library.h"

namespace upskill::daemon {

// The methods about sessions of agents. Both outlive the binder.
void bind_trace_handlers(Binder& binder, SkillLibrary& library, capture::Desk& desk);

// What each of them needs.
struct TraceRoom {
  SkillLibrary& library;
  capture::Desk& desk;
};

// trace_lists.cpp
Awaitable<TraceListResult>
list_traces(TraceRoom room, TraceListParams params, RequestContext context);
Awaitable<TraceSearchResult>
search_traces(TraceRoom room, TraceSearchParams params, RequestContext context);
// trace_show.cpp
Awaitable<TraceShowResult>
show_trace(TraceRoom room, TraceShowParams params, RequestContext context);
// trace_read.cpp
Awaitable<TraceReadResult>
read_trace(TraceRoom room, TraceReadParams params, RequestContext context);
// trace_import.cpp
Awaitable<TraceImportResult>
import_traces(TraceRoom room, TraceImportParams params, RequestContext context);
// trace_export.cpp
Awaitable<TraceExportResult>
export_trace(TraceRoom room, TraceExportParams params, RequestContext context);
// trace_distill.cpp
Awaitable<TraceDistillResult>
distill_traces(TraceRoom room, TraceDistillParams params, RequestContext context);
// trace_keeping.cpp
Awaitable<TracePurgeResult>
purge_traces(TraceRoom room, TracePurgeParams params, RequestContext context);
Awaitable<TraceCaptureResult>
capture_traces(TraceRoom room, TraceCaptureParams params, RequestContext context);
Awaitable<TraceAllowResult>
allow_trace(TraceRoom room, TraceAllowParams params, RequestContext context);

} // namespace upskill::daemon
