#include "daemon/handlers/traces.h"

#include "daemon/capture/hook_words.h"
#include "protocol/methods.h"

#include <utility>

namespace upskill::daemon {
namespace {

// Methods that read or write wherever they are told to, or tell what agents are not told.
template <class P, class R>
void on_person(Binder& binder,
               const Method<P, R>& method,
               TraceRoom room,
               Awaitable<R> (*handler)(TraceRoom, P, RequestContext)) {
  binder.on(method, [=](P params, RequestContext context) -> Awaitable<R> {
    if (!context.principal.empty()) {
      co_return fail(ErrorCode::refused,
                     "only a person may do this with sessions",
                     "`upskill " + std::string(method.command) + "` on the command line");
    }
    auto answer = handler(room, std::move(params), std::move(context));
    Result<R> result = co_await std::move(answer);
    co_return result;
  });
}

} // namespace

void bind_trace_handlers(Binder& binder, SkillLibrary& library, capture::Desk& desk) {
  TraceRoom room{library, desk};
  binder.on(k_trace_list, [=](TraceListParams params, RequestContext context) {
    return list_traces(room, std::move(params), std::move(context));
  });
  binder.on(k_trace_search, [=](TraceSearchParams params, RequestContext context) {
    return search_traces(room, std::move(params), std::move(context));
  });
  binder.on(k_trace_read, [=](TraceReadParams params, RequestContext context) {
    return read_trace(room, std::move(params), std::move(context));
  });
  on_person(binder, k_trace_show, room, &show_trace);
  on_person(binder, k_trace_import, room, &import_traces);
  on_person(binder, k_trace_export, room, &export_trace);
  on_person(binder, k_trace_distill, room, &distill_traces);
  on_person(binder, k_trace_allow, room, &allow_trace);
  on_person(binder, k_trace_purge, room, &purge_traces);
  on_person(binder, k_trace_capture, room, &capture_traces);
  binder.on(k_hook_event,
            [&desk](HookEventParams params, RequestContext&) -> Result<HookEventResult> {
              desk.ring(capture::hook_event_of(params));
              return HookEventResult{desk.is_following()};
            });
}

} // namespace upskill::daemon
