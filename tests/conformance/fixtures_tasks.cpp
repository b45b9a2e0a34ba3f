#include "daemon/await.h"
#include "daemon/jobs/job_queue.h"
#include "daemon/runtime/timers.h"
#include "tests/conformance/fixtures.h"
#include "tests/conformance/fixtures_reply.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace upskill::conformance {
namespace {

using Work = asio::awaitable<Result<mcp::Answer>>;

constexpr std::string_view k_confirm_schema =
    R"({"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]})";
constexpr std::string_view k_name_schema =
    R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";

std::string name_argument() {
  return R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"],)"
         R"("additionalProperties":false})";
}

std::string filename_argument() {
  return R"({"type":"object","properties":{"filename":{"type":"string"}},)"
         R"("required":["filename"],"additionalProperties":false})";
}

std::string compute_arguments() {
  return R"({"type":"object","properties":{"seconds":{"type":"integer","minimum":0},)"
         R"("label":{"type":"string"}},"required":["seconds"],"additionalProperties":false})";
}

std::chrono::seconds seconds_of(std::string_view arguments) {
  Json object = object_of(arguments);
  auto found = object.find("seconds");
  bool is_number = found != object.end() && found->is_number_integer();
  return std::chrono::seconds(is_number ? std::clamp(found->get<int>(), 0, 3600) : 0);
}

mcp::Answer computed(std::string_view arguments) {
  return text_answer("computed " + string_argument(arguments, "label"));
}

// What the tasks do. They know nothing but their run, which outlives them.
Work compute(jobs::JobRun& run) {
  AWAIT_DONE(runtime::wait_for(seconds_of(run.arguments)));
  co_return computed(run.arguments);
}

Work fail_as_a_tool(jobs::JobRun&) {
  AWAIT_DONE(runtime::wait_for(std::chrono::seconds(1)));
  co_return error_answer("This job intentionally fails");
}

Work fail_as_the_protocol(jobs::JobRun&) {
  co_return fail(ErrorCode::internal, "this job intentionally breaks");
}

Work confirm_and_delete(jobs::JobRun& run) {
  if (answer_to(run.input_responses, "confirm").is_object()) {
    co_return text_answer("Deleted " + string_argument(run.arguments, "filename"));
  }
  mcp::InputRequired required;
  required.requests.push_back(elicitation(
      "confirm", "Delete " + string_argument(run.arguments, "filename") + "?", k_confirm_schema));
  co_return mcp::Answer(std::move(required));
}

Work ask_for_two(jobs::JobRun& run) {
  if (answer_to(run.input_responses, "first").is_object()
      && answer_to(run.input_responses, "second").is_object()) {
    co_return text_answer("Both were answered");
  }
  mcp::InputRequired required;
  required.requests.push_back(elicitation("first", "Who is first?", k_name_schema));
  required.requests.push_back(elicitation("second", "Who is second?", k_name_schema));
  co_return mcp::Answer(std::move(required));
}

Work greet_late(jobs::JobRun& run) {
  co_return text_answer("Hello, " + string_argument(run.arguments, "name") + "!");
}

// Begins a task and answers with it.
Reply begin(jobs::JobQueue* queue,
            std::string_view tool,
            std::string arguments,
            std::string principal,
            jobs::JobWork work) {
  if (queue == nullptr) {
    co_return fail(ErrorCode::unsupported, "this daemon takes no jobs");
  }
  jobs::JobStart start;
  start.owner = principal;
  start.tool = tool;
  start.arguments = std::move(arguments);
  start.work = std::move(work);
  AWAIT(Result<std::string> id, queue->begin(std::move(start)));
  CO_TRY(id);
  AWAIT(Result<jobs::Job> job, queue->find(*id, std::move(principal)));
  CO_TRY(job);
  co_return mcp::Answer(jobs::task_status(*job));
}

mcp::Answer needs_tasks() {
  return mcp::missing_capability(R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})");
}

// A tool that can only go on as a task.
Tool required_task(jobs::JobQueue* queue, MethodInfo info, Work (*work)(jobs::JobRun&)) {
  auto handler = [queue, name = info.name, work](std::string arguments,
                                                 RequestContext context) -> Reply {
    if (!context.accepts_task) {
      co_return needs_tasks();
    }
    AWAIT(Result<mcp::Answer> task,
          begin(queue, name, std::move(arguments), std::move(context.principal), work));
    co_return task;
  };
  return {info, std::move(handler)};
}

Reply greet(std::string arguments, RequestContext) {
  co_return text_answer("Hello, " + string_argument(arguments, "name") + "!");
}

Tool slow_compute(jobs::JobQueue* queue) {
  auto handler = [queue](std::string arguments, RequestContext context) -> Reply {
    if (!context.accepts_task) {
      AWAIT_DONE(runtime::wait_for(seconds_of(arguments)));
      co_return computed(arguments);
    }
    AWAIT(
        Result<mcp::Answer> task,
        begin(queue, "slow_compute", std::move(arguments), std::move(context.principal), &compute));
    co_return task;
  };
  return {tool_info("slow_compute", "Takes as long as it is told to.", &compute_arguments),
          std::move(handler)};
}

// Asks as long as it is a call, and goes on as a task with what it was told.
Tool ask_then_task(jobs::JobQueue* queue) {
  auto handler = [queue](std::string, RequestContext context) -> Reply {
    if (!context.accepts_task) {
      co_return needs_tasks();
    }
    std::optional<std::string> name = accepted(context.input_responses, "user_name", "name");
    if (!name) {
      mcp::InputRequired required;
      required.requests.push_back(elicitation("user_name", "What is your name?", k_name_schema));
      co_return mcp::Answer(std::move(required));
    }
    std::string arguments = Json{{"name", *name}}.dump();
    AWAIT(Result<mcp::Answer> task,
          begin(queue,
                "test_tool_with_task",
                std::move(arguments),
                std::move(context.principal),
                &greet_late));
    co_return task;
  };
  return {tool_info("test_tool_with_task", "Asks for a name, then greets as a task."),
          std::move(handler)};
}

} // namespace

std::vector<Tool> task_tools(const daemon::EngineContext& context) {
  jobs::JobQueue* queue = context.jobs;
  return {{tool_info("greet", "Greets at once.", &name_argument), &greet},
          slow_compute(queue),
          required_task(queue, tool_info("failing_job", "Fails after a second."), &fail_as_a_tool),
          required_task(queue, tool_info("protocol_error_job", "Breaks."), &fail_as_the_protocol),
          required_task(queue,
                        tool_info("confirm_delete", "Asks before it deletes.", &filename_argument),
                        &confirm_and_delete),
          required_task(queue, tool_info("multi_input", "Asks two things at once."), &ask_for_two),
          ask_then_task(queue)};
}

} // namespace upskill::conformance
