#pragma once
#include "daemon/binder.h"
#include "daemon/prompt_backend.h"
#include "daemon/request_states.h"
#include "daemon/resource_backend.h"
#include "daemon/runtime/asio.h"
#include "daemon/skill_backend.h"
#include "daemon/telemetry/counters.h"
#include "daemon/telemetry/log.h"
#include "daemon/telemetry/mirror.h"
#include "daemon/telemetry/trace_file.h"
#include "protocol/hook/event.h"
#include "protocol/mcp/session.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace upskill::jobs {
class JobQueue;
}

namespace upskill::daemon {

// What every session uses; all of it belongs to Daemon and outlives them.
struct Services {
  asio::io_context& io;
  Binder& binder;
  telemetry::Log& log;
  telemetry::Counters& counters;
  const mcp::Server* server = nullptr;                         // made before the first client comes
  telemetry::Mirror* mirror = nullptr;                         // null: not wanted
  telemetry::TraceFile* trace = nullptr;                       // null: not wanted
  ResourceBackend* resources = nullptr;                        // null: there are none
  PromptBackend* prompts = nullptr;                            // null: there are none
  SkillBackend* skills = nullptr;                              // null: there are none
  jobs::JobQueue* jobs = nullptr;                              // null: none are taken
  std::function<void(const hook::HookEvent& event)> ring = {}; // empty: nobody listens to hooks
  RequestStates states = {};
  // Of sessions, connections and the like: none of them has another's number, whatever carries
  // their messages.
  std::uint64_t last_number = 0;

  telemetry::Counter& messages = counters.at("messages");
  telemetry::Counter& calls = counters.at("calls");
  telemetry::Counter& bytes_in = counters.at("bytes_in");
  telemetry::Counter& bytes_out = counters.at("bytes_out");

  // One buffer for the messages of all sessions, because only one is handled at a time.
  mcp::Outcome outcome = {};

  // Whole messages, for the mirror and the verbose log. `carrier` is what `number` counts:
  // "session".
  void note_messages(std::string_view carrier,
                     std::uint64_t number,
                     telemetry::Direction direction,
                     std::string_view lines);
};

} // namespace upskill::daemon
