#include "protocol/base/utf8.h"
#include "protocol/codec/codec.h"
#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/exchange.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/requests.h"
#include "protocol/mcp/uri.h"
#include "protocol/rpc/json_text.h"

#include <algorithm>
#include <utility>

// The requests that the outside answers.
namespace upskill::mcp {
namespace {

constexpr std::size_t k_max_task_id = 256; // bytes

std::string in_quotes(std::string_view name) {
  return "`" + std::string(utf8_prefix(name, 64)) + "`";
}

void start_list(SessionState& state, Exchange& exchange, Call::Kind kind) {
  if (std::optional<std::string> cursor = cursor_parameter(exchange)) {
    Call call;
    call.kind = kind;
    call.cursor = std::move(*cursor);
    start(state, exchange, std::move(call));
  }
}

// Nothing, with the error written, where there is no such prompt.
const Prompt* prompt_of(SessionState& state, Exchange& exchange, std::string_view name) {
  const Prompt* prompt = state.server->find_prompt(name);
  if (prompt == nullptr) {
    refuse(exchange,
           rpc::k_invalid_params,
           in_quotes(name) + " is not a prompt of this server; prompts/list has them");
  }
  return prompt;
}

// A nested parameter; nothing, with the error written, where it is missing or malformed.
template <class T>
std::optional<T> decoded_parameter(SessionState& state, Exchange& exchange, std::string_view name) {
  std::string where = "params." + std::string(name);
  const rpc::Member* member = exchange.message.params.find(name);
  if (member == nullptr) {
    refuse(exchange, rpc::k_invalid_params, "`" + where + "` is missing");
    return std::nullopt;
  }
  Result<T> decoded = fail(ErrorCode::internal, "nothing was read");
  auto is_read = state.json.read(
      member->raw, where, [&](JsonReader& reader) { decoded = decode<T>(reader, where); });
  if (!is_read || !decoded) {
    refuse(exchange,
           rpc::k_invalid_params,
           is_read ? decoded.error().message : is_read.error().message);
    return std::nullopt;
  }
  return std::move(*decoded);
}

struct Reference {
  static constexpr bool k_lenient = true;
  std::string type = {};
  std::string name = {};
  std::string uri = {};

  static void describe(auto& f) {
    f.required(&Reference::type, "type", "");
    f.optional(&Reference::name, "name", "");
    f.optional(&Reference::uri, "uri", "");
  }
};

struct ArgumentSoFar {
  static constexpr bool k_lenient = true;
  std::string name = {};
  std::string value = {};

  static void describe(auto& f) {
    f.required(&ArgumentSoFar::name, "name", "");
    f.required(&ArgumentSoFar::value, "value", "");
  }
};

struct CompletionContext {
  static constexpr bool k_lenient = true;
  JsonText arguments = {};

  static void describe(auto& f) { f.optional(&CompletionContext::arguments, "arguments", ""); }
};

// What an argument belongs to, into `call`; false, with the error written, when there is no such.
bool take_reference(SessionState& state,
                    Exchange& exchange,
                    const Reference& reference,
                    Call& call) {
  if (reference.type == "ref/prompt") {
    const Prompt* prompt = prompt_of(state, exchange, reference.name);
    if (prompt == nullptr) {
      return false;
    }
    bool has_argument =
        std::any_of(prompt->arguments.begin(),
                    prompt->arguments.end(),
                    [&](const PromptArgument& argument) { return argument.name == call.argument; });
    if (!has_argument) {
      refuse(exchange,
             rpc::k_invalid_params,
             in_quotes(call.argument) + " is not an argument of the prompt " + in_quotes(prompt->name));
      return false;
    }
    call.name = prompt->name;
    return true;
  }
  if (reference.type != "ref/resource" || !state.server->offer.resources) {
    refuse(exchange,
           rpc::k_invalid_params,
           "`params.ref.type` must be `ref/prompt` or `ref/resource`");
    return false;
  }
  if (!is_uri(reference.uri)) {
    refuse(exchange,
           rpc::k_invalid_params,
           "`params.ref.uri` is not a URI template of at most 4096 bytes");
    return false;
  }
  call.uri = reference.uri;
  return true;
}

// The task that is meant, of a client that may have some; nothing, with the error written, else.
std::optional<Call> task_call(Exchange& exchange, Call::Kind kind) {
  if (!exchange.client.tasks) {
    Refusal refusal = missing_capability(std::string(k_tasks_capability));
    refuse(exchange, refusal.code, refusal.message, refusal.data);
    return std::nullopt;
  }
  std::optional<std::string> id = string_parameter(exchange, "taskId");
  if (!id) {
    return std::nullopt;
  }
  if (id->empty() || id->size() > k_max_task_id) {
    refuse(exchange, rpc::k_invalid_params, "`params.taskId` is not one that this server gave");
    return std::nullopt;
  }
  Call call;
  call.kind = kind;
  call.name = std::move(*id);
  return call;
}

void start_of_uri(SessionState& state, Exchange& exchange, Call&& call) {
  if (std::optional<std::string> uri = uri_parameter(exchange)) {
    call.uri = std::move(*uri);
    start(state, exchange, std::move(call));
  }
}

} // namespace

void call_tool(SessionState& state, Exchange& exchange) {
  std::optional<std::string> name = string_parameter(exchange, "name");
  if (!name) {
    return;
  }
  Call call;
  call.kind = Call::Kind::tool;
  call.method = state.server->find_tool(*name, state.audience);
  if (call.method == nullptr) {
    refuse(exchange,
           rpc::k_invalid_params,
           in_quotes(*name) + " is not a tool of this server; tools/list has them");
    return;
  }
  const rpc::Member* arguments = exchange.message.params.find("arguments");
  if (arguments != nullptr && arguments->kind != JsonKind::object) {
    refuse(exchange, rpc::k_invalid_params, "`params.arguments` must be an object");
    return;
  }
  if (!take_input_responses(exchange, call)) {
    return;
  }
  call.arguments =
      rpc::with_padding(arguments == nullptr ? std::string_view("{}") : arguments->raw);
  const rpc::Member* context = exchange.message.meta.find("upskill/context");
  if (context != nullptr && state.audience == Audience::people) {
    call.context = rpc::with_padding(context->raw);
  }
  call.origin = read_origin(exchange.message.meta);
  start(state, exchange, std::move(call));
}

void list_resources(SessionState& state, Exchange& exchange) {
  start_list(state, exchange, Call::Kind::list_resources);
}

void list_resource_templates(SessionState& state, Exchange& exchange) {
  start_list(state, exchange, Call::Kind::list_resource_templates);
}

void list_skills(SessionState& state, Exchange& exchange) {
  start_list(state, exchange, Call::Kind::list_skills);
}

void read_resource(SessionState& state, Exchange& exchange) {
  Call call;
  call.kind = Call::Kind::read_resource;
  if (take_input_responses(exchange, call)) {
    start_of_uri(state, exchange, std::move(call));
  }
}

void read_directory(SessionState& state, Exchange& exchange) {
  if (std::optional<std::string> cursor = cursor_parameter(exchange)) {
    Call call;
    call.kind = Call::Kind::read_directory;
    call.cursor = std::move(*cursor);
    start_of_uri(state, exchange, std::move(call));
  }
}

void get_skill(SessionState& state, Exchange& exchange) {
  Call call;
  call.kind = Call::Kind::get_skill;
  start_of_uri(state, exchange, std::move(call));
}

void get_prompt(SessionState& state, Exchange& exchange) {
  std::optional<std::string> name = string_parameter(exchange, "name");
  const Prompt* prompt = name ? prompt_of(state, exchange, *name) : nullptr;
  if (prompt == nullptr) {
    return;
  }
  const rpc::Member* arguments = exchange.message.params.find("arguments");
  std::string_view raw = arguments == nullptr ? std::string_view("{}") : arguments->raw;
  std::optional<std::vector<std::string>> given = rpc::uniform_keys(raw, JsonKind::string);
  if (!given) {
    refuse(exchange,
           rpc::k_invalid_params,
           "`params.arguments` must be an object of at most 64 strings, each key once");
    return;
  }
  for (const PromptArgument& argument : prompt->arguments) {
    if (argument.required
        && std::find(given->begin(), given->end(), argument.name) == given->end()) {
      refuse(exchange,
             rpc::k_invalid_params,
             "`params.arguments." + argument.name + "` is missing, which the prompt "
                 + in_quotes(prompt->name) + " requires");
      return;
    }
  }
  Call call;
  call.kind = Call::Kind::get_prompt;
  call.name = prompt->name;
  call.arguments = rpc::with_padding(raw);
  if (take_input_responses(exchange, call)) {
    start(state, exchange, std::move(call));
  }
}

void complete(SessionState& state, Exchange& exchange) {
  auto reference = decoded_parameter<Reference>(state, exchange, "ref");
  if (!reference) {
    return;
  }
  auto argument = decoded_parameter<ArgumentSoFar>(state, exchange, "argument");
  if (!argument) {
    return;
  }
  CompletionContext context;
  if (exchange.message.params.find("context") != nullptr) {
    auto given = decoded_parameter<CompletionContext>(state, exchange, "context");
    if (!given) {
      return;
    }
    context = std::move(*given);
  }
  Call call;
  call.kind = Call::Kind::complete;
  call.argument = std::move(argument->name);
  call.value = std::move(argument->value);
  bool is_known = !context.arguments.text.empty() && context.arguments.text != "null";
  std::string_view known = is_known ? std::string_view(context.arguments.text) : "{}";
  if (!rpc::uniform_keys(known, JsonKind::string)) {
    refuse(exchange,
           rpc::k_invalid_params,
           "`params.context.arguments` must be an object of at most 64 strings, each key once");
    return;
  }
  call.arguments = rpc::with_padding(known);
  if (take_reference(state, exchange, *reference, call)) {
    start(state, exchange, std::move(call));
  }
}

void get_task(SessionState& state, Exchange& exchange) {
  if (std::optional<Call> call = task_call(exchange, Call::Kind::get_task)) {
    start(state, exchange, std::move(*call));
  }
}

void update_task(SessionState& state, Exchange& exchange) {
  std::optional<Call> call = task_call(exchange, Call::Kind::update_task);
  if (!call || !take_input_responses(exchange, *call)) {
    return;
  }
  if (call->input_responses.empty()) {
    refuse(exchange, rpc::k_invalid_params, "`params.inputResponses` is missing");
    return;
  }
  start(state, exchange, std::move(*call));
}

void cancel_task(SessionState& state, Exchange& exchange) {
  if (std::optional<Call> call = task_call(exchange, Call::Kind::cancel_task)) {
    start(state, exchange, std::move(*call));
  }
}

} // namespace upskill::mcp
