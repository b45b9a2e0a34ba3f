#pragma once
#include "daemon/telemetry/log.h"
#include "protocol/base/result.h"

#include <span>
#include <string>

namespace upskill::daemon {

struct Options {
  int ready_fd = -1;   // one byte goes there when the daemon listens
  int private_fd = -1; // serve this connected socket only, without listener
  telemetry::LogOptions log = {};
  std::string mirror = {};
  std::string trace = {};
  bool version = false;
  bool help = false;
};

// The arguments without the program's name. Both `--name value` and `--name=value`.
Result<Options> parse_options(std::span<const char* const> arguments);

std::string_view help_text();

} // namespace upskill::daemon
