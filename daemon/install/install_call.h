#pragma once
#include "daemon/fetch/fetch_setting.h"
#include "daemon/runtime/pool.h"
#include "protocol/base/paths.h"
#include "skills/config/config.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace upskill::daemon {

// Who asks the desk for something, and what counts for that call. `told` and the copies of this are
// for the daemon's own thread.
struct InstallCall {
  runtime::Pool::Share pool;
  std::string caller = {};      // whose the plans are; empty: a person's
  std::string cwd = {};         // absolute; empty where the caller has no folder
  config::Install choices = {}; // of the person's configuration
  Environment environment = [](std::string_view) { return std::nullopt; }; // of the call
  std::function<void(std::string_view what)> told = [](std::string_view) {};
  std::stop_token stopping = {};

  bool is_agent() const { return !caller.empty(); }
};

// What holds for whatever is fetched for it.
fetch::FetchSetting
fetch_setting(const InstallCall& call, const std::string& home, install::Depth depth);

} // namespace upskill::daemon
