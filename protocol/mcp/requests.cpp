#include "protocol/mcp/requests.h"

#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/exchange.h"
#include "protocol/mcp/output.h"

#include <array>
#include <utility>

namespace upskill::mcp {
namespace {

void initialize(SessionState& state, Exchange& exchange) {
  if (exchange.batch != 0) {
    refuse(exchange, rpc::k_invalid_request, "`initialize` may not be part of a batch");
    return;
  }
  std::optional<std::string> requested = string_parameter(exchange, "protocolVersion");
  if (!requested) {
    return;
  }
  Version version = negotiate(*requested);
  const rpc::Member* declared = exchange.message.params.find("capabilities");
  std::optional<ClientCapabilities> client =
      read_capabilities(declared == nullptr ? "{}" : declared->raw, version);
  if (!client) {
    refuse(exchange,
           rpc::k_invalid_params,
           "`params.capabilities` must be an object of objects, as MCP describes them");
    return;
  }
  state.era = Era::legacy;
  state.legacy = version;
  state.client = *client;
  exchange.out.state_changed = true;
  write_result(exchange.output, exchange.message.id, state.server->initialize(version));
}

void ping(SessionState&, Exchange& exchange) {
  write_result(exchange.output, exchange.message.id, "{}");
}

void set_level(SessionState& state, Exchange& exchange) {
  std::optional<std::string> name = string_parameter(exchange, "level");
  if (!name) {
    return;
  }
  std::optional<LogLevel> level = log_level_from(*name);
  if (!level) {
    refuse(exchange, rpc::k_invalid_params, "`params.level` is not a log level of MCP");
    return;
  }
  if (std::exchange(state.log_level, *level) != *level) {
    exchange.out.state_changed = true;
  }
  write_result(exchange.output, exchange.message.id, "{}");
}

void discover(SessionState& state, Exchange& exchange) {
  write_result(exchange.output, exchange.message.id, state.server->discover());
}

void list_tools(SessionState& state, Exchange& exchange) {
  answer_page(exchange, state.server->tools(exchange.version, state.audience));
}

void list_prompts(SessionState& state, Exchange& exchange) {
  answer_page(exchange, state.server->prompts(exchange.version));
}

constexpr std::array<Request, 21> k_requests{{
    {"tools/call", Spoken::both, &call_tool},
    {"tools/list", Spoken::both, &list_tools},
    {"resources/list", Spoken::both, &list_resources, Part::resources},
    {"resources/templates/list", Spoken::both, &list_resource_templates, Part::resources},
    {"resources/read", Spoken::both, &read_resource, Part::resources},
    {"prompts/list", Spoken::both, &list_prompts, Part::prompts},
    {"prompts/get", Spoken::both, &get_prompt, Part::prompts},
    {"completion/complete", Spoken::both, &complete, Part::completion},
    {"tasks/get", Spoken::modern, &get_task, Part::tasks},
    {"tasks/update", Spoken::modern, &update_task, Part::tasks},
    {"tasks/cancel", Spoken::modern, &cancel_task, Part::tasks},
    {"skills/list", Spoken::both, &list_skills, Part::skills},
    {"skills/get", Spoken::both, &get_skill, Part::skills},
    {"resources/directory/read", Spoken::both, &read_directory, Part::skills},
    {"server/discover", Spoken::modern, &discover},
    {"subscriptions/listen", Spoken::modern, &listen},
    {"initialize", Spoken::legacy, &initialize},
    {"ping", Spoken::legacy, &ping},
    {"logging/setLevel", Spoken::legacy, &set_level},
    {"resources/subscribe", Spoken::legacy, &subscribe, Part::resources},
    {"resources/unsubscribe", Spoken::legacy, &unsubscribe, Part::resources},
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

std::span<const Request> requests() {
  return k_requests;
}

bool is_offered(const Offer& offer, Part part) {
  switch (part) {
  case Part::always:
    break;
  case Part::resources:
    return offer.resources;
  case Part::prompts:
    return !offer.prompts.empty();
  case Part::completion:
    return offer.completion;
  case Part::skills:
    return offer.skills;
  case Part::tasks:
    return offer.tasks;
  }
  return true;
}

} // namespace upskill::mcp
