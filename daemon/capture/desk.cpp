#include "daemon/capture/desk.h"

#include "daemon/await.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <unistd.h>

#include <algorithm>
#include <exception>

namespace upskill::capture {
namespace {

constexpr auto k_audit_every = std::chrono::hours(24);     // decisions of the facts, tail rules
constexpr auto k_rest_after = std::chrono::seconds(10);    // then the archive is closed
constexpr auto k_rest_following = std::chrono::minutes(5); // the same while sessions come

} // namespace

Desk::Desk(asio::any_io_executor executor, telemetry::Log& log, DeskOptions options)
    : m_log(log)
    , m_options(std::move(options))
    , m_turns(executor)
    , m_state(m_options.limits)
    , m_spool_turns(executor)
    , m_follower(executor,
                 m_options.pool,
                 {[this](const std::string& path) {
                    m_state.changed(path, Clock::now());
                    wake();
                  },
                  [this] {
                    m_state.lost(Clock::now());
                    wake();
                  }},
                 m_options.inotify)
    , m_follow_turns(executor)
    , m_woken(executor)
    , m_alarm(executor, [this] { wake(); })
    , m_rest(executor, [this] { m_tasks.start(rest()); })
    , m_day(executor, [this] { tidy_soon(); })
    , m_again(executor, [this] { m_tasks.start(begin()); })
    , m_tasks(executor, [this](std::exception_ptr failure) {
      try {
        std::rethrow_exception(std::move(failure));
      } catch (const std::exception& problem) {
        m_log.error("traces: {}", problem.what());
      }
    }) {}

// A person may change the rules at any time: the next use has the new ones. Those that are broken
// are never passed over.
Result<void> Desk::open() {
  FileState file = state_of(m_options.user_rules);
  if (m_archive && file == m_rules_file) {
    return {};
  }
  m_archive.reset();
  if (m_broken_rules && m_broken_rules->file == file) {
    return fail(m_broken_rules->error);
  }
  m_broken_rules.reset();
  Result<redact::RuleSet> rules = read_rules(m_options.user_rules);
  if (!rules) {
    m_broken_rules = BrokenRules{file, rules.error()};
    return fail(std::move(rules).error());
  }
  auto make = [&]() -> Result<archive::Archive> {
    return archive::Archive::open({m_options.database, m_options.objects, *rules, m_options.price});
  };
  Result<archive::Archive> opened = make();
  if (!opened && opened.error().code == ErrorCode::corrupt) {
    m_log.warning("traces: {}", opened.error().message);
    TRY_ASSIGN(std::string aside,
               store::set_aside_database(m_options.database, m_options.now_ms()));
    m_log.warning("traces: what was in `{}` is now in `{}`", m_options.database, aside);
    opened = make();
  }
  TRY_ASSIGN(archive::Archive archive, std::move(opened));
  m_archive.emplace(std::move(archive));
  m_rules_file = file;
  return look_for_outdated();
}

// What came of opening the archive.
void Desk::note(std::optional<Error> problem) {
  if (problem && (!m_problem || m_problem->message != problem->message)) {
    m_log.warning("traces: nothing is kept: {}", problem->message);
  }
  bool had_problem = std::exchange(m_problem, std::move(problem)).has_value();
  if (m_is_stopping) {
    return;
  }
  if (m_problem) {
    if (!m_again.is_set()) {
      m_again.set(Clock::now() + m_options.retry_after);
    }
    return;
  }
  if (!m_day.is_set()) {
    m_day.set(Clock::now() + m_options.tidy_every);
  }
  if (had_problem) {
    m_again.clear();
    m_tasks.start(begin()); // what came meanwhile was not read
  }
  if (std::exchange(m_is_outdated, false)) {
    tidy_soon();
  }
}

void Desk::start() {
  m_tasks.start(begin());
}

asio::awaitable<void> Desk::stop() {
  m_is_stopping = true;
  m_stop.request_stop();
  m_alarm.clear();
  m_rest.clear();
  m_day.clear();
  m_again.clear();
  wake();
  AWAIT_DONE(m_follower.stop());
  m_tasks.cancel_all();
  AWAIT_DONE(m_tasks.join());
}

void Desk::wake() {
  m_woken.notify_all();
}

// Rules of redaction and the database take some megabytes, which an idle daemon gives back.
void Desk::rest_soon() {
  if (!m_is_stopping) {
    m_rest.set(
        Clock::now()
        + (m_is_following ? Clock::duration(k_rest_following) : Clock::duration(k_rest_after)));
  }
}

asio::awaitable<void> Desk::rest() {
  runtime::Turns::Ticket ticket(m_turns);
  AWAIT_DONE(ticket.called());
  auto job = [this] { m_archive.reset(); };
  AWAIT_DONE(runtime::offload(m_options.pool(), std::move(job)));
}

asio::awaitable<void> Desk::begin() {
  if (m_is_stopping || (!m_problem && ::access(m_options.database.c_str(), F_OK) != 0)) {
    co_return; // nobody ever kept a session
  }
  AWAIT(Result<void> followed, follow());
  if (followed) {
    tidy_soon();
  } else if (!m_problem) { // that has been told
    m_log.warning("traces: sessions are not followed: {}", followed.error().message);
  }
}

void Desk::follow_soon() {
  if (!m_is_stopping) {
    m_tasks.start(begin());
  }
}

asio::awaitable<Result<void>> Desk::follow() {
  runtime::Turns::Ticket ticket(m_follow_turns);
  AWAIT_DONE(ticket.called());
  AWAIT(Result<void> followed, follow_anew());
  if (!followed && !m_is_stopping && !m_again.is_set()) {
    m_again.set(Clock::now() + m_options.retry_after);
  }
  co_return followed;
}

asio::awaitable<Result<void>> Desk::follow_anew() {
  auto read = [](archive::Archive& archive) { return archive.store().capture_rules(); };
  AWAIT(Result<std::vector<store::CaptureRule>> rules, with(std::move(read)));
  CO_TRY(rules);
  m_rules = *std::move(rules);
  AWAIT(m_folders, m_options.folders());
  std::erase_if(m_folders, [this](const agents::SessionFolder& folder) {
    return !may_be_captured(m_rules, folder.agent);
  });
  bool was_following = std::exchange(m_is_following, !m_folders.empty());
  m_found.reset();
  if (m_is_following) {
    AWAIT(Result<SessionWalk> found, watch_all());
    CO_TRY(found);
    m_found = *std::move(found);
    m_state.changed_all();
  } else if (was_following) {
    AWAIT(Result<SessionWalk> none, m_follower.watch({}, ""));
    CO_TRY(none);
  }
  if (m_is_following && !m_has_loop) {
    m_has_loop = true;
    m_tasks.start(follow_loop());
  }
  wake();
  co_return Result<void>();
}

asio::awaitable<void> Desk::follow_loop() {
  // Until it has ended, being switched on again means that this one goes on.
  struct Ending {
    bool& has_loop;

    ~Ending() { has_loop = false; }
  } ending{m_has_loop};

  while (m_is_following && !m_is_stopping) {
    AWAIT_DONE(follow_once());
    if (m_is_stopping) {
      co_return; // an alarm that is set now would keep the loop of the daemon alive
    }
    if (m_state.is_scan_due()) {
      continue;
    }
    std::optional<Clock::time_point> next = m_state.next();
    if (m_audit && (!next || *m_audit < *next)) {
      next = m_audit;
    }
    if (next) {
      m_alarm.set(*next);
    }
    if (m_is_following && (!next || *next > Clock::now())) {
      AWAIT_DONE(m_woken.wait());
    }
  }
}

asio::awaitable<void> Desk::follow_once() {
  bool is_audit = m_audit && *m_audit <= Clock::now();
  if (m_state.take_scan() || is_audit) {
    m_audit = Clock::now() + k_audit_every;
    m_seen.forget();
    AWAIT_DONE(look_at_all());
  } else if (m_state.take_look(Clock::now())) {
    AWAIT_DONE(look_at_all());
  }
  for (std::string& path : m_state.take_due(Clock::now())) {
    if (m_is_stopping) {
      co_return;
    }
    if (is_inside(path, m_options.spool)) {
      AWAIT_DONE(read_spool());
      continue;
    }
    AWAIT(Result<bool> read, read_now(path));
    bool has_gone = ::access(path.c_str(), F_OK) != 0;
    if (!read && !m_problem && !has_gone) {
      m_log.warning("traces: {}", read.error().message);
    }
  }
}

// What lies there is listed after it is watched, so that nothing falls between.
asio::awaitable<Result<SessionWalk>> Desk::watch_all() {
  AWAIT_DONE(read_spool()); // which makes the folder that is watched
  if (!m_spool) {
    AWAIT_DONE(read_spool()); // it was removed, and is made again
  }
  Clock::time_point begun = Clock::now();
  AWAIT(Result<SessionWalk> walk, m_follower.watch(m_folders, m_spool ? m_options.spool : ""));
  m_state.looked(Clock::now() - begun, Clock::now());
  co_return walk;
}

asio::awaitable<void> Desk::look_at_all() {
  std::optional<SessionWalk> walk = std::exchange(m_found, std::nullopt);
  if (!walk) {
    AWAIT(Result<SessionWalk> found, watch_all());
    if (!found) {
      m_log.warning("traces: {}", found.error().message);
      co_return;
    }
    walk = *std::move(found);
  }
  if (m_follower.is_partial() || !m_spool) {
    m_state.look_later(Clock::now());
  }
  for (const std::string& problem : walk->problems) {
    m_log.warning("traces: {}", problem);
  }
  for (const SessionFile& file : walk->files) {
    if (m_is_stopping) {
      co_return;
    }
    if (m_seen.is_same(file)) {
      continue;
    }
    AWAIT(Result<bool> read, read_now(file.path));
    if (m_problem) {
      co_return; // once that is mended, all is looked at
    }
    if (!read) {
      m_log.warning("traces: {}", read.error().message);
    } else {
      m_seen.saw(file, m_options.now_ms()); // one that rests is read when it is due
    }
  }
}

void Desk::ring(const hook::HookEvent& event) {
  ++m_counts.hook_events;
  if (!m_is_following) {
    return;
  }
  for (const std::string* path : {&event.transcript, &event.helper_transcript}) {
    if (!path->empty()) {
      m_state.changed(normalized_path(*path, "/"), Clock::now());
    }
  }
  wake();
}

asio::awaitable<void> Desk::read_spool() {
  runtime::Turns::Ticket ticket(m_spool_turns);
  AWAIT_DONE(ticket.called());
  auto read = [this]() -> Result<std::vector<hook::HookEvent>> {
    if (!m_spool) {
      TRY_ASSIGN(SpoolReader opened, SpoolReader::open(m_options.spool));
      m_spool.emplace(std::move(opened));
    }
    std::vector<hook::HookEvent> events;
    bool is_more = true;
    for (int i = 0; is_more && i < 256; ++i) {
      TRY_ASSIGN(SpoolBatch batch, m_spool->read());
      std::ranges::move(batch.events, std::back_inserter(events));
      is_more = batch.more && !batch.events.empty();
    }
    return events;
  };
  AWAIT(Result<std::vector<hook::HookEvent>> events,
        runtime::offload(m_options.pool(), std::move(read)));
  if (!events) {
    m_spool.reset();
    m_log.warning("traces: events of hooks are not read: {}", events.error().message);
    co_return;
  }
  for (const hook::HookEvent& event : *events) {
    ring(event);
  }
  // A daemon that dies now looks at everything when it starts, so nothing of them is lost.
  auto release = [this]() -> Result<void> { return m_spool ? m_spool->release() : Result<void>(); };
  AWAIT_DONE(runtime::offload(m_options.pool(), std::move(release)));
}

void Desk::describe(StatusResult& status) const {
  for (const Followed& one : followed()) {
    bool is_named = std::ranges::find(status.captured, one.agent) != status.captured.end();
    if (one.is_there && !is_named) {
      status.captured.push_back(one.agent);
    }
    if (one.is_there && !one.reason.empty()) {
      status.warnings.push_back("sessions of " + one.agent + " in " + in_backticks(one.folder)
                                + ": " + one.reason);
    }
  }
  if (m_problem) {
    status.warnings.push_back("sessions are neither kept nor shown: " + m_problem->message
                              + (m_problem->hint.empty() ? "" : "; " + m_problem->hint));
  }
}

} // namespace upskill::capture
