#include "daemon/job_work.h"

#include "daemon/await.h"

#include <utility>

namespace upskill::daemon {
namespace {

asio::awaitable<Result<mcp::Answer>>
run_tool(Binder& binder, const MethodInfo& method, RequestContext context, jobs::JobRun& run) {
  context.id = run.id;
  context.input_responses = run.input_responses;
  context.state = run.state;
  context.progress = run.progress;
  context.stopping = run.stopping;
  if (binder.is_quick(method)) {
    Result<mcp::ToolAnswer> answer = binder.call_quick(method, run.arguments, context);
    CO_TRY(answer);
    co_return mcp::Answer(std::move(*answer));
  }
  AWAIT(Result<mcp::Answer> answer, binder.call_slow(method, run.arguments, std::move(context)));
  co_return answer;
}

} // namespace

jobs::FindWork work_of_tools(Binder& binder) {
  return [&binder](const std::string& tool,
                   const RequestContext& context) -> Result<jobs::JobWork> {
    const MethodInfo* method = find_method(tool);
    if (method == nullptr) {
      return fail(ErrorCode::not_found, "there is no tool `" + tool + "`", "`tools/list` has them");
    }
    // A model answers the questions of its jobs by itself: what a person is to confirm is no job.
    if (method->name == k_job.name
        || (!context.principal.empty() && method->effect == Effect::destructive)) {
      return fail(ErrorCode::invalid_argument,
                  "params.tool: `" + tool + "` cannot be started as a job",
                  "call it");
    }
    // What belongs to the call that starts the job ends with it; who asked, and what the person may
    // be asked, does not.
    RequestContext kept;
    kept.client_number = context.client_number;
    kept.caller = context.caller;
    kept.origin = context.origin;
    kept.place = context.place;
    kept.principal = context.principal;
    kept.client.form = true; // a job asks by its own means, and whoever started it answers
    kept.client.sampling = true;
    jobs::JobWork work = [&binder, method, kept](jobs::JobRun& run) {
      return run_tool(binder, *method, kept, run);
    };
    return work;
  };
}

} // namespace upskill::daemon
