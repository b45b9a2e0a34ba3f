#pragma once
#include "daemon/models/http_message.h"
#include "daemon/models/server_error.h"
#include "protocol/base/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::models {

// Why a try did not bring an answer, and what to do about it.
struct Failure {
  Error error;
  bool may_retry = false;
  bool is_rate_limit = false;
  bool is_nobody_there = false;                       // no connection came about
  std::optional<std::chrono::milliseconds> wait = {}; // as long as the server wants
  std::string rejected_field = {};                    // leave it out, and it may work
};

// `where` names the server, `model` what was asked for; both for messages. `unix_ms` is now.
// Retried are rate limits, overload and a server's own troubles; not quotas, refusals and requests
// that are wrong (models facts, 1, 2 and 5).
Failure failure_of(const ServerError& said,
                   const Headers& headers,
                   std::int64_t unix_ms,
                   std::string_view where,
                   std::string_view model);

} // namespace upskill::models
