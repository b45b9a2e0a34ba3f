#include "daemon/session.h"
#include "daemon/sessions.h"
#include "protocol/rpc/simdjson_reader.h"

#include <fmt/core.h>

#include <algorithm>

// Calls: quick ones are answered on the spot, slow ones are tasks of the session.
namespace upskill::daemon {
namespace {

constexpr auto k_progress_pause = std::chrono::milliseconds(100);

Result<CallContext> decode_context(const std::string& text) {
  if (text.empty()) {
    return CallContext{};
  }
  Result<CallContext> decoded = CallContext{};
  rpc::JsonParser parser;
  TRY(parser.read(text, "`upskill/context`", [&](JsonReader& reader) {
    decoded = decode<CallContext>(reader, "upskill/context");
  }));
  return decoded;
}

template <class T> Result<mcp::Answer> as_answer(Result<T> result) {
  if (!result) {
    return tl::make_unexpected(std::move(result).error());
  }
  return mcp::Answer(std::move(*result));
}

std::string_view name_of(const mcp::Call& call) {
  switch (call.kind) {
  case mcp::Call::Kind::tool:
    return call.method->name;
  case mcp::Call::Kind::list_resources:
    return "resources/list";
  case mcp::Call::Kind::list_resource_templates:
    return "resources/templates/list";
  case mcp::Call::Kind::read_resource:
    return "resources/read";
  }
  return "";
}

} // namespace

void ClientSession::start_call(mcp::Call call, std::string& output) {
  m_services.calls.fetch_add(1, std::memory_order_relaxed);
  RequestContext context;
  context.id = fmt::format("{}.{}", m_number, call.id);
  Result<CallContext> caller = decode_context(call.context);
  if (!caller) {
    m_protocol.answer(call.id, tl::make_unexpected(std::move(caller).error()), output);
    return;
  }
  context.caller = std::move(*caller);
  call.context.clear();
  if (call.kind == mcp::Call::Kind::tool && m_services.binder.is_quick(*call.method)) {
    answer_quickly(call, context, output);
    return;
  }
  mcp::CallId id = call.id;
  RunningCall& running = m_calls[id];
  running.client_id = call.client_id;
  context.stopping = running.stopping.get_token();
  if (call.wants_progress) {
    context.progress = [this, id](double done, std::optional<double> total, std::string_view text) {
      report_progress(id, done, total, text);
    };
  }
  m_ids_are_stale = true;
  runtime::TaskId task = m_tasks.start(run_call(std::move(call), std::move(context)));
  auto found = m_calls.find(id);
  if (found != m_calls.end()) { // it may have ended already
    found->second.task = task;
  }
}

void ClientSession::answer_quickly(const mcp::Call& call,
                                   RequestContext& context,
                                   std::string& output) {
  bool is_watched =
      m_services.trace != nullptr || m_services.log.shows(telemetry::LogLevel::verbose);
  Time start = is_watched ? runtime::Clock::now() : Time();
  Result<mcp::ToolAnswer> answer =
      m_services.binder.call_quick(*call.method, call.arguments, context);
  if (is_watched) {
    call_ended(call, context.id, start, answer ? nullptr : &answer.error());
  }
  m_protocol.answer(call.id, as_answer(std::move(answer)), output);
}

// A call that was running when a daemon before us died: it is answered, but not run again.
void ClientSession::forget_call(const mcp::Call& call, std::string& output) {
  if (std::find(m_lost.begin(), m_lost.end(), call.client_id) == m_lost.end()) {
    m_protocol.answer_lost(call.client_id, output);
  }
  std::string nobody_reads_this;
  m_protocol.answer(call.id, fail(ErrorCode::cancelled, "lost"), nobody_reads_this);
}

asio::awaitable<void> ClientSession::run_call(mcp::Call call, RequestContext context) {
  mcp::CallId id = call.id;
  std::string request = context.id;
  Time start = runtime::Clock::now();
  mcp::Call asked = call;
  auto task = m_services.binder.guarded(ask(std::move(asked), std::move(context)), request);
  Result<mcp::Answer> answer = co_await std::move(task);
  call_ended(call, request, start, answer ? nullptr : &answer.error());
  finish_call(id, std::move(answer));
}

asio::awaitable<Result<mcp::Answer>> ClientSession::ask(mcp::Call call, RequestContext context) {
  if (call.kind == mcp::Call::Kind::tool) {
    auto task =
        m_services.binder.call_slow(*call.method, std::move(call.arguments), std::move(context));
    Result<mcp::ToolAnswer> answer = co_await std::move(task);
    co_return as_answer(std::move(answer));
  }
  ResourceBackend* resources = m_services.resources;
  if (resources == nullptr) {
    co_return fail(ErrorCode::unsupported, "this daemon has no resources");
  }
  if (call.kind == mcp::Call::Kind::list_resources) {
    auto task = resources->list(std::move(call.cursor), std::move(context));
    Result<mcp::ResourcePage> answer = co_await std::move(task);
    co_return as_answer(std::move(answer));
  }
  if (call.kind == mcp::Call::Kind::list_resource_templates) {
    auto task = resources->list_templates(std::move(call.cursor), std::move(context));
    Result<mcp::ResourceTemplatePage> answer = co_await std::move(task);
    co_return as_answer(std::move(answer));
  }
  auto task = resources->read(std::move(call.uri), std::move(context));
  Result<mcp::ResourceContents> answer = co_await std::move(task);
  co_return as_answer(std::move(answer));
}

void ClientSession::finish_call(mcp::CallId id, Result<mcp::Answer> answer) {
  if (m_calls.erase(id) == 0) {
    changed(); // cancelled: nobody waits for it
    return;
  }
  std::string output;
  m_protocol.answer(id, std::move(answer), output);
  Next next = write_or_keep(output);
  record();
  if (next == Next::write) {
    write_pending();
  }
  if (output.size() > SessionMemory::k_max_output / 64) {
    m_is_large = true;
    m_sessions.wants_tick();
  }
  close_when_drained();
  changed();
}

void ClientSession::cancel_call(mcp::CallId id) {
  auto found = m_calls.find(id);
  if (found == m_calls.end()) {
    return;
  }
  RunningCall call = std::move(found->second);
  m_calls.erase(found);
  m_ids_are_stale = true;
  call.stopping.request_stop();
  if (call.task) {
    m_tasks.cancel(*call.task);
  }
}

void ClientSession::report_progress(mcp::CallId id,
                                    double done,
                                    std::optional<double> total,
                                    std::string_view message) {
  auto found = m_calls.find(id);
  Time now = runtime::Clock::now();
  bool is_last = total && done >= *total;
  if (found == m_calls.end() || is_backed_up()
      || (!is_last && now - found->second.last_progress < k_progress_pause)) {
    return;
  }
  found->second.last_progress = now;
  std::string output;
  m_protocol.progress(id, done, total, message, output);
  send(output);
}

void ClientSession::call_ended(const mcp::Call& call,
                               const std::string& request,
                               Time start,
                               const Error* error) {
  Time end = runtime::Clock::now();
  if (m_services.trace != nullptr) {
    m_services.trace->span("call", name_of(call), request, start, end);
  }
  if (m_services.log.shows(telemetry::LogLevel::verbose)) {
    m_services.log.verbose(
        "call {}: {} took {} us{}{}",
        request,
        name_of(call),
        std::chrono::duration_cast<std::chrono::microseconds>(end - start).count(),
        error == nullptr ? "" : ": ",
        error == nullptr ? "" : error->message);
  }
}

} // namespace upskill::daemon
