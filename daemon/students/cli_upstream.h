#pragma once
#include "daemon/proxy/agent_wire.h"
#include "daemon/students/cli_agents.h"

#include <optional>
#include <string>

namespace upskill::students {

// Who the agent's requests are for, and the key that is theirs: what a proxy goes on to. Nothing
// where it cannot be told to ask another (no base URL for it), or has no key to be kept from it.
std::optional<proxy::Upstream> upstream_of(const CliAgentRow& row, const CliCall& call);

// The call with a proxy's address and token in place of the server's.
CliCall proxied(const CliAgentRow& row, CliCall call, std::string url, std::string token);

} // namespace upskill::students
