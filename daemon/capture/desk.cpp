#include "daemon/capture/desk.h"

#include "daemon/await.h"
#include "daemon/capture/capture_limits.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/redact/rule_set.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <unordered_set>

namespace upskill::capture {
namespace {

constexpr std::size_t k_max_user_rules = 1u << 20;         // bytes, as RuleSet::with takes them
constexpr auto k_audit_every = std::chrono::hours(24);     // decisions of the facts, tail rules
constexpr auto k_rest_after = std::chrono::seconds(10);    // then the archive is closed
constexpr auto k_rest_following = std::chrono::minutes(5); // the same while sessions come
constexpr std::size_t k_repaired_at_once = 16;             // sessions of one turn
constexpr std::int64_t k_raw_ms = 7LL * 24 * 3600 * 1000;  // how long secrets are kept
constexpr std::int64_t k_unnamed_ms = 24LL * 3600 * 1000;  // and objects that no session names

Result<redact::RuleSet> rules_of(const std::string& path) {
  TRY_ASSIGN(redact::RuleSet rules, redact::RuleSet::built_in());
  Result<std::string> text = read_file(path, k_max_user_rules);
  if (!text && text.error().code == ErrorCode::not_found) {
    return rules;
  }
  TRY(text);
  return rules.with(*text, path);
}

} // namespace

Desk::Desk(asio::any_io_executor executor, telemetry::Log& log, DeskOptions options)
    : m_log(log)
    , m_options(std::move(options))
    , m_turns(executor)
    , m_state(m_options.limits)
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
    , m_woken(executor)
    , m_alarm(executor, [this] { wake(); })
    , m_rest(executor, [this] { m_tasks.start(rest()); })
    , m_tasks(executor, [this](std::exception_ptr failure) {
      try {
        std::rethrow_exception(std::move(failure));
      } catch (const std::exception& problem) {
        m_log.error("traces: {}", problem.what());
      }
    }) {}

Result<void> Desk::open() {
  if (m_archive) {
    return {};
  }
  auto make = [&]() -> Result<archive::Archive> {
    TRY_ASSIGN(redact::RuleSet rules, rules_of(m_options.user_rules));
    return archive::Archive::open(
        {m_options.database, m_options.objects, std::move(rules), m_options.price});
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
  return {};
}

void Desk::start() {
  m_tasks.start(begin());
}

asio::awaitable<void> Desk::stop() {
  m_is_stopping = true;
  m_stop.request_stop();
  m_alarm.clear();
  m_rest.clear();
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
  if (::access(m_options.database.c_str(), F_OK) != 0) {
    co_return; // nobody ever kept a session
  }
  AWAIT(Result<void> followed, follow());
  if (!followed) {
    m_log.warning("traces: sessions are not followed: {}", followed.error().message);
  }
}

asio::awaitable<Result<void>> Desk::follow() {
  auto read = [](archive::Archive& archive) { return archive.store().capture_rules(); };
  AWAIT(Result<std::vector<store::CaptureRule>> rules, with(std::move(read)));
  CO_TRY(rules);
  m_rules = *std::move(rules);
  AWAIT(m_folders, m_options.folders());
  std::erase_if(m_folders, [this](const agents::SessionFolder& folder) {
    return !may_be_captured(m_rules, folder.agent);
  });
  bool was_following = std::exchange(m_is_following, !m_folders.empty());
  if (m_is_following) {
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
    AWAIT_DONE(tidy());
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
    if (!read && read.error().code != ErrorCode::not_found) {
      m_log.warning("traces: {}", read.error().message);
    }
  }
}

// What lies there is listed after it is watched, so that nothing falls between.
asio::awaitable<void> Desk::look_at_all() {
  AWAIT_DONE(read_spool());
  if (!m_spool) {
    AWAIT_DONE(read_spool()); // it was removed, and is made again
  }
  Clock::time_point begun = Clock::now();
  AWAIT(Result<SessionWalk> walk, m_follower.watch(m_folders, m_spool ? m_options.spool : ""));
  m_state.looked(Clock::now() - begun, Clock::now());
  if (!walk) {
    m_log.warning("traces: {}", walk.error().message);
    co_return;
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

// Whether it was done.
bool Desk::tell(const Result<archive::Repaired>& repaired) {
  if (!repaired) {
    m_log.warning("traces: {}", repaired.error().message);
    return false;
  }
  for (const std::string& problem : repaired->problems) {
    m_log.warning("traces: {}", problem);
  }
  return true;
}

// Rules that changed, secrets that were kept for a while, and what is too old or too much.
asio::awaitable<void> Desk::tidy() {
  std::int64_t after = 0;
  bool is_more = true;
  bool is_any = false;
  while (is_more && !m_is_stopping) {
    auto repair = [&](archive::Archive& archive) {
      return archive.repair(after, k_repaired_at_once, m_options.now_ms(), m_stop.get_token());
    };
    AWAIT(Result<archive::Repaired> repaired, with(std::move(repair)));
    is_more = tell(repaired) && repaired->sessions == k_repaired_at_once;
    after = is_more ? repaired->last : after;
    is_any = is_any || (repaired && repaired->sessions > repaired->problems.size());
  }
  auto clean = [&](archive::Archive& archive) {
    std::int64_t now_ms = m_options.now_ms();
    return archive.clean_raw(now_ms - k_raw_ms, now_ms, m_stop.get_token());
  };
  AWAIT(Result<archive::Repaired> cleaned, with(std::move(clean)));
  tell(cleaned);
  auto limit = [&](archive::Archive& archive) -> Result<std::size_t> {
    std::int64_t now_ms = m_options.now_ms();
    TRY_ASSIGN(CaptureLimits limits, read_limits(archive.store()));
    TRY_ASSIGN(std::size_t gone, apply_limits(archive, limits, now_ms));
    // What a reading that failed has left.
    TRY_ASSIGN(std::unordered_set<std::string> named, archive.store().object_names());
    TRY(archive.objects().remove_unreferenced(named, now_ms - k_unnamed_ms));
    if (is_any) {
      TRY(archive.store().compact());
    }
    return gone;
  };
  AWAIT(Result<std::size_t> gone, with(std::move(limit)));
  if (!gone) {
    m_log.warning("traces: {}", gone.error().message);
  } else if (*gone > 0) {
    m_log.info("traces: {} sessions were over the limits and are gone", *gone);
  }
}

void Desk::describe(StatusResult& status) const {
  for (const Followed& one : followed()) {
    bool is_named = std::ranges::find(status.captured, one.agent) != status.captured.end();
    if (one.is_watched && !is_named) {
      status.captured.push_back(one.agent);
    }
  }
}

} // namespace upskill::capture
