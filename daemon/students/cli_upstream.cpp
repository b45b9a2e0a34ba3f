#include "daemon/students/cli_upstream.h"

#include <utility>

namespace upskill::students {

std::optional<proxy::Upstream> upstream_of(const CliAgentRow& row, const CliCall& call) {
  std::string key = call.keys.empty() ? "" : call.keys.begin()->second;
  if (!call.base_url.empty()) {
    return proxy::Upstream{call.base_url, key};
  }
  if (row.upstream.empty() || key.empty()) {
    return std::nullopt;
  }
  return proxy::Upstream{std::string(row.upstream), key};
}

CliCall proxied(const CliAgentRow& row, CliCall call, std::string url, std::string token) {
  call.base_url = std::move(url);
  call.keys = {{std::string(row.server_key), std::move(token)}};
  return call;
}

} // namespace upskill::students
