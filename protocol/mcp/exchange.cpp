#include "protocol/mcp/exchange.h"

#include "protocol/base/mcp_bounds.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/pages.h"
#include "protocol/mcp/uri.h"
#include "protocol/rpc/json_text.h"

#include <memory>
#include <utility>

namespace upskill::mcp {
namespace {

constexpr std::string_view k_not_our_cursor = "`params.cursor` is not one that this server gave";

bool may_ask(Call::Kind kind) {
  return kind == Call::Kind::tool || kind == Call::Kind::get_prompt
         || kind == Call::Kind::read_resource;
}

std::size_t bytes_of(const Call& call) {
  return call.arguments.size() + call.uri.size() + call.cursor.size() + call.value.size()
         + call.input_responses.size() + call.request_state.size() + call.context.size();
}

bool may_be_asked(const ClientCapabilities& client) {
  return client.form || client.url || client.sampling || client.roots;
}

} // namespace

void refuse(Exchange& exchange, int code, std::string_view text, std::string_view data) {
  write_error(exchange.output, exchange.message.id, code, text, data);
}

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
    refuse(exchange, rpc::k_invalid_params, k_not_our_cursor);
    return std::nullopt;
  }
  return cursor;
}

std::optional<std::string> uri_parameter(Exchange& exchange) {
  std::optional<std::string> uri = string_parameter(exchange, "uri");
  if (uri && !is_uri(*uri)) {
    refuse(exchange, rpc::k_invalid_params, "`params.uri` is not a URI of at most 4096 bytes");
    return std::nullopt;
  }
  return uri;
}

void answer_page(Exchange& exchange, const std::vector<std::string>& pages) {
  std::optional<std::string> cursor = cursor_parameter(exchange);
  if (!cursor) {
    return;
  }
  std::optional<std::size_t> page = page_from_cursor(*cursor);
  if (!page || *page >= pages.size()) {
    refuse(exchange, rpc::k_invalid_params, k_not_our_cursor);
    return;
  }
  write_result(exchange.output, exchange.message.id, pages[*page]);
}

bool take_input_responses(Exchange& exchange, Call& call) {
  if (!is_modern(exchange.version)) {
    return true;
  }
  if (const rpc::Member* responses = exchange.message.params.find("inputResponses")) {
    if (!rpc::uniform_keys(responses->raw, JsonKind::object)) {
      refuse(exchange,
             rpc::k_invalid_params,
             "`params.inputResponses` must be an object of at most 64 objects, each key once");
      return false;
    }
    call.input_responses = rpc::with_padding(responses->raw);
  }
  if (exchange.message.params.find("requestState") != nullptr) {
    std::optional<std::string> request_state = string_parameter(exchange, "requestState");
    if (!request_state) {
      return false;
    }
    call.request_state = std::move(*request_state);
  }
  return true;
}

void start(SessionState& state, Exchange& exchange, Call&& call) {
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
  std::optional<ByteBudget::Share> held = state.held.take(bytes_of(call));
  if (!held) {
    refuse(
        exchange,
        k_busy,
        "the calls in flight hold 32 MiB of this client, or 128 MiB of all; wait for one to end");
    return;
  }
  CallNote note;
  note.version = exchange.version;
  note.kind = call.kind;
  note.batch = exchange.batch;
  note.client = exchange.client;
  note.log_level = exchange.log_level;
  note.uri = call.uri;
  note.reads_structured = !call.context.empty();
  call.held = note.held = std::make_shared<ByteBudget::Share>(std::move(*held));
  call.client = exchange.client;
  call.accepts_task = note.accepts_task =
      call.kind == Call::Kind::tool && exchange.client.tasks && state.server->offer.tasks;
  call.client_id = message.id;
  call.wants_progress = token != nullptr;
  call.wants_log = !is_modern(exchange.version) || exchange.log_level.has_value();
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
  if (!is_modern(exchange.version) && may_ask(call.kind) && may_be_asked(exchange.client)) {
    state.peer.note(*begun)->again = std::make_unique<Call>(call);
  }
  exchange.out.calls.push_back(std::move(call));
}

} // namespace upskill::mcp
