#pragma once
#include "daemon/proxy/agent_wire.h"
#include "protocol/base/hash.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::proxy {

// What stands in place of a text that differs from run to run: a run's folders, its token. Longer
// texts before those that they hold.
using Places = std::vector<std::pair<std::string, std::string>>;

// A text without what changes from one run to the next though nothing else does: places, dates,
// times, UUIDs, ids that servers make (numbered in the order in which they come, by `ids`), and
// Claude Code's billing header.
std::string
normalised_text(std::string_view text, const Places& places, std::vector<std::string>& ids);

// What a request asks, the same for each run that asks the same: a record's `request`.
nlohmann::json normalised_request(std::string_view method,
                                  std::string_view target,
                                  std::string_view body,
                                  const Places& places);

// Its name: the SHA-256 of it in one line with sorted keys and no blanks.
Digest request_digest(const nlohmann::json& request);

} // namespace upskill::proxy
