#include "daemon/sync/service.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/sync/together.h"
#include "protocol/base/atomic_file.h"
#include "protocol/codec/codec.h"
#include "skills/library/names.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace upskill::daemon {
namespace {

auto place_of(const library::Root& root) {
  return std::tuple(
      std::string_view(root.real_path), std::string_view(root.project), root.state, root.inode);
}

std::int64_t steady_ms(runtime::Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

bool has_same_places(const Scene& a, const Scene& b) {
  return std::ranges::equal(a.roots, b.roots, {}, place_of, place_of);
}

} // namespace

SyncService::SyncService(EngineContext context, Environment environment)
    : m_context(std::move(context))
    , m_environment(std::move(environment))
    , m_lane(m_context.io.get_executor(), m_context.pool)
    , m_rescan_at(runtime::Clock::now() + k_rescan_every)
    , m_changed(m_context.io.get_executor())
    , m_decided(m_context.io.get_executor())
    , m_deciding(m_context.io.get_executor())
    , m_rested(m_context.io.get_executor())
    , m_alarm(m_context.io.get_executor(), [this] { m_changed.notify_all(); })
    , m_tasks(m_context.io.get_executor(), [this](const std::exception_ptr&) {
      m_context.log.error("a task of the sync service failed");
    }) {}

sync::Moment SyncService::now() const {
  auto wall = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::milliseconds>(wall).count(),
          steady_ms(runtime::Clock::now())};
}

void SyncService::start() {
  m_tasks.start(begin());
}

asio::awaitable<void> SyncService::stop() {
  m_stopping = true;
  m_alarm.clear();
  m_tasks.cancel_all();
  co_await m_tasks.join();
  if (m_watcher) {
    co_await m_watcher->stop();
  }
}

std::string SyncService::settings_path() const {
  return m_context.places.data + "/sync.json";
}

Result<sync::Engine> SyncService::open_engine() const {
  const Places& places = m_context.places;
  sync::EngineOptions options;
  options.database = places.state + "/sync.db";
  options.objects = places.data + "/objects";
  options.trash = places.data + "/trash";
  options.conflicts = places.data + "/conflicts";
  if (Result<std::string> boot = read_file("/proc/sys/kernel/random/boot_id", 256)) {
    options.boot_id = *boot;
  }
  options.together = together_on(m_context.pool);
  return sync::Engine::open(std::move(options), const_cast<sync::Filesystem&>(m_files), now());
}

// A store that cannot be used now may be a moment later: somebody else holds it, a disk is full.
void SyncService::note_store_problem(const Error& problem) {
  if (!m_store_problem || m_store_problem->message != problem.message) {
    m_context.log.error("sync cannot use its store: {}", problem.message);
  }
  m_store_problem = problem;
  m_store_at = runtime::Clock::now() + m_store_pause.take();
}

asio::awaitable<void> SyncService::open_store() {
  auto open = [this] { return open_engine(); };
  AWAIT(Result<sync::Engine> engine, runtime::offload(m_context.pool(), std::move(open)));
  if (!engine) {
    note_store_problem(engine.error());
    m_lane.fail(engine.error());
    co_return;
  }
  if (engine->opened() == sync::OpenedState::damaged) {
    m_lasting_warnings.push_back(
        "sync.db was damaged and put aside; its history is lost, no version of a skill is");
  }
  m_lane.open(std::move(*engine));
}

asio::awaitable<void> SyncService::begin() {
  auto load = [path = settings_path()] { return load_settings(path); };
  AWAIT(Result<SyncSettings> settings, runtime::offload(m_context.pool(), std::move(load)));
  AWAIT_DONE(open_store());
  if (!settings) {
    m_context.log.error("{}", settings.error().message);
    m_settings_problem = settings.error();
    settings = SyncSettings{};
  }
  watch::WatcherOptions options;
  options.ignored = {library::ignored_name, library::ignored_in_skill};
  auto on_report = [this](watch::Report report) { this->on_report(std::move(report)); };
  m_watcher = watch::Watcher::open(
      m_context.io.get_executor(), m_context.pool(), std::move(options), std::move(on_report));
  AWAIT(Result<Scene> scene, look(std::move(*settings)));
  if (!scene) {
    m_scene_problem = scene.error();
    m_context.log.error("agents cannot be found: {}", scene.error().message);
  } else {
    AWAIT_DONE(adopt(std::move(*scene)));
  }
  m_started = true;
  m_rested.notify_all();
  if (!m_stopping) {
    m_tasks.start(work_loop());
  }
}

asio::awaitable<Result<Scene>> SyncService::look(SyncSettings settings) {
  auto job = [this, &settings] { return look_around(settings, m_context.places, m_environment); };
  AWAIT(Result<Scene> scene, runtime::offload(m_context.pool(), std::move(job)));
  co_return scene;
}

// Other folders make another list.
void SyncService::note_places(const Scene& scene) {
  if (m_scene && !has_same_places(*m_scene, scene)) {
    m_list_changed = true;
    m_listed.forget_all();
  }
}

// Takes a scene on: the engine learns who takes part, the watcher what to watch, and everything is
// looked at once.
asio::awaitable<Result<void>> SyncService::adopt(Scene scene) {
  note_places(scene);
  m_scene = std::make_shared<const Scene>(std::move(scene));
  if (m_started && !m_lane.has_engine()) {
    AWAIT_DONE(open_store());
  }
  std::vector<sync::ScopeSetup> scopes = m_scene->scopes;
  sync::Moment moment = now();
  auto configure = [&scopes, moment](sync::Engine& engine) {
    return engine.configure(std::move(scopes), moment);
  };
  AWAIT(Result<std::vector<std::string>> told, m_lane.with_engine(std::move(configure)));
  Result<void> configured;
  m_scene_problem.reset();
  if (!told) {
    configured = tl::make_unexpected(told.error());
    if (m_lane.has_engine()) {
      note_store_problem(told.error());
    }
  } else {
    m_store_problem.reset();
    m_store_at.reset();
    m_store_pause.reset();
    m_lasting_warnings.insert(m_lasting_warnings.end(), told->begin(), told->end());
  }
  std::vector<watch::WatchRoot> roots;
  std::vector<std::string> watched;
  for (const library::Root& root : m_scene->roots) {
    if (root.state == RootState::refused) {
      continue;
    }
    roots.push_back({root.real_path, boundary_of(root)});
    watched.push_back(root.real_path);
  }
  // An agent that is installed later takes part without being asked for, one that is removed does
  // so no more, and what is refused or linked is looked at again when something else lies there.
  for (const std::string& sign : m_scene->signs) {
    bool at_home = is_inside(sign, m_context.places.home);
    roots.push_back({sign, at_home ? m_context.places.home : parent_path(sign), true});
  }
  if (m_watcher) {
    std::function<void()> taken_on = [this, &watched] { renumber(std::move(watched)); };
    AWAIT(Result<void> done, m_watcher->watch(std::move(roots), std::move(taken_on)));
    if (!done) {
      m_round_warnings.push_back(done.error().message);
    }
  }
  m_everything = true;
  m_tidy_at = runtime::Clock::now(); // what an interrupted run left beside these roots
  ++m_generation;
  m_changed.notify_all();
  co_return configured;
}

// A project may go and come back while somebody stands in it, who keeps its folder alive: only the
// folder that it lies in tells of that.
std::string SyncService::boundary_of(const library::Root& root) const {
  bool at_home = root.project.empty() || is_inside(root.project, m_context.places.home);
  return at_home ? m_context.places.home : parent_path(root.project);
}

// What waits for quiet was numbered by the list before.
void SyncService::renumber(std::vector<std::string> watched) {
  m_settle.renumber([&](std::uint32_t root) -> std::optional<std::uint32_t> {
    auto at = root < m_watched.size() ? std::ranges::find(watched, m_watched[root]) : watched.end();
    return at == watched.end() ? std::nullopt
                               : std::optional(static_cast<std::uint32_t>(at - watched.begin()));
  });
  m_watched = std::move(watched);
}

// In turn with the person's changes, so that it puts no older settings back.
asio::awaitable<void> SyncService::look_again() {
  Working working(*this); // what it finds is to be looked at
  runtime::Turns::Ticket ticket(m_deciding);
  AWAIT_DONE(ticket.called());
  if (!m_look_again && !m_gone_at && !m_store_problem) {
    co_return; // somebody else has looked meanwhile
  }
  Looking looking(*this);
  m_look_again = false;
  m_gone_at.reset();
  const bool was_stopped = m_store_problem.has_value();
  SyncSettings settings = m_scene ? m_scene->settings : SyncSettings{};
  AWAIT(Result<Scene> scene, look(std::move(settings)));
  if (!scene) {
    m_context.log.error("agents cannot be found: {}", scene.error().message);
    co_return;
  }
  AWAIT(Result<void> adopted, adopt(std::move(*scene)));
  if (adopted && was_stopped) {
    AWAIT_DONE(refresh_summary()); // which says that it is on
  }
}

// Not everything by which a root is refused can be watched: a mode.
asio::awaitable<void> SyncService::look_at_refused() {
  auto may_recover = [](const library::Root& root) {
    return root.state == RootState::refused && !root.is_administered;
  };
  if (!m_scene || std::ranges::none_of(m_scene->roots, may_recover)) {
    co_return;
  }
  runtime::Turns::Ticket ticket(m_deciding);
  AWAIT_DONE(ticket.called());
  AWAIT(Result<Scene> scene, look(m_scene->settings));
  if (scene && !has_same_places(*m_scene, *scene)) {
    AWAIT_DONE(adopt(std::move(*scene)));
  }
}

asio::awaitable<Result<std::shared_ptr<const Scene>>> SyncService::scene() {
  while (!m_started) {
    co_await m_rested.wait();
  }
  AWAIT_DONE(see_orders());
  if (!m_scene) {
    co_return tl::make_unexpected(*m_scene_problem);
  }
  co_return m_scene;
}

asio::awaitable<Result<void>> SyncService::synchronise() {
  while (!m_started) {
    co_await m_rested.wait();
  }
  if (!m_watcher) {
    co_return Result<void>();
  }
  AWAIT(Result<void> done, m_watcher->synchronise());
  co_return done;
}

std::optional<Error> SyncService::why_stopped() const {
  bool is_stopped =
      m_store_problem && !m_summary.enabled && m_scene != nullptr && m_scene->sync_is_on();
  if (!is_stopped) {
    return std::nullopt;
  }
  // A running daemon cannot be updated, and what it holds must not be moved under it.
  Error problem = *m_store_problem;
  if (problem.hint.find("upskill daemon stop") == std::string::npos) {
    problem.hint = (problem.hint.empty() ? "`upskill daemon logs` says more" : problem.hint)
                   + "; once it is mended, `upskill daemon stop`, and the next command starts it "
                     "anew";
  }
  return problem;
}

Result<void> SyncService::check_running() const {
  if (std::optional<Error> stopped = why_stopped()) {
    return fail(stopped->code, "sync is on, but stopped: " + stopped->message, stopped->hint);
  }
  return {};
}

void SyncService::describe(StatusResult& status) const {
  std::optional<Error> stopped = why_stopped();
  status.sync = stopped              ? SyncState::stopped
                : !m_summary.enabled ? SyncState::off
                : m_working > 0      ? SyncState::working
                                     : m_summary.state;
  status.reason = stopped ? stopped->message : std::string();
  status.hint = stopped ? stopped->hint : std::string();
  status.skills = m_skill_count;
  status.conflicts = m_summary.conflicts;
  status.held = m_summary.held;
  if (m_scene) {
    status.agents = static_cast<std::int64_t>(m_scene->detected.size());
    status.taking_part = static_cast<std::int64_t>(m_scene->enabled.size());
    status.roots = std::ranges::count_if(m_scene->roots, &library::Root::exists);
  }
  status.watch = !m_watcher ? "none" : m_watcher->polling() ? "polling" : "inotify";
  status.warnings = m_summary.warnings;
  for (std::string& warning : warnings()) {
    if (std::ranges::find(status.warnings, warning) == status.warnings.end()) {
      status.warnings.push_back(std::move(warning));
    }
  }
}

std::vector<std::string> SyncService::warnings() const {
  std::vector<std::string> all;
  for (const std::optional<Error>* problem :
       {&m_settings_problem, &m_store_problem, &m_scene_problem}) {
    if (*problem) {
      all.push_back((*problem)->message);
    }
  }
  if (m_scene && m_scene->table_problem) {
    all.push_back(m_scene->table_problem->message);
  }
  if (m_scene) {
    all.insert(all.end(), m_scene->warnings.begin(), m_scene->warnings.end());
  }
  if (m_watcher) {
    for (const watch::Warning& warning : m_watcher->warnings()) {
      all.push_back(warning.hint.empty() ? warning.message
                                         : warning.message + " (" + warning.hint + ")");
    }
  }
  all.insert(all.end(), m_lasting_warnings.begin(), m_lasting_warnings.end());
  all.insert(all.end(), m_round_warnings.begin(), m_round_warnings.end());
  return all;
}

} // namespace upskill::daemon
