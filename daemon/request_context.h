#pragma once
#include "protocol/types/server.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace upskill::daemon {

// What a handler knows about the call beside its parameters. Its copies and `progress` are for the
// daemon's own thread; `stopping` may be asked on the pool.
struct RequestContext {
  std::string id = {};     // ours, for logs: `3.17` is call 17 of session 3
  CallContext caller = {}; // empty for agents; never logged
  // Tells the client how far it is; costs nothing where it did not ask. At most ten a second are
  // sent, and none while the client does not read.
  std::function<void(double done, std::optional<double> total, std::string_view message)> progress =
      [](double, std::optional<double>, std::string_view) {};
  // Set when the call was cancelled. A coroutine need not look, its next co_await throws; a loop on
  // the pool should.
  std::stop_token stopping = {};
};

} // namespace upskill::daemon
