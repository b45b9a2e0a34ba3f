#include "tests/support/test_tools.h"

#include "daemon/await.h"
#include "daemon/jobs/job_queue.h"
#include "daemon/runtime/timers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::tests {
namespace {

using daemon::RequestContext;
using nlohmann::json;

constexpr std::string_view k_name_schema =
    R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";

std::string text_argument() {
  return R"({"type":"object","properties":{"text":{"type":"string"},"wait_ms":{"type":"integer"}}})";
}

MethodInfo tool(std::string_view name, std::string_view summary) {
  return {name, {}, summary, {}, Effect::reads, Audience::agents, Pace::slow, &text_argument, [] {
            return std::string();
          }};
}

json parsed(std::string_view text) {
  json value = json::parse(text, nullptr, false);
  return value.is_object() ? value : json::object();
}

mcp::Answer said(std::string text) {
  mcp::ToolAnswer answer;
  answer.text = std::move(text);
  return answer;
}

// What is asked for at first; `topic` comes back as the state.
mcp::Answer question(const std::string& topic) {
  mcp::InputRequest request;
  request.key = "name";
  request.params = json{{"mode", "form"},
                        {"message", "Who asks about " + topic + "?"},
                        {"requestedSchema", json::parse(k_name_schema)}}
                       .dump();
  mcp::InputRequired required;
  required.requests.push_back(std::move(request));
  required.state = topic;
  return required;
}

// Both what the client answered and what it brought back.
std::string told(const RequestContext& context) {
  json answers = parsed(context.input_responses);
  std::string name = answers.value("/name/content/name"_json_pointer, std::string("nobody"));
  return name + " asked about " + context.state;
}

// A job's answer is what it was told to say.
asio::awaitable<Result<mcp::Answer>> say_text(jobs::JobRun& run) {
  co_return said(parsed(run.arguments).value("text", ""));
}

} // namespace

TestTools::TestTools(daemon::EngineContext context)
    : m_context(std::move(context))
    , m_released(m_context.io.get_executor())
    , m_infos({tool("test_echo", "Says what it is told."),
               tool("test_hold", "Says what it is told once `test_release` was called."),
               tool("test_release", "Lets go what is held."),
               tool("test_ask", "Asks who asks."),
               tool("test_ask_again", "Asks who asks, too."),
               tool("test_task", "Says what it is told as a task.")}) {}

void TestTools::bind(daemon::Binder& binder) {
  auto ask = [](std::string arguments, RequestContext context) -> Reply {
    if (context.state.empty()) {
      co_return question(parsed(arguments).value("text", ""));
    }
    co_return said(told(context));
  };
  std::vector<daemon::Binder::ToolHandler> handlers{
      [this](std::string a, RequestContext c) { return echo(std::move(a), std::move(c)); },
      [this](std::string a, RequestContext c) { return hold(std::move(a), std::move(c)); },
      [this](std::string a, RequestContext c) { return release(std::move(a), std::move(c)); },
      ask,
      ask,
      [this](std::string a, RequestContext c) { return begin_task(std::move(a), std::move(c)); }};
  for (std::size_t i = 0; i < m_infos.size(); ++i) {
    binder.on_tool(m_infos[i], handlers[i]);
  }
}

// Progress and a log message come first, with the same text.
TestTools::Reply TestTools::echo(std::string arguments, RequestContext context) {
  json given = parsed(arguments);
  std::string text = given.value("text", "");
  m_context.counters.at("test.echoed") += 1;
  context.progress(1, 2, text);
  context.log(mcp::LogLevel::error, "test", json(text).dump());
  auto pause =
      std::chrono::milliseconds(std::clamp<std::int64_t>(given.value("wait_ms", 0), 0, 60'000));
  AWAIT_DONE(runtime::wait_for(pause));
  context.progress(2, 2, text);
  co_return said(text);
}

TestTools::Reply TestTools::hold(std::string arguments, RequestContext context) {
  std::string text = parsed(arguments).value("text", "");
  context.progress(1, 2, text);
  AWAIT_DONE(released());
  co_return said(text);
}

asio::awaitable<void> TestTools::released() {
  m_context.counters.at("test.held") += 1;
  std::exception_ptr failure;
  try {
    while (!m_is_released) {
      AWAIT_DONE(m_released.wait());
      // A cancelled wait returns, and this throws.
      AWAIT_DONE(runtime::wait_for(std::chrono::milliseconds(0)));
    }
  } catch (...) {
    failure = std::current_exception();
  }
  m_context.counters.at("test.held") -= 1;
  if (failure) {
    m_context.counters.at("test.cut_off") += 1;
    std::rethrow_exception(failure);
  }
}

TestTools::Reply TestTools::release(std::string, RequestContext) {
  m_is_released = true;
  m_released.notify_all();
  co_return said("released");
}

TestTools::Reply TestTools::begin_task(std::string arguments, RequestContext context) {
  if (!context.accepts_task || m_context.jobs == nullptr) {
    co_return mcp::missing_capability(R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})");
  }
  jobs::JobStart start;
  start.owner = context.principal;
  start.tool = "test_task";
  start.arguments = std::move(arguments);
  start.work = &say_text;
  AWAIT(Result<std::string> id, m_context.jobs->begin(std::move(start)));
  CO_TRY(id);
  AWAIT(Result<jobs::Job> job, m_context.jobs->find(*id, context.principal));
  CO_TRY(job);
  co_return mcp::Answer(jobs::task_status(*job));
}

asio::awaitable<Result<mcp::Answer>> TestTools::read_asking(std::string uri,
                                                            RequestContext context) {
  if (context.state.empty()) {
    co_return question(uri);
  }
  co_return mcp::Answer(mcp::ResourceContents{uri, "text/plain", told(context), true});
}

std::vector<mcp::Prompt> TestTools::prompts() const {
  return {{"test_prompt", "", "Says its argument.", {{"text", "", "What it says.", true}}},
          {"test_asking_prompt", "", "Asks who asks.", {{"text", "", "The topic.", true}}}};
}

asio::awaitable<Result<mcp::Answer>>
TestTools::get(std::string prompt, std::string arguments, RequestContext context) {
  std::string text = parsed(arguments).value("text", "");
  if (prompt == "test_asking_prompt" && context.state.empty()) {
    co_return question(text);
  }
  mcp::PromptMessages messages;
  messages.contents.push_back(
      mcp::text_block(prompt == "test_asking_prompt" ? told(context) : text));
  co_return mcp::Answer(std::move(messages));
}

asio::awaitable<Result<mcp::Completion>>
TestTools::complete(std::string, std::string, std::string value, std::string, RequestContext) {
  mcp::Completion completion;
  completion.values.push_back(value.substr(0, 100));
  completion.total = 1;
  co_return completion;
}

} // namespace upskill::tests
