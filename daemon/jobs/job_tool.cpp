#include "daemon/jobs/job_tool.h"

#include "daemon/await.h"
#include "daemon/jobs/job_summary.h"
#include "daemon/short_list.h"
#include "protocol/base/bounds.h"
#include "protocol/catalog.h"

#include <chrono>
#include <utility>

namespace upskill::jobs {
namespace {

constexpr std::int64_t k_longest_wait = 60; // seconds

std::string startable_tools(bool by_agents) {
  std::string names;
  for (const MethodInfo& method : catalog()) {
    if (may_be_started(method.name, by_agents)) {
      names += names.empty() ? "`" : ", `";
      names += std::string(method.name) + "`";
    }
  }
  return "these can be started: " + names;
}

Result<void> check(const JobParams& params) {
  if (params.wait < 0 || params.wait > k_longest_wait) {
    return fail(ErrorCode::invalid_argument, "params.wait: must be from 0 to 60");
  }
  switch (params.action) {
  case JobAction::list:
    if (params.limit < 1 || params.limit > static_cast<std::int64_t>(k_max_page)) {
      return fail(ErrorCode::invalid_argument, "params.limit: must be from 1 to 1000");
    }
    return {};
  case JobAction::start:
    if (params.tool.empty()) {
      return fail(ErrorCode::invalid_argument, "params.tool: is missing", "name the tool to start");
    }
    if (!params.arguments.text.empty() && !params.arguments.text.starts_with('{')) {
      return fail(ErrorCode::invalid_argument, "params.arguments: expected an object");
    }
    return {};
  case JobAction::answer:
    if (params.answers.text.empty()) {
      return fail(ErrorCode::invalid_argument,
                  "params.answers: is missing",
                  "action `show` shows the questions");
    }
    break;
  case JobAction::show:
  case JobAction::cancel:
    break;
  }
  if (params.id.empty()) {
    return fail(
        ErrorCode::invalid_argument, "params.id: is missing", "action `list` shows the ids");
  }
  return {};
}

asio::awaitable<Result<JobResult>>
list_jobs(JobQueue& queue, JobParams params, daemon::RequestContext context) {
  AWAIT(Result<JobPage> page,
        queue.list(
            context.principal, std::move(params.cursor), static_cast<std::size_t>(params.limit)));
  CO_TRY(page);
  JobResult result;
  for (const Job& job : page->jobs) {
    result.jobs.push_back(summary_of(job, Detail::line));
  }
  result.next_cursor = std::move(page->next_cursor);
  if (daemon::is_for_model(context)
      && daemon::keep_fitting(result.jobs, daemon::k_short_answer) > 0) {
    result.next_cursor = cursor_after(page->jobs[result.jobs.size() - 1]);
  }
  co_return result;
}

asio::awaitable<Result<std::string>>
start_job(JobQueue& queue, FindWork find_work, JobParams params, daemon::RequestContext context) {
  CO_TRY(may_be_started(params.tool, !context.principal.empty()));
  CO_TRY_ASSIGN(JobWork work, find_work(params.tool, context));
  JobStart what{.owner = std::move(context.principal),
                .tool = std::move(params.tool),
                .caller = std::move(context.caller),
                .work = std::move(work),
                .repeat = Repeat::once};
  if (!params.arguments.text.empty()) {
    what.arguments = std::move(params.arguments.text);
  }
  AWAIT(Result<std::string> id, queue.begin(std::move(what)));
  co_return id;
}

// No key that was meant for a question may get lost silently.
std::string told_about(const JobAnswered& answered) {
  if (answered.unknown.empty()) {
    return {};
  }
  std::string keys;
  for (const std::string& key : answered.unknown) {
    keys += (keys.empty() ? "`" : ", `") + key + "`";
  }
  return "not asked, so not taken: " + keys;
}

} // namespace

Result<void> may_be_started(std::string_view tool, bool by_agents) {
  const MethodInfo* method = find_method(tool);
  if (method == nullptr) {
    return {};
  }
  if (method->pace != Pace::slow || (by_agents && method->audience != Audience::agents)) {
    return fail(ErrorCode::invalid_argument,
                "params.tool: `" + std::string(tool) + "` cannot be started as a job",
                method->pace == Pace::slow ? "" : "call it; it answers at once");
  }
  return {};
}

asio::awaitable<Result<JobResult>> answer_job_call(JobQueue& queue,
                                                   FindWork find_work,
                                                   JobParams params,
                                                   daemon::RequestContext context) {
  CO_TRY(check(params));
  std::string principal = context.principal;
  std::string id = params.id;
  std::string note;
  auto wait = std::chrono::seconds(params.wait);
  switch (params.action) {
  case JobAction::list: {
    AWAIT(Result<JobResult> listed, list_jobs(queue, std::move(params), std::move(context)));
    co_return listed;
  }
  case JobAction::start: {
    bool by_agents = !principal.empty();
    AWAIT(Result<std::string> started,
          start_job(queue, std::move(find_work), std::move(params), std::move(context)));
    if (!started) {
      Error error = std::move(started).error();
      if (error.hint.empty()
          && (error.code == ErrorCode::invalid_argument || error.code == ErrorCode::not_found)) {
        error.hint = startable_tools(by_agents);
      }
      co_return fail(std::move(error));
    }
    id = std::move(*started);
    break;
  }
  case JobAction::answer: {
    AWAIT(Result<JobAnswered> answered,
          queue.answer(id, principal, std::move(params.answers.text)));
    CO_TRY(answered);
    note = told_about(*answered);
    break;
  }
  case JobAction::cancel: {
    AWAIT(Result<void> cancelled, queue.cancel(id, principal));
    CO_TRY(cancelled);
    break;
  }
  case JobAction::show:
    break;
  }
  AWAIT(Result<Job> job, queue.wait_for(std::move(id), std::move(principal), wait));
  CO_TRY(job);
  JobResult result;
  result.jobs.push_back(summary_of(*job, Detail::shown));
  std::string& hint = result.jobs.front().hint;
  hint = note + (note.empty() || hint.empty() ? "" : "; ") + hint;
  co_return result;
}

} // namespace upskill::jobs
