#pragma once
#include "daemon/binder.h"
#include "daemon/engine.h"
#include "daemon/http/server.h"
#include "daemon/jobs/job_queue.h"
#include "daemon/listener.h"
#include "daemon/options.h"
#include "daemon/runtime/pool.h"
#include "daemon/runtime/task_group.h"
#include "daemon/sessions.h"
#include "daemon/signals.h"
#include "daemon/single_instance.h"
#include "daemon/telemetry/counters.h"
#include "daemon/telemetry/log.h"
#include "daemon/temporary_state.h"
#include "protocol/base/paths.h"

#include <memory>
#include <optional>
#include <string_view>

namespace upskill::daemon {

std::string_view version();

// Owns everything, in the order it starts. It ends clients first, so that all of them are answered.
// Owner: main. Thread: the main one.
class Daemon {
public:
  // `temporary`: the places are nobody else's and end with it; without, they are locked.
  Daemon(const Options& options,
         const Places& places,
         telemetry::Log& log,
         TemporaryState* temporary = nullptr);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Serves until it is told to stop. Returns at once, and without an error, when another daemon has
  // this state directory; for a private one that is an error (busy).
  Result<void> run(const MakeEngine& make_engine);

  // Answers what is in flight, then ends, within 2 s. May be called from a handler.
  void request_stop(std::string_view reason);

  StatusResult status() const;
  DaemonStatusResult daemon_status() const;

  telemetry::Log& log() { return m_log; }

  // There from before the first message is read.
  jobs::JobQueue& jobs() { return *m_jobs; }

private:
  Result<bool> take_place();
  Result<void> open_files();
  Result<void> listen();
  void start_engine(const MakeEngine& make_engine);
  void bind_handlers();
  void make_server();
  void make_jobs();
  void tell(const mcp::Change& change);
  Result<void> serve_http();
  void tell_ready();
  runtime::Pool& pool();
  asio::awaitable<void> stop();
  runtime::TaskGroup::OnFailure logged(const char* what);
  asio::awaitable<bool> ends_within(runtime::Clock::duration limit,
                                    runtime::TaskGroup& group,
                                    asio::awaitable<void> part,
                                    const char* name);

  const Options& m_options;
  const Places& m_places;
  telemetry::Log& m_log;
  TemporaryState* m_temporary; // null: the state is meant to stay
  runtime::Clock::time_point m_started = runtime::Clock::now();

  asio::io_context m_io{1}; // one thread: Asio need not lock
  telemetry::Counters m_counters;
  std::optional<telemetry::Mirror> m_mirror;
  std::optional<telemetry::TraceFile> m_trace;
  std::optional<SingleInstance> m_instance;
  std::unique_ptr<Signals> m_signals;
  std::optional<mcp::Server> m_server;
  Binder m_binder;
  std::optional<runtime::Pool> m_pool;
  Services m_services;
  std::optional<jobs::JobQueue> m_jobs;
  std::unique_ptr<Engine> m_engine;
  Sessions m_sessions;
  std::unique_ptr<Listener> m_listener;
  std::unique_ptr<http::HttpServer> m_http; // null: not asked for
  runtime::TaskGroup m_tasks;
  runtime::TaskGroup m_jobs_end;
  runtime::TaskGroup m_engine_end;
  bool m_is_stopping = false;
};

} // namespace upskill::daemon
