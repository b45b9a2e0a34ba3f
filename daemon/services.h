#pragma once
#include "daemon/binder.h"
#include "daemon/resource_backend.h"
#include "daemon/runtime/asio.h"
#include "daemon/telemetry/counters.h"
#include "daemon/telemetry/log.h"
#include "daemon/telemetry/mirror.h"
#include "daemon/telemetry/trace_file.h"
#include "protocol/mcp/session.h"

namespace upskill::daemon {

// What every session uses; all of it belongs to Daemon and outlives them.
struct Services {
  asio::io_context& io;
  const mcp::Server& server;
  Binder& binder;
  telemetry::Log& log;
  telemetry::Counters& counters;
  telemetry::Mirror* mirror = nullptr;   // null: not wanted
  telemetry::TraceFile* trace = nullptr; // null: not wanted
  ResourceBackend* resources = nullptr;  // null: there are none

  telemetry::Counter& messages = counters.at("messages");
  telemetry::Counter& calls = counters.at("calls");
  telemetry::Counter& bytes_in = counters.at("bytes_in");
  telemetry::Counter& bytes_out = counters.at("bytes_out");

  // One buffer for the messages of all sessions, because only one is handled at a time.
  mcp::Outcome outcome = {};
};

} // namespace upskill::daemon
