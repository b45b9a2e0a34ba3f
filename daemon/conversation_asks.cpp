#include "daemon/await.h"
#include "daemon/conversation.h"
#include "daemon/jobs/job_queue.h"
#include "daemon/jobs/job_summary.h"

#include <utility>

// Who answers what: the binder its tools, the engine's backends the rest.
namespace upskill::daemon {
namespace {

using Kind = mcp::Call::Kind;

template <class T> Result<mcp::Answer> as_answer(Result<T> result) {
  if (!result) {
    return tl::make_unexpected(std::move(result).error());
  }
  return mcp::Answer(std::move(*result));
}

tl::unexpected<Error> not_offered(std::string_view what) {
  return fail(ErrorCode::unsupported, "this daemon has no " + std::string(what));
}

mcp::ResourceTemplate job_template() {
  mcp::ResourceTemplate entry;
  entry.uri_template = "upskill://job/{id}";
  entry.name = "job";
  entry.title = "A job";
  entry.description = "How far a job of the `job` tool is; subscribe to it to hear of changes.";
  entry.mime_type = "application/json";
  return entry;
}

// A job as the resource that it is.
asio::awaitable<Result<mcp::Answer>>
read_job(jobs::JobQueue& queue, std::string uri, std::string principal) {
  std::optional<std::string> id = jobs::id_of_job_uri(uri);
  AWAIT(Result<jobs::Job> job, queue.find(*id, std::move(principal)));
  CO_TRY(job);
  co_return mcp::Answer(jobs::job_resource(*job));
}

} // namespace

asio::awaitable<Result<mcp::Answer>> Conversation::ask(mcp::Call call, RequestContext context) {
  switch (call.kind) {
  case Kind::tool: {
    AWAIT(Result<mcp::Answer> answer,
          m_services.binder.call_slow(*call.method, std::move(call.arguments), std::move(context)));
    co_return answer;
  }
  case Kind::list_resources:
  case Kind::list_resource_templates:
  case Kind::read_resource:
  case Kind::read_directory: {
    AWAIT(Result<mcp::Answer> answer, ask_resources(std::move(call), std::move(context)));
    co_return answer;
  }
  case Kind::get_prompt:
  case Kind::complete: {
    AWAIT(Result<mcp::Answer> answer, ask_prompts(std::move(call), std::move(context)));
    co_return answer;
  }
  case Kind::list_skills:
  case Kind::get_skill: {
    AWAIT(Result<mcp::Answer> answer, ask_skills(std::move(call), std::move(context)));
    co_return answer;
  }
  case Kind::get_task:
  case Kind::update_task:
  case Kind::cancel_task: {
    AWAIT(Result<mcp::Answer> answer, ask_tasks(std::move(call), std::move(context)));
    co_return answer;
  }
  }
  co_return fail(ErrorCode::internal, "nobody answers this kind of call");
}

asio::awaitable<Result<mcp::Answer>> Conversation::ask_resources(mcp::Call call,
                                                                 RequestContext context) {
  ResourceBackend* resources = m_services.resources;
  if (resources == nullptr) {
    co_return not_offered("resources");
  }
  switch (call.kind) {
  case Kind::list_resources: {
    AWAIT(Result<mcp::ResourcePage> page,
          resources->list(std::move(call.cursor), std::move(context)));
    co_return as_answer(std::move(page));
  }
  case Kind::list_resource_templates: {
    AWAIT(Result<mcp::ResourceTemplatePage> page,
          resources->list_templates(std::move(call.cursor), std::move(context)));
    if (page && page->next_cursor.empty() && m_services.jobs != nullptr) {
      page->templates.push_back(job_template());
    }
    co_return as_answer(std::move(page));
  }
  case Kind::read_directory: {
    AWAIT(
        Result<mcp::DirectoryPage> page,
        resources->read_directory(std::move(call.uri), std::move(call.cursor), std::move(context)));
    co_return as_answer(std::move(page));
  }
  default: {
    if (m_services.jobs != nullptr && jobs::id_of_job_uri(call.uri)) {
      AWAIT(Result<mcp::Answer> job, read_job(*m_services.jobs, call.uri, context.principal));
      co_return job;
    }
    AWAIT(Result<mcp::Answer> answer, resources->read(std::move(call.uri), std::move(context)));
    co_return answer;
  }
  }
}

asio::awaitable<Result<mcp::Answer>> Conversation::ask_prompts(mcp::Call call,
                                                               RequestContext context) {
  if (call.kind == Kind::complete && call.name.empty()) {
    if (m_services.resources == nullptr) {
      co_return not_offered("resources");
    }
    AWAIT(Result<mcp::Completion> completion,
          m_services.resources->complete(std::move(call.uri),
                                         std::move(call.argument),
                                         std::move(call.value),
                                         std::move(context)));
    co_return as_answer(std::move(completion));
  }
  PromptBackend* prompts = m_services.prompts;
  if (prompts == nullptr) {
    co_return not_offered("prompts");
  }
  if (call.kind == Kind::complete) {
    AWAIT(Result<mcp::Completion> completion,
          prompts->complete(std::move(call.name),
                            std::move(call.argument),
                            std::move(call.value),
                            std::move(call.arguments),
                            std::move(context)));
    co_return as_answer(std::move(completion));
  }
  AWAIT(Result<mcp::Answer> answer,
        prompts->get(std::move(call.name), std::move(call.arguments), std::move(context)));
  co_return answer;
}

asio::awaitable<Result<mcp::Answer>> Conversation::ask_skills(mcp::Call call,
                                                              RequestContext context) {
  SkillBackend* skills = m_services.skills;
  if (skills == nullptr) {
    co_return not_offered("skills");
  }
  if (call.kind == Kind::list_skills) {
    AWAIT(Result<mcp::SkillPage> page, skills->list(std::move(call.cursor), std::move(context)));
    co_return as_answer(std::move(page));
  }
  AWAIT(Result<mcp::SkillEntry> entry, skills->get(std::move(call.uri), std::move(context)));
  co_return as_answer(std::move(entry));
}

asio::awaitable<Result<mcp::Answer>> Conversation::ask_tasks(mcp::Call call,
                                                             RequestContext context) {
  jobs::JobQueue* queue = m_services.jobs;
  if (queue == nullptr) {
    co_return not_offered("tasks");
  }
  if (call.kind == Kind::get_task) {
    AWAIT(Result<jobs::Job> job, queue->find(std::move(call.name), std::move(context.principal)));
    CO_TRY(job);
    co_return mcp::Answer(jobs::task_status(*job));
  }
  if (call.kind == Kind::update_task) {
    AWAIT(Result<jobs::JobAnswered> answered,
          queue->answer(
              std::move(call.name), std::move(context.principal), std::move(call.input_responses)));
    CO_TRY(answered);
    co_return mcp::Answer(mcp::Done{});
  }
  AWAIT(Result<void> cancelled, queue->cancel(std::move(call.name), std::move(context.principal)));
  CO_TRY(cancelled);
  co_return mcp::Answer(mcp::Done{});
}

} // namespace upskill::daemon
