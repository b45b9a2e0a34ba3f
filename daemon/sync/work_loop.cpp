#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/sync/service.h"
#include "skills/library/skill_uri.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr auto k_durable_after = std::chrono::milliseconds(200);
constexpr auto k_tidy_again = std::chrono::minutes(10); // after it failed
constexpr auto k_summary_limit = std::chrono::seconds(2);
constexpr std::size_t k_most_steps_told = 100; // of one round, in the daemon's own log

runtime::Clock::time_point time_of(std::int64_t milliseconds) {
  return runtime::Clock::time_point(std::chrono::milliseconds(milliseconds));
}

} // namespace

void SyncService::on_report(watch::Report report) {
  for (const watch::Rescan& rescan : report.rescans) {
    m_context.log.verbose("rescan: {}", watch::to_string(rescan.reason));
    m_everything = true;
    m_list_changed = true; // nobody knows of what
    m_listed.forget_all();
    // What lies where may be another now: links are resolved and roots are found anew.
    bool is_sign = rescan.root != watch::k_all_roots && rescan.root >= m_watched.size();
    const bool is_gone = rescan.reason == watch::RescanReason::vanished;
    if (is_sign && is_gone) {
      m_gone_at = runtime::Clock::now() + k_sign_grace;
    }
    m_look_again = m_look_again || (is_sign && !is_gone)
                   || rescan.reason == watch::RescanReason::appeared
                   || rescan.reason == watch::RescanReason::replaced;
  }
  for (const watch::Change& change : report.changes) {
    if (change.root < m_watched.size() && may_change_list(change)) {
      if (std::optional<SkillKey> key = key_of(m_watched[change.root], change.skill)) {
        m_suspects.insert(std::move(*key));
      }
    }
  }
  if (!m_settle.add(report.changes, runtime::Clock::now())) {
    m_everything = true;
    m_list_changed = true; // too many to know each
    m_suspects.clear();
    m_listed.forget_all();
  }
  ++m_generation;
  m_changed.notify_all();
}

bool SyncService::is_idle() const {
  return m_working == 0 && !m_everything && !is_scene_old() && m_settle.size() == 0 && !m_again_at
         && !m_list_changed && m_announced.empty() && !m_telling;
}

std::optional<runtime::Clock::time_point> SyncService::next_time() const {
  std::optional<runtime::Clock::time_point> next = m_rescan_at;
  for (const auto& time : {m_settle.deadline(),
                           m_gone_at,
                           m_again_at,
                           m_retry_at,
                           m_store_at,
                           m_tidy_at,
                           m_durable_at}) {
    next = time && *time < *next ? time : next;
  }
  return next;
}

std::optional<sync::Work> SyncService::next_work() {
  runtime::Clock::time_point present = runtime::Clock::now();
  sync::Work work;
  work.now = now();
  if (present >= m_rescan_at) {
    m_rescan_at = present + k_rescan_every;
    m_everything = true;
    m_look_again = true; // an agent may have come in the moment before its sign was watched
  }
  std::vector<watch::Settle::Ready> ready = m_settle.take_ready(present);
  for (watch::Settle::Ready& one : ready) {
    if (one.root < m_watched.size()) {
      work.touched.push_back({m_watched[one.root], std::move(one.skill), one.order});
    }
  }
  bool again = m_again_at && *m_again_at <= present;
  if (again) {
    m_again_at.reset();
    work.touched.insert(work.touched.end(), m_again.begin(), m_again.end());
    m_again.clear();
  }
  if (m_retry_at && *m_retry_at <= present) {
    again = true;
    m_retry_at.reset();
  }
  // Who changes the settings looks at everything, and is told of what that led to.
  if (m_everything && !m_deciding.busy()) {
    m_everything = false;
    work.everything = true;
    return work;
  }
  return work.touched.empty() && !again ? std::nullopt : std::optional(std::move(work));
}

// Displaced folders linger for a minute; whoever made them wants them gone then.
void SyncService::tidy_soon() {
  auto soon = runtime::Clock::now() + std::chrono::seconds(61);
  m_tidy_at = m_tidy_at ? std::min(*m_tidy_at, soon) : soon;
}

void SyncService::note(const sync::Round& round) {
  m_again.insert(m_again.end(), round.again.begin(), round.again.end());
  if (round.again_at_ms) {
    runtime::Clock::time_point at = time_of(*round.again_at_ms);
    m_again_at = m_again_at ? std::min(*m_again_at, at) : at;
  }
  if (round.retry_at_ms) {
    runtime::Clock::time_point at = time_of(*round.retry_at_ms);
    m_retry_at = m_retry_at ? std::min(*m_retry_at, at) : at;
  }
  m_round_warnings = round.warnings;
  if (!round.steps.empty()) {
    // Once for many edits in a row, and not in the way of the next one.
    m_durable_at = runtime::Clock::now() + k_durable_after;
    tidy_soon();
  }
  std::size_t told = 0;
  for (const SyncStep& step : round.steps) {
    if (told++ < k_most_steps_told) {
      m_context.log.info(
          "{} `{}` {} {}", enum_name(step.action), step.skill, step.path, step.reason);
    }
    if (!step.path.empty()) {
      changed(parent_path(step.path), step.skill);
    }
  }
  if (told > k_most_steps_told) {
    m_context.log.info("and {} more, which `upskill sync log` has", told - k_most_steps_told);
  }
  for (const std::string& warning : round.warnings) {
    m_context.log.warning("{}", warning);
  }
  ++m_generation;
  m_changed.notify_all();
}

asio::awaitable<Result<sync::Round>> SyncService::round(sync::Work work) {
  Working working(*this);
  // A skill is looked at before the engine changes it, or what the list said could not be known.
  // Where that cannot be known any more, clients are told.
  std::set<SkillKey> unknown;
  for (const sync::Touched& touched : work.touched) {
    std::optional<SkillKey> key = key_of(touched.root, touched.skill);
    if (key && m_suspects.erase(*key) == 0 && !m_listed.knows(*key)
        && !m_announced.contains(*key)) {
      unknown.insert(std::move(*key));
    }
    changed(touched.root, touched.skill);
  }
  std::map<SkillKey, ListedFile> before;
  auto run = [&work, &unknown, &before, scene = m_scene](sync::Engine& engine) {
    if (scene) {
      before = look_at_listed(*scene, unknown);
    }
    return engine.run(work);
  };
  AWAIT(Result<sync::Round> result, m_lane.with_engine(std::move(run)));
  m_listed.remember(before);
  if (result && !work.dry_run) {
    note(*result);
    ++m_context.counters.at("sync_rounds");
  }
  co_return result;
}

asio::awaitable<Result<bool>> SyncService::look_at_waiting() {
  sync::Work work;
  work.dry_run = true;
  work.now = now();
  for (watch::Settle::Ready& one : m_settle.waiting()) {
    if (one.root < m_watched.size()) {
      work.touched.push_back({m_watched[one.root], std::move(one.skill), one.order});
    }
  }
  if (is_scene_old() || m_everything) {
    co_return true; // who lies where may be another by now
  }
  if (work.touched.empty()) {
    co_return false;
  }
  auto run = [&work](sync::Engine& engine) { return engine.run(work); };
  AWAIT(Result<sync::Round> result, m_lane.with_engine(std::move(run)));
  CO_TRY(result);
  co_return !result->steps.empty();
}

asio::awaitable<void> SyncService::refresh_summary() {
  const std::uint64_t orders = m_orders;
  auto look = [](sync::Engine& engine) -> Result<sync::SyncOverview> { return engine.overview(); };
  AWAIT(Result<sync::SyncOverview> overview, m_lane.with_engine(std::move(look)));
  if (overview) {
    m_skill_count = overview->skills;
    m_summary = std::move(overview->status);
  }
  if (!m_summary.enabled && m_scene) {
    auto count = [scene = m_scene] { return count_skills(*scene); };
    AWAIT(m_skill_count, runtime::offload(m_context.pool(), std::move(count)));
  }
  m_summarised = orders == m_orders; // else something was placed while it was looked at
  m_rested.notify_all();
}

asio::awaitable<void> SyncService::wait_for_summary() {
  runtime::Clock::time_point end = runtime::Clock::now() + k_summary_limit;
  runtime::Alarm alarm(m_context.io.get_executor(), [this] { m_rested.notify_all(); });
  alarm.set(end);
  while (!m_summarised && runtime::Clock::now() < end) {
    co_await m_rested.wait();
  }
}

std::optional<SkillKey> SyncService::key_of(std::string_view root, std::string_view skill) const {
  auto found = m_scene ? std::ranges::find(m_scene->roots, root, &library::Root::real_path)
                       : std::vector<library::Root>::const_iterator();
  if (!m_scene || found == m_scene->roots.end()) {
    return std::nullopt;
  }
  return SkillKey(found->project, skill);
}

void SyncService::changed(std::string_view root, std::string_view skill) {
  if (std::optional<SkillKey> key = key_of(root, skill)) {
    m_announced.insert(std::move(*key));
  } else {
    m_list_changed = true; // a root that has just left the scene: its skills have no address
  }
}

// Whoever subscribed to a file of a skill is told when the skill has changed, and everybody when
// the list may say something else.
asio::awaitable<void> SyncService::announce() {
  bool list_changed = std::exchange(m_list_changed, false);
  std::set<SkillKey> skills = std::exchange(m_announced, {});
  m_telling = list_changed || !skills.empty();
  AWAIT_DONE(refresh_summary());
  if (m_scene && !skills.empty()) {
    auto job = [scene = m_scene, &skills] { return look_at_listed(*scene, skills); };
    AWAIT(auto listed, runtime::offload(m_context.pool(), std::move(job)));
    list_changed = m_listed.update(listed) || list_changed;
  }
  if (list_changed) {
    m_context.tell({mcp::Change::resource_list});
  }
  for (const auto& [project, skill] : skills) {
    std::string prefix = library::skill_prefix(project, skill);
    m_context.tell({mcp::Change::resources, prefix});
  }
  if (m_on_changed && !skills.empty()) {
    m_on_changed(skills);
  }
  m_telling = false;
}

asio::awaitable<void> SyncService::tidy() {
  m_tidy_at.reset();
  sync::Moment moment = now();
  auto tidy = [moment](sync::Engine& engine) { return engine.tidy(moment); };
  AWAIT(Result<sync::Tidied> tidied, m_lane.with_engine(std::move(tidy)));
  std::optional<runtime::Clock::time_point> again;
  if (!tidied) {
    m_context.log.error("what is over cannot be tidied away: {}", tidied.error().message);
    again = runtime::Clock::now() + k_tidy_again;
  } else {
    for (const std::string& warning : tidied->warnings) {
      m_context.log.warning("{}", warning);
    }
    if (!tidied->warnings.empty()) {
      AWAIT_DONE(refresh_summary()); // there may be a conflict more
    }
    if (tidied->again_at_ms) {
      again = time_of(*tidied->again_at_ms);
    }
  }
  if (again) {
    m_tidy_at = m_tidy_at ? std::min(*m_tidy_at, *again) : again; // somebody may have asked since
  }
}

asio::awaitable<void> SyncService::work_loop() {
  for (;;) {
    if (m_store_at && *m_store_at <= runtime::Clock::now()) {
      m_store_at.reset();
      m_look_again = true;
    }
    if (m_look_again || (m_gone_at && *m_gone_at <= runtime::Clock::now())) {
      AWAIT_DONE(look_again());
    }
    std::optional<sync::Work> work = next_work();
    if (work) {
      AWAIT(Result<sync::Round> done, round(std::move(*work)));
      if (!done && m_lane.has_engine()) { // or it was said when there was none
        m_context.log.error("sync failed: {}", done.error().message);
      }
      continue;
    }
    if (m_durable_at && *m_durable_at <= runtime::Clock::now()) {
      m_durable_at.reset();
      auto sync = [](sync::Engine& engine) { return engine.make_durable(); };
      AWAIT(Result<void> durable, m_lane.with_engine(std::move(sync)));
      if (!durable) {
        m_context.log.error("{}", durable.error().message);
      }
      continue;
    }
    if (m_tidy_at && *m_tidy_at <= runtime::Clock::now()) {
      AWAIT_DONE(tidy());
      continue;
    }
    if (m_answering == 0 && (m_list_changed || !m_announced.empty() || !m_summarised)) {
      AWAIT_DONE(see_orders());
      AWAIT_DONE(announce());
      continue;
    }
    if (is_idle()) {
      m_rested.notify_all();
    }
    m_alarm.set(*next_time());
    co_await m_changed.wait();
  }
}

asio::awaitable<Result<void>> SyncService::come_to_rest(runtime::Clock::duration limit) {
  runtime::Clock::time_point end = runtime::Clock::now() + limit;
  AWAIT(Result<void> seen, synchronise());
  CO_TRY(seen);
  runtime::Alarm alarm(m_context.io.get_executor(), [this] { m_rested.notify_all(); });
  alarm.set(end);
  m_changed.notify_all();
  while (!is_idle()) {
    if (runtime::Clock::now() >= end) {
      co_return tl::make_unexpected(Error{ErrorCode::timed_out,
                                          "sync did not come to rest in time",
                                          "`upskill sync status` shows what it waits for"});
    }
    co_await m_rested.wait();
  }
  co_return Result<void>();
}

asio::awaitable<Result<WaitIdleResult>> SyncService::wait_idle(runtime::Clock::duration limit) {
  AWAIT(Result<void> rested, come_to_rest(limit));
  CO_TRY(rested);
  CO_TRY(check_running());
  StatusResult status;
  describe(status);
  WaitIdleResult result{.state = status.sync, .taking_part = status.taking_part};
  if (result.state != SyncState::off) {
    // Not as of the last round that clients were told of.
    auto look = [](sync::Engine& engine) -> Result<sync::SyncOverview> {
      return engine.overview();
    };
    AWAIT(Result<sync::SyncOverview> overview, m_lane.with_engine(std::move(look)));
    CO_TRY(overview);
    result.problems = overview->status.problems;
  }
  co_return result;
}

} // namespace upskill::daemon
