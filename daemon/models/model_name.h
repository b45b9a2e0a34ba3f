#pragma once
#include "daemon/models/model.h"
#include "daemon/models/model_table.h"
#include "protocol/base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::models {

// The value of a variable in the environment of a call, or none. Never the daemon's own.
using Environment = std::function<std::optional<std::string>(const std::string& variable)>;

// Where a model is, and how it is spoken to. Holds no key, so that it may be shown.
struct ResolvedModel {
  std::string provider = {}; // `anthropic`, `openai`, `generic`, `hf`, `scripted`
  Wire wire = Wire::chat;
  std::string id = {};     // as the server knows it
  std::string effort = {}; // `none` ... `max`; empty: the model's own
  std::string base_url = {};
  std::string key_variable = {};
  bool is_key_needed = true;
  std::vector<std::string> rejects = {}; // parameters that it is known not to take

  friend bool operator==(const ResolvedModel&, const ResolvedModel&) = default;
};

// Reads a name as upskill and fast-agent write it: an alias (`sonnet`), PROVIDER.MODEL
// (`anthropic.claude-sonnet-5`, `generic.NAME`, `hf.ORG/MODEL:PROVIDER`), a known vendor's model by
// its id alone, each with an effort behind it (`.low`, `?reasoning=low`); `scripted` is the model
// of tests. With a base URL a name without a provider is a model there (`generic`).
// not_found: no such name, the hint lists near ones; invalid_argument: a URL that is none.
Result<ResolvedModel> resolve_model(std::string_view name,
                                    std::string_view base_url,
                                    const Environment& environment,
                                    const ModelTable& table = ModelTable::built_in());

// `host:port` of a URL, with the port that its scheme implies; empty when it is no HTTP URL.
std::string host_and_port(std::string_view url);
// Whether the URL's host is this machine by its loopback address.
bool is_loopback(std::string_view url);

// US dollars, by the provider's cache factors; 0 for what runs on this machine. Unknown without a
// price, or when the server told neither input nor output.
std::optional<double> cost_of(const ResolvedModel& model,
                              const Usage& usage,
                              const ModelTable& table = ModelTable::built_in());

} // namespace upskill::models
