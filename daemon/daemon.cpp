#include "daemon/daemon.h"

#include "daemon/await.h"
#include "daemon/handlers_server.h"
#include "daemon/http/credentials.h"
#include "daemon/runtime/mapped_code.h"
#include "daemon/server_icon.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>

namespace upskill::daemon {
namespace {

// Together under the 2 s that a stop may take.
constexpr auto k_drain_limit = std::chrono::milliseconds(1100);
constexpr auto k_finish_limit = std::chrono::milliseconds(150); // of HTTP, and of the sessions
constexpr auto k_jobs_limit = std::chrono::milliseconds(150);
constexpr auto k_engine_limit = std::chrono::milliseconds(300);
constexpr std::size_t k_pool_threads = 3;        // one client gets two of them at most
constexpr auto k_rest = std::chrono::seconds(1); // of the pool, until its code is given back
constexpr auto k_holder_limit = std::chrono::seconds(3); // more than a stop may take
constexpr auto k_holder_pause = std::chrono::milliseconds(10);

mcp::ServerInfo server_info() {
  mcp::ServerInfo info;
  info.version = version();
  info.description = "Keeps agent skills in sync across coding agents.";
  info.icon = k_server_icon;
  return info;
}

// What work needed and answering a call does not. The heap is closed to all threads for about a
// millisecond for each 6 MB that work has left free in it.
void give_back_memory() {
  ::malloc_trim(0);
  runtime::release_mapped_code();
}

// Resident pages of this process (proc(5), statm).
std::int64_t resident_bytes() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%*s %ld", &pages) != 1) {
      pages = 0;
    }
    std::fclose(file);
  }
  return pages * ::sysconf(_SC_PAGESIZE);
}

} // namespace

std::string_view version() {
  return UPSKILL_VERSION;
}

Daemon::Daemon(const Options& options,
               const Places& places,
               telemetry::Log& log,
               TemporaryState* temporary)
    : m_options(options)
    , m_places(places)
    , m_log(log)
    , m_temporary(temporary)
    , m_binder(log)
    , m_services{m_io, m_binder, m_log, m_counters}
    , m_sessions(m_services,
                 [this] {
                   if (m_options.private_fd >= 0) {
                     request_stop("its client has gone");
                   }
                 })
    , m_tasks(m_io.get_executor(), logged("a task of the daemon failed"))
    , m_jobs_end(m_io.get_executor(), logged("the jobs failed to end"))
    , m_engine_end(m_io.get_executor(), logged("the engine failed to end")) {}

Daemon::~Daemon() = default;

runtime::TaskGroup::OnFailure Daemon::logged(const char* what) {
  return [this, what](const std::exception_ptr&) { m_log.error("{}", what); };
}

Result<void> Daemon::run(const MakeEngine& make_engine) {
  TRY(open_files());
  TRY_ASSIGN(bool is_ours, take_place());
  if (!is_ours) {
    if (m_options.ready_fd < 0) {
      // A person started it; of several that clients start at once all but one end like this.
      std::fprintf(stderr,
                   "upskilld: a daemon for `%s` is running already\n"
                   "hint: `upskill daemon stop` ends it\n",
                   m_places.state.c_str());
    }
    return {};
  }
  http::remove_description(m_places); // that of a daemon that died: its port may be anybody's now
  Signals::Actions actions{[this] { request_stop("it was told to by a signal"); },
                           [this] { m_log.reopen(); }};
  TRY_ASSIGN(m_signals, Signals::catch_all(m_io, std::move(actions)));
  make_jobs();
  start_engine(make_engine);
  bind_handlers();
  make_server();
  TRY(listen());
  TRY(serve_http());
  tell_ready();
  m_log.info("upskilld {} serves {}", version(), m_places.state);
  m_jobs->start();
  if (m_engine) {
    // The clients that wait already come first.
    asio::post(m_io, [this] {
      if (!m_is_stopping) {
        m_engine->start();
      }
    });
  }
  m_io.run();
  return {};
}

// The right to the state, unless it is nobody else's anyway. False: another daemon has it.
Result<bool> Daemon::take_place() {
  if (m_temporary != nullptr) {
    return true;
  }
  bool is_private = m_options.private_fd >= 0;
  // The private daemon of the command before may still be ending.
  auto deadline = runtime::Clock::now() + (is_private ? k_holder_limit : std::chrono::seconds(0));
  for (;;) {
    TRY_ASSIGN(m_instance, SingleInstance::acquire(m_places));
    if (m_instance || runtime::Clock::now() >= deadline) {
      break;
    }
    std::this_thread::sleep_for(k_holder_pause);
  }
  if (!m_instance && is_private) {
    return fail(ErrorCode::busy,
                "another daemon works on the state `" + m_places.state + "`",
                "leave out `--private` to use that one, or end it with `upskill daemon stop`");
  }
  return m_instance.has_value();
}

Result<void> Daemon::open_files() {
  if (!m_options.mirror.empty()) {
    TRY_ASSIGN(telemetry::Mirror mirror, telemetry::Mirror::create(m_options.mirror));
    m_services.mirror = &m_mirror.emplace(std::move(mirror));
  }
  if (!m_options.trace.empty()) {
    TRY_ASSIGN(telemetry::TraceFile trace, telemetry::TraceFile::create(m_options.trace));
    m_services.trace = &m_trace.emplace(std::move(trace));
  }
  return {};
}

void Daemon::make_jobs() {
  jobs::JobQueueOptions options;
  options.path = m_places.state + "/jobs.db";
  options.pool = [this]() -> runtime::Pool& { return pool(); };
  options.now_ms = [] {
    auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  };
  m_services.jobs = &m_jobs.emplace(m_io.get_executor(), m_log, std::move(options));
  m_jobs->on_change([this](const jobs::Job& job) {
    std::string uri = jobs::job_uri(job.id);
    tell({mcp::Change::resources, uri});
  });
}

void Daemon::tell(const mcp::Change& change) {
  m_sessions.tell(change);
  if (m_http) {
    m_http->tell(change);
  }
}

void Daemon::start_engine(const MakeEngine& make_engine) {
  if (!make_engine) {
    return;
  }
  m_engine = make_engine({m_io,
                          m_places,
                          m_log,
                          m_counters,
                          m_services.trace,
                          [this]() -> runtime::Pool& { return pool(); },
                          [this](const mcp::Change& change) { tell(change); },
                          m_services.jobs,
                          m_temporary != nullptr});
}

void Daemon::bind_handlers() {
  bind_server_handlers(m_binder, *this);
  if (m_engine) {
    m_engine->bind(m_binder);
    m_services.resources = m_engine->resources();
    m_services.prompts = m_engine->prompts();
    m_services.skills = m_engine->skills();
    m_services.ring = [this](const hook::HookEvent& event) { m_engine->ring(event); };
  }
}

// What it offers is known once the engine is there.
void Daemon::make_server() {
  mcp::Offer offer;
  offer.resources = m_services.resources != nullptr;
  offer.skills = m_services.skills != nullptr;
  offer.tasks = m_services.jobs != nullptr;
  if (m_engine) {
    offer.tools = m_engine->tools();
    offer.list_changes = !offer.tools.empty();
  }
  if (m_services.prompts != nullptr) {
    offer.prompts = m_services.prompts->prompts();
  }
  offer.completion = offer.resources || !offer.prompts.empty();
  m_services.server = &m_server.emplace(server_info(), std::move(offer));
}

Result<void> Daemon::listen() {
  if (m_options.private_fd >= 0) {
    UniqueFd socket(m_options.private_fd);
    int flags = ::fcntl(socket.get(), F_GETFL);
    if (flags < 0 || ::fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) != 0
        || ::fcntl(socket.get(), F_SETFD, FD_CLOEXEC) != 0) {
      return fail(system_error(errno, "the descriptor of `--private` cannot be used"));
    }
    m_sessions.add(std::move(socket));
    return {};
  }
  TRY_ASSIGN(
      m_listener,
      Listener::open(m_io, socket_path(m_places, ::geteuid()), m_log, [this](UniqueFd client) {
        m_sessions.add(std::move(client));
      }));
  return {};
}

Result<void> Daemon::serve_http() {
  if (m_options.http.empty()) {
    return {};
  }
  http::HttpOptions options;
  options.address = m_options.http;
  options.require_token = !m_options.http_is_open;
  TRY_ASSIGN(m_http, http::HttpServer::open(m_services, m_places, std::move(options)));
  m_log.info("MCP over HTTP is served at {}", m_http->url());
  return {};
}

void Daemon::tell_ready() {
  if (m_options.ready_fd >= 0) {
    [[maybe_unused]] ssize_t ignored = ::write(m_options.ready_fd, "\n", 1);
    ::close(m_options.ready_fd);
  }
}

runtime::Pool& Daemon::pool() {
  if (!m_pool) {
    m_pool.emplace(k_pool_threads, runtime::Pool::AtRest{k_rest, give_back_memory});
  }
  return *m_pool;
}

void Daemon::request_stop(std::string_view reason) {
  if (m_is_stopping) {
    return;
  }
  m_is_stopping = true;
  m_log.info("upskilld stops: {}", reason);
  Signals::limit_stop();
  // Not from within the handler that asked for it.
  asio::post(m_io, [this] { m_tasks.start(stop()); });
}

asio::awaitable<void> Daemon::stop() {
  if (m_listener) {
    m_listener->close();
  }
  auto drained = runtime::Clock::now() + k_drain_limit;
  if (m_http) {
    m_http->stop_accepting();
  }
  co_await m_sessions.drain(k_drain_limit);
  if (m_http) {
    co_await m_http->drain(drained - runtime::Clock::now());
  }
  // Everybody has an answer before anything is waited for that may hang on the pool.
  if (m_http) {
    co_await m_http->finish(k_finish_limit);
  }
  co_await m_sessions.finish(k_finish_limit);
  AWAIT(bool jobs_ended, ends_within(k_jobs_limit, m_jobs_end, m_jobs->stop(), "the jobs"));
  bool engine_ended = true;
  if (m_engine) {
    AWAIT(engine_ended, ends_within(k_engine_limit, m_engine_end, m_engine->stop(), "the engine"));
  }
  if (m_trace) {
    m_trace->finish();
  }
  bool clients_left = m_sessions.size() != 0 || (m_http && m_http->size() != 0);
  bool parts_left = !jobs_ended || !engine_ended || (m_pool && m_pool->pending() != 0);
  if (clients_left || parts_left) {
    // A worker that cannot be interrupted must not hold up the end; what it does to files is safe
    // against that, as against a power cut.
    m_log.info("upskilld ends with work left over");
    if (m_temporary != nullptr) {
      m_temporary->remove();
    }
    ::_exit(0);
  }
  m_signals->close();
  m_io.stop();
}

// The process ends anyway, so what cannot be cut short is not waited for.
asio::awaitable<bool> Daemon::ends_within(runtime::Clock::duration limit,
                                          runtime::TaskGroup& group,
                                          asio::awaitable<void> part,
                                          const char* name) {
  group.start(std::move(part));
  bool ended = co_await group.join_within(limit);
  if (!ended) {
    m_log.warning("{} did not end in time", name);
  }
  co_return ended;
}

StatusResult Daemon::status() const {
  StatusResult status;
  status.version = version();
  status.pid = ::getpid();
  status.uptime = std::chrono::duration<double>(runtime::Clock::now() - m_started).count();
  status.state_directory = m_places.state;
  if (m_engine) {
    m_engine->describe(status);
  }
  return status;
}

DaemonStatusResult Daemon::daemon_status() const {
  DaemonStatusResult result;
  result.status = status();
  result.clients = static_cast<std::int64_t>(m_sessions.size());
  result.rss_bytes = resident_bytes();
  result.counters = m_counters.snapshot();
  result.log = m_log.path();
  result.socket = m_listener ? socket_path(m_places, ::geteuid()) : std::string();
  result.http = m_http ? m_http->url() : std::string();
  return result;
}

} // namespace upskill::daemon
