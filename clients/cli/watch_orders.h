#pragma once
#include "clients/cli/watch_view.h"
#include "clients/connect/call.h"

#include <string>
#include <string_view>

namespace upskill::cli {

struct WatchCall {
  std::string_view method = {};
  std::string arguments = {};
};

// How an order is said to the daemon; not for `none` and `quit`.
WatchCall call_of(const WatchOrder& order, const WatchView& view);

// What came of it: says so, or asks the person. Answers the order that follows from it, `none` for
// nothing.
WatchOrder hear(WatchView& view, const WatchOrder& order, const Result<connect::CallReply>& reply);

} // namespace upskill::cli
