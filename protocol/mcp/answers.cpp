#include "protocol/mcp/bodies.h"
#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/session_state.h"

namespace upskill::mcp {
namespace {

using Reply = rpc::Reply<CallNote>;

// Resources and skills follow the files of the user, and change notices tell when.
constexpr CacheHint k_files_cache{0, "private"};

// Null for results that may not say how long they hold (MCP facts, section 3: Cacheable).
const CacheHint* cache_of(Call::Kind kind) {
  switch (kind) {
  case Call::Kind::list_resources:
  case Call::Kind::list_resource_templates:
  case Call::Kind::read_resource:
  case Call::Kind::list_skills:
  case Call::Kind::get_skill:
    return &k_files_cache;
  default:
    return nullptr;
  }
}

int code_in(const Error& error, Version version, Call::Kind kind) {
  bool is_unknown_resource = error.code == ErrorCode::not_found && kind == Call::Kind::read_resource
                             && !is_modern(version);
  return is_unknown_resource ? k_resource_not_found : code_of(error);
}

// What was answered as -32603; see Session::answer.
using Fault = std::optional<Error>;

Fault write_protocol_error(const Reply& reply, const Error& error, std::string& output) {
  std::string data;
  if (!reply.note().uri.empty() || !error.hint.empty()) {
    JsonWriter json(data);
    json.begin_object();
    if (!reply.note().uri.empty()) {
      json.field("uri", reply.note().uri);
    }
    if (!error.hint.empty()) {
      json.field("hint", error.hint);
    }
    json.end_object();
  }
  int code = code_in(error, reply.note().version, reply.note().kind);
  write_error(output, reply.id(), code, error.message, data);
  return code == rpc::k_internal_error ? Fault(error) : std::nullopt;
}

// For our own clients, whose exit code depends on the kind of the error: a result with `isError`
// has no place for it but `_meta`.
std::string meta_with_error(std::string_view server_meta, const Error& error) {
  std::string meta(server_meta.substr(0, server_meta.size() - 1));
  meta += R"(,"upskill/error":)";
  JsonWriter json(meta);
  json.begin_object();
  json.field("code", to_string(error.code));
  json.field("message", error.message);
  json.field("hint", error.hint);
  json.end_object();
  meta += '}';
  return meta;
}

Fault write_tool_error(const SessionState& state,
                       const Reply& reply,
                       const Error& error,
                       std::string& output) {
  Version version = reply.note().version;
  bool is_protocol_error =
      error.code == ErrorCode::internal
      || (error.code == ErrorCode::invalid_argument && !has_visible_argument_errors(version));
  if (is_protocol_error) {
    return write_protocol_error(reply, error, output);
  }
  ResultWriter result(output, reply.id(), version);
  write_failed_tool(result.json(), error);
  result.finish(state.audience == Audience::people ? meta_with_error(state.server->meta, error)
                                                   : state.server->meta);
  return std::nullopt;
}

template <class... T> bool is_one_of(const Answer& answer) {
  return (std::holds_alternative<T>(answer) || ...);
}

bool answers(const Answer& answer, const CallNote& note) {
  switch (note.kind) {
  case Call::Kind::tool:
    return is_one_of<ToolAnswer, InputRequired>(answer)
           || (note.accepts_task && is_one_of<TaskStatus>(answer));
  case Call::Kind::list_resources:
    return is_one_of<ResourcePage>(answer);
  case Call::Kind::list_resource_templates:
    return is_one_of<ResourceTemplatePage>(answer);
  case Call::Kind::read_resource:
    return is_one_of<ResourceContents, InputRequired>(answer);
  case Call::Kind::read_directory:
    return is_one_of<DirectoryPage>(answer);
  case Call::Kind::list_skills:
    return is_one_of<SkillPage>(answer);
  case Call::Kind::get_skill:
    return is_one_of<SkillEntry>(answer);
  case Call::Kind::get_prompt:
    return is_one_of<PromptMessages, InputRequired>(answer);
  case Call::Kind::complete:
    return is_one_of<Completion>(answer);
  case Call::Kind::get_task:
    return is_one_of<TaskStatus>(answer);
  case Call::Kind::update_task:
  case Call::Kind::cancel_task:
    return is_one_of<Done>(answer);
  }
  return false;
}

void write_refusal(const Reply& reply, const Refusal& refusal, std::string& output) {
  write_error(output, reply.id(), refusal.code, refusal.message, refusal.data);
}

// The modern way to ask: the client makes the request again.
Fault write_input_required(const SessionState& state,
                           const Reply& reply,
                           const InputRequired& required,
                           std::string& output) {
  if (std::string fault = fault_of(required); !fault.empty()) {
    return write_protocol_error(reply, {ErrorCode::internal, std::move(fault)}, output);
  }
  if (std::string missing = missing_for(required, reply.note().client); !missing.empty()) {
    write_refusal(reply, missing_capability(std::move(missing)), output);
    return std::nullopt;
  }
  ResultWriter result(output, reply.id(), reply.note().version, "input_required");
  if (!required.requests.empty()) {
    write_input_requests(result.json(), required.requests);
  }
  if (!required.state.empty()) {
    result.json().field("requestState", required.state);
  }
  result.finish(state.server->meta);
  return std::nullopt;
}

} // namespace

std::optional<Error> write_answer(const SessionState& state,
                                  const Reply& reply,
                                  const Result<Answer>& answer,
                                  std::string& output) {
  const CallNote& note = reply.note();
  if (!answer) {
    return note.kind == Call::Kind::tool ? write_tool_error(state, reply, answer.error(), output)
                                         : write_protocol_error(reply, answer.error(), output);
  }
  if (const auto* refusal = std::get_if<Refusal>(&*answer)) {
    write_refusal(reply, *refusal, output);
    return std::nullopt;
  }
  if (!answers(*answer, note)) {
    return write_protocol_error(
        reply, {ErrorCode::internal, "the answer is of another kind"}, output);
  }
  if (const auto* required = std::get_if<InputRequired>(&*answer)) {
    return write_input_required(state, reply, *required, output);
  }
  bool is_new_task = note.kind == Call::Kind::tool && std::holds_alternative<TaskStatus>(*answer);
  ResultWriter result(output, reply.id(), note.version, is_new_task ? "task" : k_complete);
  write_body(result.json(), *answer, note);
  result.finish(state.server->meta, cache_of(note.kind));
  return std::nullopt;
}

Refusal missing_capability(std::string required) {
  return {k_missing_capability,
          "the client has not declared a capability that this call needs",
          R"({"requiredCapabilities":)" + required + "}"};
}

std::string text_block(std::string_view text) {
  return R"({"type":"text","text":)" + json_string(text) + "}";
}

} // namespace upskill::mcp
