#include "protocol/base/utf8.h"
#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/requests.h"
#include "protocol/mcp/session_state.h"
#include "protocol/rpc/json_text.h"

namespace upskill::mcp {
namespace {

constexpr std::string_view k_missing_version =
    "`params._meta[\"io.modelcontextprotocol/protocolVersion\"]` is missing, and no `initialize` "
    "came before";

std::string unsupported_version_data(std::string_view requested) {
  std::string data;
  JsonWriter json(data);
  json.begin_object();
  json.key("supported");
  json.begin_array();
  json.value(name_of(k_modern));
  json.end_array();
  json.field("requested", utf8_prefix(requested, 256));
  json.end_object();
  return data;
}

// Rule 1: a request that names its version is modern, whatever came before.
std::optional<Refusal> read_modern(SessionState& state,
                                   const rpc::Message& message,
                                   const rpc::Member& version,
                                   Declared& declared) {
  if (version.kind != JsonKind::string) {
    return malformed_meta(k_meta_protocol_version, "must be a string");
  }
  std::string requested = rpc::string_value(version.raw);
  if (requested != name_of(k_modern)) {
    return Refusal{
        k_unsupported_version, "unsupported protocol version", unsupported_version_data(requested)};
  }
  return state.declared.read(message, declared);
}

bool is_spoken(const Request& request, Version version) {
  return request.spoken == Spoken::both || (request.spoken == Spoken::modern) == is_modern(version);
}

void remember_era(SessionState& state, Era era, Outcome& out) {
  if (state.era != era) {
    state.era = era;
    out.state_changed = true;
  }
}

} // namespace

void receive_request(SessionState& state,
                     const rpc::Message& message,
                     Batches::Id batch,
                     Outcome& out,
                     std::string& output) {
  auto refuse = [&](int code, std::string_view text, std::string_view data = {}) {
    write_error(output, message.id, code, text, data);
  };
  if (state.peer.contains(message.id) || state.subscriptions.has_listen(message.id)) {
    refuse(rpc::k_invalid_request, "a request of this id is in flight");
    return;
  }
  const Request* request = find_request(message.method);
  Version version = k_modern;
  Declared declared;
  if (const rpc::Member* named = message.meta.find(k_meta_protocol_version)) {
    remember_era(state, Era::modern, out);
    if (auto refusal = read_modern(state, message, *named, declared)) {
      refuse(refusal->code, refusal->message, refusal->data);
      return;
    }
    if (batch != 0) {
      refuse(rpc::k_invalid_request, "a batch may not hold messages of 2026-07-28");
      return;
    }
  } else if (state.legacy) {
    version = *state.legacy;
    declared.client = state.client;
  } else if (message.method == "initialize" || message.method == "ping") {
    version = k_newest_legacy;
  } else if (request != nullptr) {
    refuse(rpc::k_invalid_params, k_missing_version);
    return;
  }
  if (request == nullptr || !is_spoken(*request, version)
      || !is_offered(state.server->offer, request->part)) {
    refuse(rpc::k_method_not_found,
           "`" + std::string(utf8_prefix(message.method, 64)) + "` is not a method of "
               + std::string(name_of(version)) + " on this server");
    return;
  }
  Exchange exchange{message, version, batch, out, output, declared.client, declared.log_level};
  request->run(state, exchange);
}

void receive_notification(SessionState& state, const rpc::Message& message, Outcome& out) {
  auto is = [&](ReadNotification notification) { return message.method == notification.text(); };
  if (is("notifications/cancelled")) {
    const rpc::Member* id = message.params.find("requestId");
    if (id == nullptr || (id->kind != JsonKind::string && id->kind != JsonKind::integer)) {
      return;
    }
    std::string canonical = rpc::canonical_scalar(id->raw);
    if (auto cancelled = state.peer.cancel(canonical)) {
      out.cancelled.push_back(cancelled->first);
      state.questions.withdraw(cancelled->first, out.output);
      state.batches.done(cancelled->second.note().batch, out.output);
    } else if (state.subscriptions.end(canonical)) {
      out.state_changed = true;
    }
  } else if (is("notifications/initialized") && state.legacy && !state.is_initialized) {
    state.is_initialized = true;
    out.state_changed = true;
  }
}

} // namespace upskill::mcp
