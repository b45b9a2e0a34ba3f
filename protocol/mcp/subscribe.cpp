#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/exchange.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/requests.h"
#include "protocol/mcp/uri.h"

#include <algorithm>
#include <utility>

namespace upskill::mcp {
namespace {

// SubscriptionFilter of 2026-07-28; what we cannot grant is left out of the acknowledgement.
struct Filter {
  static constexpr bool k_lenient = true;
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::vector<std::string> uris = {};
  JsonText tasks = {};

  static void describe(auto& f) {
    f.optional(&Filter::tools, "toolsListChanged", "");
    f.optional(&Filter::prompts, "promptsListChanged", "");
    f.optional(&Filter::resources, "resourcesListChanged", "");
    f.optional(&Filter::uris, "resourceSubscriptions", "");
    f.optional(&Filter::tasks, "taskIds", "");
  }
};

Result<Filter> read_filter(SessionState& state, const rpc::Message& message) {
  constexpr std::string_view k_where = "params.notifications";
  const rpc::Member* member = message.params.find("notifications");
  if (member == nullptr) {
    return fail(ErrorCode::invalid_argument, std::string(k_where) + ": is missing");
  }
  Result<Filter> filter = fail(ErrorCode::internal, "nothing was read");
  TRY(state.json.read(
      member->raw, k_where, [&](JsonReader& reader) { filter = decode<Filter>(reader, k_where); }));
  if (filter && !std::all_of(filter->uris.begin(), filter->uris.end(), is_uri)) {
    return fail(ErrorCode::invalid_argument,
                std::string(k_where) + ".resourceSubscriptions: not all are URIs");
  }
  return filter;
}

} // namespace

void subscribe(SessionState& state, Exchange& exchange) {
  if (std::optional<std::string> uri = uri_parameter(exchange)) {
    if (!state.subscriptions.subscribe(std::move(*uri))) {
      write_error(exchange.output,
                  exchange.message.id,
                  k_busy,
                  "a client may subscribe to at most 1000 resources");
      return;
    }
    exchange.out.state_changed = true;
    write_result(exchange.output, exchange.message.id, "{}");
  }
}

void unsubscribe(SessionState& state, Exchange& exchange) {
  if (std::optional<std::string> uri = uri_parameter(exchange)) {
    state.subscriptions.unsubscribe(*uri);
    exchange.out.state_changed = true;
    write_result(exchange.output, exchange.message.id, "{}");
  }
}

void listen(SessionState& state, Exchange& exchange) {
  const rpc::Message& message = exchange.message;
  Result<Filter> filter = read_filter(state, message);
  if (!filter) {
    write_error(exchange.output, message.id, rpc::k_invalid_params, filter.error().message);
    return;
  }
  const Offer& offer = state.server->offer;
  if (offer.tasks && !exchange.client.tasks && !filter->tasks.text.empty()) {
    Refusal refusal = missing_capability(std::string(k_tasks_capability));
    refuse(exchange, refusal.code, refusal.message, refusal.data);
    return;
  }
  Subscriptions::Listen granted;
  granted.id = message.id;
  granted.tool_list = filter->tools && offer.list_changes;
  granted.prompt_list = filter->prompts && offer.list_changes && !offer.prompts.empty();
  granted.resource_list = filter->resources && offer.resources;
  if (offer.resources) {
    granted.uris = std::move(filter->uris);
    std::ranges::sort(granted.uris); // each once, or a change would be told as often
    granted.uris.erase(std::unique(granted.uris.begin(), granted.uris.end()), granted.uris.end());
  }
  if (!state.subscriptions.listen(granted)) {
    write_error(exchange.output,
                message.id,
                k_busy,
                "a client may keep at most 16 subscriptions of 1000 resources each");
    return;
  }
  exchange.out.state_changed = true;
  write_acknowledged(exchange.output, granted);
}

} // namespace upskill::mcp
