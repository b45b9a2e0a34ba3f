#include "protocol/mcp/requests.h"

#include "protocol/base/utf8.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/tools.h"
#include "protocol/mcp/uri.h"
#include "protocol/rpc/json_text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace upskill::mcp {
namespace {

constexpr std::size_t k_max_cursor = 1024; // bytes

void refuse(Exchange& exchange, int code, std::string_view text, std::string_view data = {}) {
  write_error(exchange.output, exchange.message.id, code, text, data);
}

// A parameter that must be a string; nothing, with the error written, when it is not there.
std::optional<std::string> string_parameter(Exchange& exchange, std::string_view name) {
  const rpc::Member* member = exchange.message.params.find(name);
  if (member == nullptr || member->kind != JsonKind::string) {
    refuse(exchange,
           rpc::k_invalid_params,
           "`params." + std::string(name) + (member ? "` must be a string" : "` is missing"));
    return std::nullopt;
  }
  return rpc::string_value(member->raw);
}

std::optional<std::string> cursor_parameter(Exchange& exchange) {
  if (exchange.message.params.find("cursor") == nullptr) {
    return std::string();
  }
  std::optional<std::string> cursor = string_parameter(exchange, "cursor");
  if (cursor && cursor->size() > k_max_cursor) {
    refuse(exchange, rpc::k_invalid_params, "`params.cursor` is not one that this server gave");
    return std::nullopt;
  }
  return cursor;
}

// Gives a call to the outside, unless the client has too many in flight.
void start(SessionState& state, Exchange& exchange, Call call, CallNote note) {
  const rpc::Message& message = exchange.message;
  const rpc::Member* token = message.meta.find("progressToken");
  if (token != nullptr
      && ((token->kind != JsonKind::string && token->kind != JsonKind::integer)
          || token->raw.size() > rpc::k_max_id_bytes)) {
    refuse(exchange,
           rpc::k_invalid_params,
           "`params._meta.progressToken` must be a string or an integer of at most 1024 bytes");
    return;
  }
  note.version = exchange.version;
  note.kind = call.kind;
  note.batch = exchange.batch;
  auto begun = state.peer.begin(
      message.id, token == nullptr ? std::string_view{} : token->raw, std::move(note));
  if (!begun) {
    // A duplicate id was refused before the method was looked at.
    refuse(exchange, k_busy, "256 calls of this client are in flight; wait for one to end");
    return;
  }
  if (exchange.batch != 0) {
    state.batches.expect(exchange.batch);
  }
  call.id = *begun;
  call.client_id = message.id;
  call.wants_progress = token != nullptr;
  exchange.out.calls.push_back(std::move(call));
}

void initialize(SessionState& state, Exchange& exchange) {
  if (exchange.batch != 0) {
    refuse(exchange, rpc::k_invalid_request, "`initialize` may not be part of a batch");
    return;
  }
  std::optional<std::string> requested = string_parameter(exchange, "protocolVersion");
  if (!requested) {
    return;
  }
  state.era = Era::legacy;
  state.legacy = negotiate(*requested);
  exchange.out.state_changed = true;
  write_result(exchange.output, exchange.message.id, state.server->initialize(*state.legacy));
}

void ping(SessionState&, Exchange& exchange) {
  write_result(exchange.output, exchange.message.id, "{}");
}

// Accepted and without effect: no log message is ever sent to a client.
void set_level(SessionState&, Exchange& exchange) {
  static constexpr std::array<std::string_view, 8> k_levels{
      "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};
  std::optional<std::string> level = string_parameter(exchange, "level");
  if (!level) {
    return;
  }
  if (std::find(k_levels.begin(), k_levels.end(), *level) == k_levels.end()) {
    refuse(exchange, rpc::k_invalid_params, "`params.level` is not a log level of MCP");
    return;
  }
  write_result(exchange.output, exchange.message.id, "{}");
}

void discover(SessionState& state, Exchange& exchange) {
  write_result(exchange.output, exchange.message.id, state.server->discover());
}

void list_tools(SessionState& state, Exchange& exchange) {
  std::optional<std::string> cursor = cursor_parameter(exchange);
  if (!cursor) {
    return;
  }
  const auto& pages = state.server->tools(exchange.version, state.audience);
  std::optional<std::size_t> page = page_from_cursor(*cursor);
  if (!page || *page >= pages.size()) {
    refuse(exchange, rpc::k_invalid_params, "`params.cursor` is not one that this server gave");
    return;
  }
  write_result(exchange.output, exchange.message.id, pages[*page]);
}

void call_tool(SessionState& state, Exchange& exchange) {
  std::optional<std::string> name = string_parameter(exchange, "name");
  if (!name) {
    return;
  }
  Call call;
  call.kind = Call::Kind::tool;
  call.method = find_method(*name);
  if (call.method == nullptr) {
    refuse(exchange,
           rpc::k_invalid_params,
           "`" + std::string(utf8_prefix(*name, 64))
               + "` is not a tool of this server; tools/list has them");
    return;
  }
  const rpc::Member* arguments = exchange.message.params.find("arguments");
  if (arguments != nullptr && arguments->kind != JsonKind::object) {
    refuse(exchange, rpc::k_invalid_params, "`params.arguments` must be an object");
    return;
  }
  std::string_view raw = arguments == nullptr ? std::string_view("{}") : arguments->raw;
  call.arguments.reserve(raw.size() + rpc::k_json_padding);
  call.arguments = raw;
  const rpc::Member* context = exchange.message.meta.find("upskill/context");
  if (context != nullptr && state.audience == Audience::people) {
    call.context.reserve(context->raw.size() + rpc::k_json_padding);
    call.context = context->raw;
  }
  start(state, exchange, std::move(call), {});
}

template <Call::Kind kind> void list_resources(SessionState& state, Exchange& exchange) {
  if (std::optional<std::string> cursor = cursor_parameter(exchange)) {
    Call call;
    call.kind = kind;
    call.cursor = std::move(*cursor);
    start(state, exchange, std::move(call), {});
  }
}

void read_resource(SessionState& state, Exchange& exchange) {
  if (std::optional<std::string> uri = uri_parameter(exchange)) {
    Call call;
    call.kind = Call::Kind::read_resource;
    call.uri = *uri;
    CallNote note;
    note.uri = std::move(*uri);
    start(state, exchange, std::move(call), std::move(note));
  }
}

constexpr std::array<Request, 12> k_requests{{
    {"tools/call", Spoken::both, &call_tool},
    {"tools/list", Spoken::both, &list_tools},
    {"resources/list", Spoken::both, &list_resources<Call::Kind::list_resources>},
    {"resources/templates/list",
     Spoken::both,
     &list_resources<Call::Kind::list_resource_templates>},
    {"resources/read", Spoken::both, &read_resource},
    {"server/discover", Spoken::modern, &discover},
    {"subscriptions/listen", Spoken::modern, &listen},
    {"initialize", Spoken::legacy, &initialize},
    {"ping", Spoken::legacy, &ping},
    {"logging/setLevel", Spoken::legacy, &set_level},
    {"resources/subscribe", Spoken::legacy, &subscribe},
    {"resources/unsubscribe", Spoken::legacy, &unsubscribe},
}};

} // namespace

const Request* find_request(std::string_view method) {
  for (const Request& request : k_requests) {
    if (request.method == method) {
      return &request;
    }
  }
  return nullptr;
}

std::optional<std::string> uri_parameter(Exchange& exchange) {
  std::optional<std::string> uri = string_parameter(exchange, "uri");
  if (uri && !is_uri(*uri)) {
    refuse(exchange, rpc::k_invalid_params, "`params.uri` is not a URI of at most 4096 bytes");
    return std::nullopt;
  }
  return uri;
}

} // namespace upskill::mcp
