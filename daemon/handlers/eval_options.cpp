#include "daemon/handlers/eval_options.h"

#include "daemon/handlers/credentials.h"

#include <chrono>
#include <utility>

namespace upskill::daemon {
namespace {

using Variables = std::map<std::string, std::string>;

bool is_key(std::string_view name) {
  return name.ends_with("_KEY") || name.ends_with("_TOKEN");
}

std::optional<std::string> find(const Variables& variables, const std::string& name) {
  auto found = variables.find(name);
  return found == variables.end() ? std::nullopt : std::optional(found->second);
}

models::Environment
environment_of(const EvalParams& params, const RequestContext& context, Variables credentials) {
  bool is_agent = !context.principal.empty();
  bool has_own = is_agent && context.caller.environment.empty();
  bool hides_keys = is_agent && !params.base_url.empty();
  return [sent = context.caller.environment,
          own = has_own ? process_environment() : Environment(),
          credentials = std::move(credentials),
          hides_keys](const std::string& name) -> std::optional<std::string> {
    if (hides_keys && is_key(name) && name != "GENERIC_API_KEY") {
      return std::nullopt;
    }
    std::optional<std::string> value = find(sent, name);
    if (!value && own) {
      value = own(name);
    }
    // An empty variable is as good as none: clients do not even send it.
    return value && !value->empty() ? value : find(credentials, name);
  };
}

} // namespace

Result<EvalModelOptions>
read_model_options(const EvalParams& params, const RequestContext& context, const Places& places) {
  const std::string& cwd = context.caller.cwd;
  EvalModelOptions options;
  TRY_ASSIGN(Variables credentials, read_credentials(places.config + "/credentials"));
  options.environment = environment_of(params, context, std::move(credentials));
  options.base_url = params.base_url;
  options.fresh = params.fresh;
  options.in_flight = static_cast<std::size_t>(params.jobs.value_or(0));
  options.limits.dollars = params.budget;
  options.limits.tokens = params.token_budget;
  if (params.time_budget) {
    options.limits.time = std::chrono::seconds(*params.time_budget);
  }
  if (!params.record.empty()) {
    TRY_ASSIGN(options.record, models::Cassette::record_to(normalized_path(params.record, cwd)));
  }
  if (!params.replay.empty()) {
    TRY_ASSIGN(options.replay, models::Cassette::replay_from(normalized_path(params.replay, cwd)));
  }
  return options;
}

} // namespace upskill::daemon
