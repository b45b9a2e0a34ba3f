#pragma once
#include "daemon/binder.h"
#include "daemon/prompt_backend.h"
#include "daemon/resource_backend.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"
#include "daemon/skill_backend.h"
#include "daemon/telemetry/counters.h"
#include "daemon/telemetry/log.h"
#include "daemon/telemetry/trace_file.h"
#include "protocol/base/paths.h"
#include "protocol/hook/event.h"
#include "protocol/mcp/change.h"

#include <functional>
#include <memory>
#include <span>

namespace upskill::jobs {
class JobQueue;
}

namespace upskill::daemon {

// What an engine may use; all of it outlives the engine.
struct EngineContext {
  asio::io_context& io;
  const Places& places;
  telemetry::Log& log;
  telemetry::Counters& counters;
  telemetry::TraceFile* trace = nullptr; // null: not wanted
  std::function<runtime::Pool&()> pool;  // it starts when it is first asked for
  // Tells the clients that asked for it; the daemon's thread only.
  std::function<void(const mcp::Change& change)> tell;
  jobs::JobQueue* jobs = nullptr; // null: none are taken
  bool forgets = false;           // its state and data end with the daemon
};

// What the daemon does beside answering: the part with the skills in it. An interface, so that the
// daemon's manners are tested without it.
// Owner: Daemon. Thread: the daemon's.
class Engine {
public:
  virtual ~Engine() = default;

  // Its handlers; before the first message is read.
  virtual void bind(Binder& binder) = 0;

  // Null where there are none. Asked for once, before the first message is read.
  virtual ResourceBackend* resources() { return nullptr; }

  virtual PromptBackend* prompts() { return nullptr; }

  virtual SkillBackend* skills() { return nullptr; }

  // Tools beside the catalogue, which bind() binds as well; they outlive the engine.
  virtual std::span<const MethodInfo> tools() { return {}; }

  // The daemon listens already: whatever takes time is a task from here on.
  virtual void start() = 0;
  // Ends its tasks. The process ends after 300 ms, whether this has returned or not; what is on the
  // pool may still be running then.
  virtual asio::awaitable<void> stop() = 0;

  // A hook of a coding agent rang, over HTTP. Quick.
  virtual void ring(const hook::HookEvent&) {}

  // Its part of `status`.
  virtual void describe(StatusResult& status) const = 0;
};

// Cheap: it runs before the daemon listens.
using MakeEngine = std::function<std::unique_ptr<Engine>(EngineContext)>;

} // namespace upskill::daemon
