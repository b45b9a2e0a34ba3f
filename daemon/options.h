#pragma once
#include "daemon/telemetry/log.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/base/result.h"

#include <span>
#include <string>
#include <string_view>

namespace upskill::daemon {

struct Options {
  int ready_fd = -1;   // one byte goes there when the daemon listens
  int private_fd = -1; // serve this connected socket only, without listener
  telemetry::LogOptions log = {};
  std::string mirror = {};
  std::string trace = {};
  std::string http = {};     // ADDR:PORT to serve MCP at over HTTP; empty: it is not served so
  bool http_is_open = false; // without a token: for tests alone, no argument sets it
  bool version = false;
  bool help = false;
};

// The arguments without the program's name. Both `--name value` and `--name=value`.
Result<Options> parse_options(std::span<const char* const> arguments);

std::string_view help_text();

} // namespace upskill::daemon
