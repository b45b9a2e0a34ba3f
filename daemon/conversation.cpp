#include "daemon/conversation.h"

#include "daemon/request_states.h"
#include "daemon/telemetry/redact.h"
#include "protocol/base/hash.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/version.h"
#include "protocol/rpc/message.h"
#include "protocol/rpc/simdjson_reader.h"

#include <fmt/core.h>

#include <array>
#include <utility>

// Calls: quick ones are answered on the spot, slow ones are tasks.
namespace upskill::daemon {
namespace {

// In which progress of a call is reported k_max_reports times.
constexpr auto k_window = std::chrono::seconds(1);
// Of one client: those in flight, and as many again that go on although they were cancelled.
constexpr std::size_t k_max_tasks = 2 * k_max_calls_in_flight;

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

// Of the catalogue, or of what the server offers beside it: it outlives the call.
std::string_view name_of(const mcp::Call& call) {
  using Kind = mcp::Call::Kind;
  switch (call.kind) {
  case Kind::tool:
    return call.method->name;
  case Kind::list_resources:
    return "resources/list";
  case Kind::list_resource_templates:
    return "resources/templates/list";
  case Kind::read_resource:
    return "resources/read";
  case Kind::read_directory:
    return "resources/directory/read";
  case Kind::list_skills:
    return "skills/list";
  case Kind::get_skill:
    return "skills/get";
  case Kind::get_prompt:
    return "prompts/get";
  case Kind::complete:
    return "completion/complete";
  case Kind::get_task:
    return "tasks/get";
  case Kind::update_task:
    return "tasks/update";
  case Kind::cancel_task:
    return "tasks/cancel";
  }
  return "";
}

bool may_ask(mcp::Call::Kind kind) {
  return kind == mcp::Call::Kind::tool || kind == mcp::Call::Kind::get_prompt
         || kind == mcp::Call::Kind::read_resource;
}

// What a request's state is bound to: who asks, and for what.
std::string binding_of(const mcp::Call& call, std::string_view principal) {
  Sha256 all;
  all.update_framed(principal);
  all.update_framed(name_of(call));
  all.update_framed(call.name);
  all.update_framed(call.uri);
  all.update_framed(call.arguments);
  return all.finish().hex();
}

} // namespace

Conversation::Conversation(Services& services,
                           Carrier& carrier,
                           std::uint64_t number,
                           mcp::Session protocol,
                           std::string principal)
    : m_services(services)
    , m_carrier(carrier)
    , m_number(number)
    , m_client(number)
    , m_protocol(std::move(protocol))
    , m_principal(std::move(principal))
    , m_tasks(services.io.get_executor(), [&services, number](std::exception_ptr) {
      services.log.error("session {}: a call ended without an answer", number);
    }) {}

Conversation::~Conversation() = default;

void Conversation::replace(mcp::Session protocol, std::string principal, AgentPlace place) {
  m_protocol = std::move(protocol);
  m_principal = std::move(principal);
  m_place = std::move(place);
}

void Conversation::take(mcp::Outcome& outcome) {
  // Taken out of the shared outcome first: a call that ends at once may lead anywhere.
  std::vector<mcp::Call> calls = std::exchange(outcome.calls, {});
  std::vector<mcp::CallId> cancelled = std::exchange(outcome.cancelled, {});
  for (mcp::Call& call : calls) {
    start(std::move(call), outcome.output);
  }
  for (mcp::CallId id : cancelled) {
    cancel(id);
  }
}

void Conversation::start(mcp::Call call, std::string& output) {
  m_services.calls.fetch_add(1, std::memory_order_relaxed);
  Result<CallContext> caller = decode_context(call.context);
  if (!caller) {
    answer(call.id, "", tl::make_unexpected(std::move(caller).error()), output);
    return;
  }
  RequestContext context = context_of(call, std::move(*caller));
  call.context = {};
  if (call.kind == mcp::Call::Kind::tool && m_services.binder.is_quick(*call.method)) {
    answer_quickly(call, context, output);
    return;
  }
  if (m_tasks.size() >= k_max_tasks) {
    m_calls.erase(call.id);
    mcp::Refusal refusal{mcp::k_busy, "calls that were cancelled have not ended yet; wait", {}};
    answer(call.id, "", mcp::Answer(std::move(refusal)), output);
    return;
  }
  std::string binding = may_ask(call.kind) ? binding_of(call, m_principal) : std::string();
  if (!call.request_state.empty()) {
    Result<std::string> state =
        m_services.states.open(call.request_state, binding, runtime::Clock::now());
    if (!state) {
      m_calls.erase(call.id);
      mcp::Refusal refusal{rpc::k_invalid_params, state.error().message, {}};
      answer(call.id, "", mcp::Answer(std::move(refusal)), output);
      return;
    }
    context.state = std::move(*state);
  }
  mcp::CallId id = call.id;
  RunningCall& running = m_calls[id];
  running.client_id = call.client_id;
  running.answer_limit.reset();
  context.stopping = running.stopping.get_token();
  context.release = [this, id] {
    if (has(id)) {
      m_carrier.release(id);
    }
  };
  if (call.wants_progress) {
    context.progress = [this, id](double done, std::optional<double> total, std::string_view text) {
      report_progress(id, done, total, text);
    };
  }
  if (call.wants_log) {
    context.log = [this, id](mcp::LogLevel level, std::string_view logger, std::string_view data) {
      report_log(id, level, logger, data);
    };
  }
  m_ids_have_changed = true;
  runtime::TaskId task =
      m_tasks.start(run(std::move(call), std::move(context), std::move(binding)));
  auto found = m_calls.find(id);
  if (found != m_calls.end() && !found->second.answer_limit) { // it may have ended already
    found->second.task = task;
  }
}

RequestContext Conversation::context_of(mcp::Call& call, CallContext caller) {
  RequestContext context;
  context.id = fmt::format("{}.{}", m_number, call.id);
  context.client_number = m_client;
  context.caller = std::move(caller);
  if (call.kind != mcp::Call::Kind::update_task) { // which is about another call's questions
    context.input_responses = std::move(call.input_responses);
  }
  context.client = call.client;
  context.accepts_task = call.accepts_task;
  context.origin = std::move(call.origin);
  context.place = m_place;
  context.principal = m_principal;
  return context;
}

void Conversation::answer_quickly(const mcp::Call& call,
                                  RequestContext& context,
                                  std::string& output) {
  bool is_watched =
      m_services.trace != nullptr || m_services.log.shows(telemetry::LogLevel::verbose);
  Time start = is_watched ? runtime::Clock::now() : Time();
  Result<mcp::ToolAnswer> result =
      m_services.binder.call_quick(*call.method, call.arguments, context);
  if (is_watched) {
    note_end(name_of(call), context.id, start, result ? nullptr : &result.error());
  }
  if (result) {
    answer(call.id, name_of(call), mcp::Answer(std::move(*result)), output);
  } else {
    answer(call.id, name_of(call), tl::make_unexpected(std::move(result).error()), output);
  }
}

asio::awaitable<void>
Conversation::run(mcp::Call call, RequestContext context, std::string binding) {
  mcp::CallId id = call.id;
  std::string_view name = name_of(call);
  std::string request = context.id;
  // Until this frame goes: what cannot be cut short goes on after the call was cancelled.
  std::array held{call.held, call.held_answers};
  Time start = runtime::Clock::now();
  // Not a copy: its arguments may have 16 MiB.
  auto task = m_services.binder.guarded(ask(std::move(call), std::move(context)), request);
  Result<mcp::Answer> answer = co_await std::move(task);
  note_end(name, request, start, answer ? nullptr : &answer.error());
  if (answer && std::holds_alternative<mcp::InputRequired>(*answer)) {
    auto& required = std::get<mcp::InputRequired>(*answer);
    if (!required.state.empty()) {
      required.state = m_services.states.seal(required.state, binding, runtime::Clock::now());
    }
  }
  ended(id, name, std::move(answer));
}

void Conversation::ended(mcp::CallId id, std::string_view name, Result<mcp::Answer> result) {
  auto found = m_calls.find(id);
  if (found == m_calls.end()) {
    m_carrier.task_ended(); // cancelled: nobody waits for it
    return;
  }
  std::string output;
  answer(id, name, std::move(result), output);
  if (m_protocol.is_asking(id)) {
    found->second.task.reset();
    found->second.answer_limit = runtime::Clock::now() + k_answer_limit;
    m_carrier.say(id, output);
    return;
  }
  m_calls.erase(found);
  m_ids_have_changed = true;
  m_carrier.finish(id, output);
}

// The client of a call that fails with -32603 is told that the log has more.
void Conversation::answer(mcp::CallId id,
                          std::string_view name,
                          Result<mcp::Answer> result,
                          std::string& output) {
  if (std::optional<Error> fault = m_protocol.answer(id, std::move(result), output)) {
    m_services.log.error("call {}.{}: {} failed ({}): {}",
                         m_number,
                         id,
                         name,
                         to_string(fault->code),
                         telemetry::loggable(fault->message));
  }
}

void Conversation::cancel(mcp::CallId id) {
  auto found = m_calls.find(id);
  if (found == m_calls.end()) {
    return;
  }
  RunningCall call = std::move(found->second);
  m_calls.erase(found);
  m_ids_have_changed = true;
  call.stopping.request_stop();
  if (call.task) {
    m_tasks.cancel(*call.task);
  }
}

void Conversation::abandon() {
  for (auto& [id, call] : m_calls) {
    call.stopping.request_stop();
  }
  m_calls.clear();
  m_tasks.cancel_all();
}

std::vector<std::string_view> Conversation::client_ids() const {
  std::vector<std::string_view> ids;
  ids.reserve(m_calls.size());
  for (const auto& [id, call] : m_calls) {
    ids.push_back(call.client_id);
  }
  return ids;
}

bool Conversation::tick(Time now) {
  std::vector<mcp::CallId> late;
  bool waits = false;
  for (const auto& [id, call] : m_calls) {
    if (call.answer_limit) {
      (now >= *call.answer_limit ? late.push_back(id) : void(waits = true));
    }
  }
  for (mcp::CallId id : late) {
    m_calls.erase(id);
    m_ids_have_changed = true;
    std::string output;
    m_protocol.answer(id,
                      fail(ErrorCode::timed_out,
                           "nobody answered what was asked within an hour",
                           "make the call again"),
                      output);
    m_carrier.finish(id, output);
  }
  return waits;
}

void Conversation::report_progress(mcp::CallId id,
                                   double done,
                                   std::optional<double> total,
                                   std::string_view message) {
  auto found = m_calls.find(id);
  Time now = runtime::Clock::now();
  bool is_last = total && done >= *total;
  if (found == m_calls.end() || !m_carrier.has_room(id)) {
    return;
  }
  RunningCall& call = found->second;
  if (now - call.window >= k_window) {
    call.window = now;
    call.reports = 0;
  }
  if (!is_last && call.reports >= k_max_reports) {
    return;
  }
  ++call.reports;
  std::string output;
  m_protocol.progress(id, done, total, message, output);
  m_carrier.say(id, output);
}

void Conversation::report_log(mcp::CallId id,
                              mcp::LogLevel level,
                              std::string_view logger,
                              std::string_view data) {
  auto found = m_calls.find(id);
  if (found == m_calls.end() || !m_carrier.has_room(id) || found->second.logs == k_max_logs) {
    return;
  }
  ++found->second.logs;
  std::string output;
  m_protocol.log(id, level, logger, data, output);
  if (!output.empty()) {
    m_carrier.say(id, output);
  }
}

void Conversation::note_end(std::string_view name,
                            const std::string& request,
                            Time start,
                            const Error* error) {
  Time end = runtime::Clock::now();
  if (m_services.trace != nullptr) {
    m_services.trace->span("call", name, request, start, end);
  }
  if (m_services.log.shows(telemetry::LogLevel::verbose)) {
    m_services.log.verbose(
        "call {}: {} took {} us{}{}",
        request,
        name,
        std::chrono::duration_cast<std::chrono::microseconds>(end - start).count(),
        error == nullptr ? "" : ": ",
        error == nullptr ? "" : error->message);
  }
}

} // namespace upskill::daemon
